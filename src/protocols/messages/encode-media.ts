import type { LossList } from "../../conversation/loss.ts";
import { isTextType, knownType } from "../../conversation/media.ts";
import type { JsonObject, MediaPart } from "../../conversation/request.ts";

/** An image or a document as a block (rule 35). What this protocol cannot show to a model is refused. */
export function encodeMedia(part: MediaPart, losses: LossList): JsonObject {
  if (part.media === "audio" || part.media === "video") {
    return losses.refuse(
      "media",
      `This model's upstream doesn't support ${part.media}. Send images or documents.`,
    );
  }
  const type = knownType(part);
  if (part.source.from === "file") return encodeFile(part, part.source, losses);
  return part.media === "image" && part.source.from !== "text"
    ? encodeImage(part, type, losses)
    : encodeDocument(part, type, losses);
}

function encodeFile(
  part: MediaPart,
  source: { readonly protocol: string; readonly fileId: string },
  losses: LossList,
): JsonObject {
  if (source.protocol !== "messages") {
    return losses.refuse("media", "This model's upstream doesn't have the file. Send its content instead.");
  }
  return { type: part.media, source: { type: "file", file_id: source.fileId }, ...described(part) };
}

function encodeImage(part: MediaPart, type: string | undefined, losses: LossList): JsonObject {
  if (part.source.from === "url") return { type: "image", source: linkOf(part.source.url, losses) };
  if (part.source.from !== "base64" || type === undefined || !IMAGE_TYPES.has(type)) {
    return losses.refuse("media", "This model's upstream supports images only as JPEG, PNG, GIF or WebP.");
  }
  return { type: "image", source: { type: "base64", media_type: type, data: part.source.data } };
}

function encodeDocument(part: MediaPart, type: string | undefined, losses: LossList): JsonObject {
  return { type: "document", source: documentSource(part, type, losses), ...described(part) };
}

function documentSource({ source }: MediaPart, type: string | undefined, losses: LossList): JsonObject {
  const textual = type !== undefined && isTextType(type);
  if (source.from === "text") return { type: "text", media_type: "text/plain", data: source.text };
  if (source.from === "url" && !textual && (type === undefined || type === PDF)) {
    return linkOf(source.url, losses);
  }
  if (source.from === "base64" && type === PDF) {
    return { type: "base64", media_type: PDF, data: source.data };
  }
  if (source.from === "base64" && textual) {
    const text = Buffer.from(source.data, "base64").toString();
    return { type: "text", media_type: "text/plain", data: text };
  }
  return losses.refuse(
    "media",
    "This model's upstream supports documents only as PDF, by URL or inline, or as text.",
  );
}

function linkOf(url: string, losses: LossList): JsonObject {
  if (/^https?:\/\//i.test(url)) return { type: "url", url };
  return losses.refuse("media", "The media's URL must begin with https:// or be a base64 data URL.");
}

/** A document's title, and the wishes about it that only this protocol's callers can have. */
function described({ media, name, extra }: MediaPart): JsonObject {
  if (media !== "document") return {};
  return { title: name === undefined || name === "" ? undefined : name.slice(0, MAX_TITLE), ...extra };
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const PDF = "application/pdf";

/** The vendor's schema allows no longer title. */
const MAX_TITLE = 500;
