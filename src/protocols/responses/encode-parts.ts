import { mimeTypeOfBase64 } from "../../base/media-signatures.ts";
import type { LossList } from "../../conversation/loss.ts";
import { dataUrl, documentText } from "../../conversation/media.ts";
import type { CacheMark, Citation, ForeignPart, MediaPart, TextPart } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";

/** A part of a message or of a tool's output. Throws RefusedField for media that has no slot. */
export function encodePart(
  part: TextPart | MediaPart | ForeignPart,
  losses: LossList,
): readonly JsonObject[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ type: "input_text", text: part.text, ...markOf(part.cache, losses) }];
    case "media":
      return [encodeMedia(part, losses)];
    case "foreign":
      return [part.value];
  }
}

function encodeMedia(part: MediaPart, losses: LossList): JsonObject {
  if (part.source.from === "file" && part.source.protocol !== "responses") {
    return losses.refuse(
      "media",
      "This model's upstream doesn't have files of another upstream. Send the file itself.",
    );
  }
  if (part.media === "image") return encodeImage(part, losses);
  if (part.media === "document") return encodeFile(part, losses);
  return losses.refuse("media", `This model's upstream doesn't support ${part.media} here. Remove it.`);
}

function encodeImage(part: MediaPart, losses: LossList): JsonObject {
  const { source } = part;
  const beside = { detail: part.detail ?? "auto", ...markOf(part.cache, losses) };
  switch (source.from) {
    case "file":
      return { type: "input_image", file_id: source.fileId, ...beside };
    case "url":
      return { type: "input_image", image_url: source.url, ...beside };
    case "base64": {
      const mimeType = part.mimeType ?? mimeTypeOfBase64(source.data) ?? "image/png";
      return { type: "input_image", image_url: dataUrl(mimeType, source.data), ...beside };
    }
    case "text":
      return losses.refuse("media", "An image can't be text. Send its bytes or its URL.");
  }
}

/** A file needs a name beside its data, whose ending tells the vendor what it is. */
function encodeFile(part: MediaPart, losses: LossList): JsonObject {
  const { source } = part;
  const beside = {
    detail: part.detail,
    ...markOf(part.cache, losses),
  };
  const named = part.name === undefined ? {} : { filename: part.name };
  switch (source.from) {
    case "file":
      return { type: "input_file", file_id: source.fileId, ...beside };
    case "url":
      return { type: "input_file", file_url: source.url, ...named, ...beside };
    case "base64": {
      const mimeType = part.mimeType ?? mimeTypeOfBase64(source.data) ?? "application/pdf";
      const filename = part.name ?? `document.${mimeType === "application/pdf" ? "pdf" : "txt"}`;
      return { type: "input_file", filename, file_data: dataUrl(mimeType, source.data), ...beside };
    }
    case "text":
      return { type: "input_text", text: documentText(part, source.text), ...markOf(part.cache, losses) };
  }
}

/** An image that the assistant made: the item under which the protocol's own are found. */
export function encodeImageCall(part: MediaPart, id: string): readonly JsonObject[] | undefined {
  if (part.media !== "image" || part.source.from !== "base64") return undefined;
  return [{ type: "image_generation_call", id, status: "completed", result: part.source.data }];
}

/** The source of a response's text, as the vendor wrote it or as a link. */
export function encodeAnnotation(citation: Citation): JsonObject {
  if (citation.source.protocol === "responses") return citation.source.value;
  return {
    type: "url_citation",
    url: citation.url ?? "",
    title: citation.title ?? "",
    start_index: citation.start ?? 0,
    end_index: citation.end ?? 0,
  };
}

/** Prefixes are kept for as long as the vendor likes: a mark's lifetime has no word here. */
function markOf(cache: CacheMark | undefined, losses: LossList): JsonObject {
  if (cache?.ttl === "1h") losses.field("cache", "weakened");
  return cache === undefined ? {} : { prompt_cache_breakpoint: { mode: "explicit" } };
}
