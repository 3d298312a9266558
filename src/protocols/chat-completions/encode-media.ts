import { mimeTypeOfBase64 } from "../../base/media-signatures.ts";
import type { LossList } from "../../conversation/loss.ts";
import { dataUrl, documentText, isTextType } from "../../conversation/media.ts";
import type { MediaPart } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";

/** The settings and state for encoding one request's parts. */
export interface Writing {
  readonly losses: LossList;
  /** The caller spoke this protocol too: what only some of its vendors take goes as it came. */
  readonly own: boolean;
}

/** A part of a user's message. Throws RefusedField where a chat has no slot for it. */
export function encodeMedia(part: MediaPart, { losses, own }: Writing): JsonObject {
  const { source, media } = part;
  switch (source.from) {
    case "file":
      if (source.protocol !== "chat-completions") break;
      return { type: "file", file: { file_id: source.fileId } };
    case "text":
      return { type: "text", text: documentText(part, source.text) };
    case "url":
      if (media === "image") return { type: "image_url", image_url: { url: source.url, ...detailOf(part) } };
      if (!own) break;
      if (media === "video" && part.name === undefined) {
        return { type: "video_url", video_url: { url: source.url } };
      }
      return { type: "file", file: { ...namedFile(part), file_data: source.url } };
    case "base64":
      return encodeInline(part, source.data, { losses, own });
  }
  return losses.refuse(
    "media",
    `This model's upstream doesn't support ${media} by reference. Send the data inline.`,
  );
}

function encodeInline(part: MediaPart, data: string, { losses, own }: Writing): JsonObject {
  const mimeType = part.mimeType ?? mimeTypeOfBase64(data) ?? FALLBACK_TYPES[part.media];
  if (part.media === "image") {
    return { type: "image_url", image_url: { url: dataUrl(mimeType, data), ...detailOf(part) } };
  }
  if (part.media === "audio") {
    const format = /mpeg|mp3/.test(mimeType) ? "mp3" : mimeType.replace(/^audio\/(x-)?/, "");
    if (!own && format !== "mp3" && format !== "wav") {
      return losses.refuse("media", "This model's upstream supports audio only as WAV or MP3.");
    }
    return { type: "input_audio", input_audio: { data, format } };
  }
  if (part.media === "video") {
    if (own) return { type: "video_url", video_url: { url: dataUrl(mimeType, data) } };
    return losses.refuse("media", "This model's upstream doesn't support video. Send images instead.");
  }
  if (!own && isTextType(mimeType)) {
    // The vendor takes no files but PDF.
    return { type: "text", text: documentText(part, Buffer.from(data, "base64").toString()) };
  }
  const filename = part.name ?? (own ? undefined : `document.${mimeType.split("/").at(-1)}`);
  return {
    type: "file",
    file: { filename: filename === "" ? undefined : filename, file_data: dataUrl(mimeType, data) },
  };
}

function namedFile({ name }: MediaPart): JsonObject {
  return name === undefined ? {} : { filename: name };
}

function detailOf({ detail }: MediaPart): JsonObject {
  return detail === undefined ? {} : { detail };
}

const FALLBACK_TYPES: Readonly<Record<MediaPart["media"], string>> = {
  image: "image/png",
  audio: "audio/wav",
  video: "video/mp4",
  document: "application/pdf",
};
