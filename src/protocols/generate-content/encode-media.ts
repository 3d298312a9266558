import { mimeTypeOfBase64 } from "../../base/media-signatures.ts";
import type { LossList } from "../../conversation/loss.ts";
import { documentText, mimeTypeOfUrl } from "../../conversation/media.ts";
import type { MediaPart } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";

/** Media of a request. `own`: the caller speaks this protocol, so that what stands beside is its own. Throws RefusedField. */
export function encodeMedia(part: MediaPart, own: boolean, losses: LossList): JsonObject {
  const { source, extra } = part;
  switch (source.from) {
    case "base64":
      return { ...inlineOf(part, source.data, own), ...extra };
    case "text":
      return { text: documentText(part, source.text) };
    case "file":
      if (source.protocol !== "generate-content") {
        return losses.refuse("media", "The file is stored at another vendor. Send its data inline.");
      }
      return { ...fileOf(part, source.fileId, own), ...extra };
    case "url":
      if (!own && !source.url.startsWith("https://")) {
        return losses.refuse("media", "This model's upstream only fetches https URLs. Send the data inline.");
      }
      return { ...fileOf(part, source.url, own), ...extra };
  }
}

/** Media of a response, which this protocol's callers get inline or by its address. */
export function encodeResponseMedia(part: MediaPart): JsonObject {
  const { source } = part;
  switch (source.from) {
    case "base64":
      return inlineOf(part, source.data, false);
    case "text":
      return { text: source.text };
    case "file":
      return fileOf(part, source.fileId, true);
    case "url":
      return fileOf(part, source.url, false);
  }
}

function inlineOf(part: MediaPart, data: string, own: boolean): JsonObject {
  const mimeType = part.mimeType ?? mimeTypeOfBase64(data) ?? FALLBACK_TYPES[part.media];
  return { inlineData: { mimeType, data, ...nameOf(part, own) } };
}

/** The vendor wants a type beside the address (rule 35), but for what its own callers left without. */
function fileOf(part: MediaPart, fileUri: string, own: boolean): JsonObject {
  const mimeType = part.mimeType ?? mimeTypeOfUrl(fileUri) ?? (own ? undefined : FALLBACK_TYPES[part.media]);
  return { fileData: { mimeType, fileUri, ...nameOf(part, own) } };
}

/** One of the vendor's two services refuses names: only a caller of this protocol knows which it has. */
function nameOf({ name }: MediaPart, own: boolean): JsonObject {
  return own && name !== undefined ? { displayName: name } : {};
}

/**
 * The types of media without a stated type: vendors detect the format of images from the bytes, and documents are
 * mostly of this kind.
 */
const FALLBACK_TYPES: Readonly<Record<MediaPart["media"], string>> = {
  image: "image/jpeg",
  audio: "audio/mpeg",
  video: "video/mp4",
  document: "application/pdf",
};
