import { appendAll } from "../../base/append-all.ts";
import { mimeTypeOfBase64 } from "../../base/media-signatures.ts";
import { isDataUrl } from "../../base/text.ts";
import { mimeTypeOfUrl, sourceOfUrl } from "../../conversation/media.ts";
import type {
  CacheMark,
  Citation,
  ForeignField,
  ForeignPart,
  MediaPart,
  MediaSource,
  TextPart,
} from "../../conversation/request.ts";
import {
  type Fields,
  foreignFields,
  listOf,
  optionalFields,
  optionalText,
  requiredFields,
  requiredText,
} from "../fields.ts";
import { asText, type JsonObject } from "../json.ts";

export type SpokenPart = TextPart | MediaPart | ForeignPart;

/** The content of a message: a string, or parts. */
export function decodeSpoken(item: Fields, foreign: ForeignField[]): readonly SpokenPart[] {
  const content = item.value["content"] ?? undefined;
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return listOf(item, "content").map((part) => decodePart(part, foreign));
}

/** The output of a tool: a string, or parts. */
export function decodeResultParts(item: Fields, foreign: ForeignField[]): readonly SpokenPart[] {
  const output = item.value["output"] ?? undefined;
  if (typeof output === "string") return output === "" ? [] : [{ kind: "text", text: output }];
  return listOf(item, "output").map((part) => decodePart(part, foreign));
}

function decodePart(part: Fields, foreign: ForeignField[]): SpokenPart {
  const type = requiredText(part, "type");
  const known = KNOWN.get(type);
  if (known !== undefined) appendAll(foreign, foreignFields(part, known));
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      return { kind: "text", text: requiredText(part, "text"), ...markOf(part) };
    case "refusal":
      return { kind: "text", text: requiredText(part, "refusal"), refusal: true };
    case "input_image":
      return decodeImage(part);
    case "input_file":
      return decodeFile(part);
    case "input_audio": {
      const audio = requiredFields(part, "input_audio");
      const format = optionalText(audio, "format") ?? "wav";
      const source = { from: "base64", data: requiredText(audio, "data") } as const;
      return {
        kind: "media",
        media: "audio",
        source,
        mimeType: `audio/${format === "mp3" ? "mpeg" : format}`,
      };
    }
    default:
      return {
        kind: "foreign",
        protocol: "responses",
        value: part.value,
        ifUnsupported: "refuse",
        path: part.path,
      };
  }
}

function decodeImage(part: Fields): MediaPart {
  const fileId = optionalText(part, "file_id");
  const detail = optionalText(part, "detail");
  const url = fileId === undefined ? requiredText(part, "image_url") : "";
  const { source, mimeType = mimeTypeOfUrl(url) } =
    fileId === undefined ? sourceOfUrl(url) : { source: stored(fileId) };
  return {
    kind: "media",
    media: "image",
    source,
    mimeType,
    detail,
    ...markOf(part),
  };
}

/** A file's data is a data URL (rule 35), which some clients send as bare base64. */
function decodeFile(part: Fields): MediaPart {
  const name = optionalText(part, "filename");
  const detail = optionalText(part, "detail");
  const { source, mimeType } = fileSource(part);
  const type = mimeType ?? (name === undefined ? undefined : mimeTypeOfUrl(name));
  return {
    kind: "media",
    media: "document",
    source,
    mimeType: type,
    name,
    detail,
    ...markOf(part),
  };
}

function fileSource(part: Fields): { readonly source: MediaSource; readonly mimeType?: string | undefined } {
  const fileId = optionalText(part, "file_id");
  if (fileId !== undefined) return { source: stored(fileId) };
  const url = optionalText(part, "file_url");
  if (url !== undefined) return { mimeType: mimeTypeOfUrl(url), ...sourceOfUrl(url) };
  const data = requiredText(part, "file_data");
  if (isDataUrl(data)) return sourceOfUrl(data);
  return { source: { from: "base64", data }, mimeType: mimeTypeOfBase64(data) };
}

function stored(fileId: string): MediaSource {
  return { from: "file", protocol: "responses", fileId };
}

/** An image that was made for a response; undefined where the item is or holds none. */
export function decodeImageCall(item: JsonObject): MediaPart | undefined {
  const data = asText(item["result"]);
  if (data === "" || item["type"] !== "image_generation_call") return undefined;
  const { source, mimeType } = isDataUrl(data)
    ? sourceOfUrl(data)
    : { source: { from: "base64", data } as const, mimeType: mimeTypeOfBase64(data) };
  const stated = asText(item["output_format"]);
  const type = mimeType ?? (stated === "" ? undefined : `image/${stated}`);
  return { kind: "media", media: "image", source, mimeType: type };
}

/** An annotation of a response's text. */
export function decodeAnnotation(value: JsonObject): Citation {
  const url = asText(value["url"]);
  const title = asText(value["title"]) || asText(value["filename"]);
  const start = value["start_index"];
  const end = value["end_index"];
  return {
    url: url === "" ? undefined : url,
    title: title === "" ? undefined : title,
    start: isOffset(start) ? start : undefined,
    end: isOffset(end) ? end : undefined,
    source: { protocol: "responses", value },
  };
}

function isOffset(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** The vendor keeps prefixes for half an hour, which the shorter of the two lifetimes stands for. */
function markOf(part: Fields): { readonly cache?: CacheMark | undefined } {
  return optionalFields(part, "prompt_cache_breakpoint") === undefined ? {} : { cache: { ttl: "5m" } };
}

const TEXT = new Set(["type", "text", "prompt_cache_breakpoint"]);
const KNOWN = new Map<string, ReadonlySet<string>>([
  ["input_text", TEXT],
  ["output_text", TEXT],
  ["text", TEXT],
  ["refusal", new Set(["type", "refusal"])],
  ["input_audio", new Set(["type", "input_audio"])],
  ["input_image", new Set(["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"])],
  [
    "input_file",
    new Set(["type", "filename", "file_data", "file_url", "file_id", "detail", "prompt_cache_breakpoint"]),
  ],
]);
