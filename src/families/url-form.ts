import type { UrlForm } from "./field.ts";

/** True if a vendor may be asked to fetch this http or https URL. */
export type IsPublic = (url: string) => boolean;

/** Returns the form of a reference's URL; undefined = no family accepts it. */
export function urlFormOf(
  url: string,
  isPublic: IsPublic = (text) => URL.canParse(text),
): UrlForm | undefined {
  if (/^https?:\/\//i.test(url))
    return url.length <= MAX_URL_CHARACTERS && isPublic(url) ? "public" : undefined;
  if (/^asset:\/\/[^\s/?#]+$/i.test(url)) return "asset";
  // Only the beginning is checked: the rest may have 20 MB, and the vendor decides whether it is an image.
  if (/^data:image\/[\w.+-]+;base64,[^,\s]/i.test(url)) return "data";
  return undefined;
}

/** Signed URLs have a few thousand characters, and no server accepts more than this. */
const MAX_URL_CHARACTERS = 16_384;

/** Number of bytes that a base64 data URL encodes. */
export function dataBytes(url: string): number {
  return Math.floor(((url.length - url.indexOf(",") - 1) * 3) / 4);
}

/** Joins the forms for a sentence: "a public http(s) URL or a data URL". */
export function formNames(forms: readonly UrlForm[]): string {
  return forms.map((form) => FORM_NAMES[form]).join(" or ");
}

const FORM_NAMES: Readonly<Record<UrlForm, string>> = {
  public: "a public http(s) URL",
  data: "a data URL (data:image/<type>;base64,<data>)",
  asset: "an asset (asset://<Id>)",
};
