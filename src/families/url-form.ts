import type { UrlForm } from "./field.ts";

/** True if a vendor may be told to fetch an http or https URL. */
export type IsPublic = (url: string) => boolean;

/** What kind of address a reference is; undefined = none that any family takes. */
export function urlFormOf(
  url: string,
  isPublic: IsPublic = (text) => URL.canParse(text),
): UrlForm | undefined {
  if (/^https?:\/\//i.test(url))
    return url.length <= MAX_URL_CHARACTERS && isPublic(url) ? "public" : undefined;
  if (/^asset:\/\/[^\s/?#]+$/i.test(url)) return "asset";
  // Only the head is looked at: what follows may be 20 MB, and whether it is an image is for the vendor to say.
  if (/^data:image\/[\w.+-]+;base64,[^,\s]/i.test(url)) return "data";
  return undefined;
}

/** Signed addresses come to a few thousand; no server reads more. */
const MAX_URL_CHARACTERS = 16_384;

/** Bytes that a base64 data URL stands for. */
export function dataBytes(url: string): number {
  return Math.floor(((url.length - url.indexOf(",") - 1) * 3) / 4);
}

/** For a sentence: "a public http(s) URL or a data URL". */
export function formNames(forms: readonly UrlForm[]): string {
  return forms.map((form) => FORM_NAMES[form]).join(" or ");
}

const FORM_NAMES: Readonly<Record<UrlForm, string>> = {
  public: "a public http(s) URL",
  data: "a data URL (data:image/<type>;base64,<data>)",
  asset: "an asset (asset://<Id>)",
};
