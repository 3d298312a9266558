/**
 * What is copied and served, by the ending of its name. A closed list of what browsers only ever show and never run:
 * the files come from strangers and are served from the gateway's own address.
 */
export const MEDIA_TYPES = {
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  avif: "image/avif",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
} as const;

export type MediaType = keyof typeof MEDIA_TYPES;

/** So many first bytes are enough to tell. */
export const TELLING_BYTES = 64;

/** What a file is by its first bytes, whatever its server calls it; undefined = nothing that is served. */
export function mediaTypeOf(head: Buffer): MediaType | undefined {
  const text = head.toString("latin1", 0, TELLING_BYTES);
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (text.startsWith("\xff\xd8\xff")) return "jpg";
  if (text.startsWith("GIF8")) return "gif";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "webp";
  if (text.startsWith("\x1a\x45\xdf\xa3") && text.includes("webm")) return "webm";
  if (text.slice(4, 8) === "ftyp") return BRANDS[text.slice(8, 12)] ?? "mp4";
  return undefined;
}

/** Of ISO files: the major brands that are no MP4. */
const BRANDS: Readonly<Record<string, MediaType>> = { avif: "avif", avis: "avif", "qt  ": "mov" };
