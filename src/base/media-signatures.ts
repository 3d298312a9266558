/** So many first bytes are enough to tell. */
export const SIGNATURE_BYTES = 64;

/**
 * The MIME type of a file by its first bytes; undefined = they tell nothing. This is the one table for all files that
 * are fetched, copied, or sent inline, because senders name their files anything.
 */
export function mimeTypeOfBytes(head: Uint8Array): string | undefined {
  const { buffer, byteOffset, length } = head;
  const text = Buffer.from(buffer, byteOffset, Math.min(length, SIGNATURE_BYTES)).toString("latin1");
  return SIGNATURES.find(([pattern]) => pattern.test(text))?.[1];
}

/** The same of bytes in base64, of which the first letters are decoded. */
export function mimeTypeOfBase64(base64: string): string | undefined {
  return mimeTypeOfBytes(Buffer.from(base64.slice(0, TELLING_LETTERS), "base64"));
}

/**
 * The type of an image that a vendor answers with; undefined = it is none. Only what browsers show and never run: a page,
 * an SVG, a bare bitmap or a few letters are a failure of the vendor's, whatever type it states.
 */
export function imageTypeOf(base64: string): string | undefined {
  const type = mimeTypeOfBase64(base64);
  return type !== undefined && IMAGES.has(type) ? type : undefined;
}

/** The letters that hold the first bytes, with a few more for the line ends that some write in between. */
const TELLING_LETTERS = 96;

const IMAGES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
]);

const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n[\s\S]\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF[\s\S]{4}WEBP/, "image/webp"],
  [/^RIFF[\s\S]{4}WAVE/, "audio/wav"],
  [/^BM/, "image/bmp"],
  [/^(II\*\0|MM\0\*)/, "image/tiff"],
  [/^[\s\S]{4}ftyp(avif|avis)/, "image/avif"],
  // A brand that both kinds have in common: their own stands among the compatible ones, of which a file has a handful.
  [/^[\s\S]{4}ftyp(mif1|msf1)[\s\S]{4}([\s\S]{4}){0,9}?(avif|avis)/, "image/avif"],
  [/^[\s\S]{4}ftyp(heic|heix|heim|heis|hevc|hevx|mif1|msf1)/, "image/heic"],
  [/^[\s\S]{4}ftypqt /, "video/quicktime"],
  [/^[\s\S]{4}ftyp/, "video/mp4"],
  [/^[\s\S]E\xdf\xa3[\s\S]*webm/, "video/webm"],
  [/^%PDF-/, "application/pdf"],
  [/^(ID3|\xff[\xfb\xf3\xf2])/, "audio/mpeg"],
  [/^OggS/, "audio/ogg"],
  [/^fLaC/, "audio/flac"],
];
