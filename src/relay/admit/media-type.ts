import { mimeTypeOfBytes } from "../../base/media-signatures.ts";
import { mediaOfType, mimeTypeOfUrl } from "../../conversation/media.ts";
import type { MediaPart } from "../../conversation/request.ts";

/**
 * What a fetched file is. Bytes that tell outrank what the server says, for servers say anything; but
 * one container holds sound or video, so there the server's word counts first.
 */
export function fileType(stated: string | undefined, bytes: Buffer, url: string): string | undefined {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (/^\s*<(!doctype html|html[\s>])/i.test(head.toString("latin1"))) return "text/html";
  const told = mimeTypeOfBytes(head);
  if (told !== undefined && !/^(audio|video)\//.test(told)) return told;
  return usefulType(stated) ?? mimeTypeOfUrl(url) ?? told;
}

/** Whether a file of this type can stand where the caller put it. Of documents only a stated PDF is held to its word. */
export function isOfKind(type: string | undefined, { media, mimeType }: MediaPart): boolean {
  if (media !== "document") return type !== undefined && mediaOfType(type) === media;
  return mimeType !== PDF || type === PDF;
}

/** The type in a Content-Type header; undefined where it says "some bytes". */
function usefulType(stated: string | undefined): string | undefined {
  const type = stated?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^(application|binary)\/(octet-stream|x-download|force-download)$/.test(type) || !type.includes("/")
    ? undefined
    : type;
}

const PDF = "application/pdf";

/** Every signature is in the first bytes; a page may have a blank line and a comment before it. */
const HEAD_BYTES = 256;
