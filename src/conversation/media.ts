import { imageTypeOf, mimeTypeOfBase64 } from "../base/media-signatures.ts";
import { isDataUrl, normalizedUrl } from "../base/text.ts";
import type { MediaPart, MediaSource } from "./request.ts";

/** A data URL in its halves, the data in base64; undefined where the text is none (RFC 2397). */
function splitDataUrl(url: string): { readonly mimeType: string; readonly data: string } | undefined {
  if (!isDataUrl(url)) return undefined;
  const comma = url.indexOf(",");
  if (comma === -1) return undefined;
  const [type = "", ...parameters] = url.slice("data:".length, comma).split(";");
  const mimeType = type.trim().toLowerCase();
  const data = url.slice(comma + 1);
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === "base64");
  if (!isBase64) return { mimeType: mimeType || "text/plain", data: percentDecoded(data).toString("base64") };
  return { mimeType, data: data.includes("%") ? percentDecoded(data).toString("latin1") : data };
}

/** Bytes that a URL spells by letters and by `%` with their numbers. */
function percentDecoded(text: string): Buffer {
  const spelled = Buffer.from(text).toString("latin1");
  const bytes = spelled.replace(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(bytes, "latin1");
}

export function dataUrl(mimeType: string, data: string): string {
  return `data:${mimeType};base64,${data}`;
}

/** A source and its type from a URL of any kind: data URLs are split, other ones stay URLs, normalized (rule 35). */
export function sourceOfUrl(url: string): {
  readonly source: MediaSource;
  readonly mimeType?: string | undefined;
} {
  const split = splitDataUrl(url);
  if (split === undefined) return { source: { from: "url", url: normalizedUrl(url) } };
  return {
    source: { from: "base64", data: split.data },
    ...typed(split.mimeType || mimeTypeOfBase64(split.data)),
  };
}

/** Inline media as every vendor reads them: in plain base64, and called by the name that vendors know. */
export function plainlySpelled(part: MediaPart): MediaPart {
  const { source } = part;
  if (source.from !== "base64") return part;
  const plain = { ...part, source: { ...source, data: plainBase64(source.data) } };
  return { ...plain, ...typed(knownType(plain) ?? part.mimeType) };
}

/**
 * In the letters and with the padding that data URLs and most vendors want. generateContent takes the letters
 * of URLs without padding too, and the vendor's own SDK for Python writes them.
 */
function plainBase64(data: string): string {
  const plain = /[-_]/.test(data) ? data.replace(/-/g, "+").replace(/_/g, "/") : data;
  const over = plain.length % 4;
  return over === 2 || over === 3 ? plain + "=".repeat(4 - over) : plain;
}

function typed(mimeType: string | undefined): { readonly mimeType?: string | undefined } {
  return mimeType === undefined ? {} : { mimeType };
}

/**
 * The type by the name that vendors know: as stated; what the bytes say where nothing is, or nothing useful. Of an image the
 * bytes decide, as vendors refuse one that is another than it says.
 */
export function knownType({ mimeType, source }: MediaPart): string | undefined {
  const stated = mimeType?.split(";", 1)[0]?.trim().toLowerCase();
  const image =
    source.from === "base64" && stated?.startsWith("image/") ? imageTypeOf(source.data) : undefined;
  if (image !== undefined) return image;
  if (stated === "image/jpg") return "image/jpeg";
  if (stated !== undefined && stated !== "" && stated !== "application/octet-stream") return stated;
  return source.from === "base64" ? mimeTypeOfBase64(source.data) : undefined;
}

/** The type that a URL's file name tells. */
export function mimeTypeOfUrl(url: string): string | undefined {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  const ending = /\.([a-z0-9]{2,5})$/i.exec(path)?.[1]?.toLowerCase();
  return ending === undefined ? undefined : ENDINGS.get(ending);
}

/** A document of plain text, in words: every model reads text, few read it as a file. Its title stands before it. */
export function documentText({ name }: MediaPart, text: string): string {
  return name === undefined || name === "" ? text : `${name}\n\n${text}`;
}

/** True if a document of this type is text that any model can read as it is. */
export function isTextType(mimeType: string): boolean {
  return mimeType.startsWith("text/") || TEXT_TYPES.has(mimeType);
}

/** An upstream calls bytes an image that are none. */
export class NotAnImage extends TypeError {
  override readonly name = "NotAnImage";
}

/** Media of a response: an image that came in bytes is of the type that these tell. Throws NotAnImage where they are none. */
export function checkedMedia(part: MediaPart): MediaPart {
  if (!isInlineImage(part)) return part;
  const mimeType = typeOfImage(part);
  if (mimeType === undefined) throw notAnImage();
  return { ...part, mimeType };
}

/** True if media of a response are what they are called: an image that came in bytes is one. */
export function isAsDeclared(part: MediaPart): boolean {
  return !isInlineImage(part) || typeOfImage(part) !== undefined;
}

export function notAnImage(): NotAnImage {
  return new NotAnImage("bytes that aren't an image, declared as one");
}

function isInlineImage({ media, source }: MediaPart): boolean {
  return media === "image" && (source.from !== "url" || isDataUrl(source.url));
}

function typeOfImage({ source }: MediaPart): string | undefined {
  return source.from === "base64" ? imageTypeOf(source.data) : undefined;
}

/** The kind of media of a type; every type that is no image, audio or video is a document. */
export function mediaOfType(mimeType: string | undefined): MediaPart["media"] {
  const kind = mimeType?.split("/", 1)[0];
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "document";
}

/** Text under other names. */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/xml",
  "application/yaml",
  "application/x-yaml",
  "application/javascript",
  "application/x-javascript",
  "application/typescript",
  "application/sql",
]);

const ENDINGS = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["bmp", "image/bmp"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["svg", "image/svg+xml"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["json", "application/json"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["ogg", "audio/ogg"],
  ["flac", "audio/flac"],
  ["m4a", "audio/mp4"],
  ["mp4", "video/mp4"],
  ["mov", "video/quicktime"],
  ["webm", "video/webm"],
]);
