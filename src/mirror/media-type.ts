import { mimeTypeOfBytes } from "../base/media-signatures.ts";

/**
 * The types that are copied and served, by the ending of a name. The list is closed and has only types that browsers
 * show and never run: the files come from strangers and are served from the gateway's own address.
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

/** The type of a file by its first bytes, whatever its server calls it; undefined = a type that is not served. */
export function mediaTypeOf(head: Buffer): MediaType | undefined {
  const type = mimeTypeOfBytes(head);
  return type === undefined ? undefined : BY_MIME_TYPE.get(type);
}

const BY_MIME_TYPE = new Map(
  Object.entries(MEDIA_TYPES).map(([ending, type]) => [type as string, ending as MediaType]),
);
