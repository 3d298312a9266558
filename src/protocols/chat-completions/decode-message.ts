import { mediaOfType, sourceOfUrl } from "../../conversation/media.ts";
import type { Citation, MediaPart } from "../../conversation/request.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { holdsAudio } from "./audio.ts";
import { THOUGHT_FIELDS } from "./reasoning.ts";

/**
 * The fields that a message and the delta of a chunk have in common. Vendors add to this protocol freely: a field of
 * another type than expected counts as absent.
 */
export function decodeText(message: JsonObject): string {
  const content = message["content"];
  const written =
    typeof content === "string"
      ? content
      : asObjects(content)
          .map((part) => asText(part["text"]))
          .join("");
  // Speech has its words beside the audio.
  return written === "" ? asText(asObject(message["audio"])?.["transcript"]) : written;
}

/** True if anything was said or called, in whatever field. */
export function holdsOutput(message: JsonObject): boolean {
  return holdsWords(message) || CALL_FIELDS.some((field) => isFilled(message[field]));
}

/** The same, calls apart. */
export function holdsWords(message: JsonObject): boolean {
  return OUTPUT_FIELDS.some((field) => isFilled(message[field])) || holdsAudio(message);
}

/** Words that decline to answer stand beside the content, or among its parts. */
export function decodeRefusal(message: JsonObject): string {
  const beside = asText(message["refusal"]);
  if (beside !== "") return beside;
  return asObjects(message["content"])
    .map((part) => asText(part["refusal"]))
    .join("");
}

/** Images stand beside the words, or among the parts of the content (vLLM). */
export function decodeImages(message: JsonObject): readonly MediaPart[] {
  return [...asObjects(message["images"]), ...asObjects(message["content"])].flatMap((image) => {
    const url = asText(asObject(image["image_url"])?.["url"] ?? image["image_url"]);
    if (url === "") return [];
    const { source, mimeType } = sourceOfUrl(url);
    const media = mimeType === undefined ? "image" : mediaOfType(mimeType);
    return [{ kind: "media", media, source, mimeType } as const];
  });
}

export function decodeCitations(message: JsonObject): readonly Citation[] {
  return asObjects(message["annotations"]).map((value) => {
    const cited = asObject(value["url_citation"]) ?? {};
    const { url, title, start_index: start, end_index: end } = cited;
    return {
      url: typeof url === "string" ? url : undefined,
      title: typeof title === "string" ? title : undefined,
      start: typeof start === "number" ? start : undefined,
      end: typeof end === "number" ? end : undefined,
      source: { protocol: "chat-completions", value },
    };
  });
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== "";
}

const CALL_FIELDS = ["tool_calls", "function_call"];

const OUTPUT_FIELDS = [
  "content",
  "reasoning_details",
  ...THOUGHT_FIELDS,
  "refusal",
  "images",
  // The vendor's own tools at work (Groq).
  "executed_tools",
];
