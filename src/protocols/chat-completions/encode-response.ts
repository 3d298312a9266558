import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import { dataUrl } from "../../conversation/media.ts";
import type { Citation, MediaPart, TextPart, ToolCallPart } from "../../conversation/request.ts";
import type { ChatResponse, Choice } from "../../conversation/response.ts";
import type { JsonObject } from "../json.ts";
import { encodeAudio } from "./audio.ts";
import { encodeCallState } from "./call-state.ts";
import { encodeUsage } from "./encode-usage.ts";
import { encodeFinish } from "./finish.ts";

/** Writes a caller's plain chat completion. */
export function encodeResponse(response: ChatResponse, frame: ResponseFrame): JsonObject {
  return {
    ...encodeHead(response, frame, "chat.completion"),
    choices: response.choices.map((choice, index) => encodeChoice(choice, index, frame.oneCall === true)),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage.tokens),
  };
}

/** The first fields of a response and of each chunk. */
export function encodeHead(
  response: Pick<ChatResponse, "model">,
  frame: ResponseFrame,
  object: "chat.completion" | "chat.completion.chunk",
): JsonObject {
  return { id: `chatcmpl-${frame.id}`, object, created: frame.created, model: response.model ?? frame.model };
}

function encodeChoice(choice: Choice, index: number, oneCall: boolean): JsonObject {
  const texts = choice.parts.filter((part) => part.kind === "text");
  const refusals = texts.filter((part) => part.refusal);
  const said = texts.filter((part) => !part.refusal);
  const thoughts = choice.parts.filter((part) => part.kind === "reasoning");
  const images = choice.parts.filter((part) => part.kind === "media").map(encodeImage);
  const calls = choice.parts.filter((part) => part.kind === "tool-call");
  const [audio] = choice.parts.filter((part) => part.kind === "foreign").map(encodeAudio);
  const annotations = annotationsOf(said);
  const thought = thoughts.map(({ text }) => text).join("");
  const silent = said.length === 0 && (calls.length > 0 || refusals.length > 0 || images.length > 0);
  const words = joined(said);
  // Spoken words stand beside the sound, as they came.
  const spoken = audio?.["transcript"] === words;
  return {
    index,
    message: {
      role: "assistant",
      content: silent || spoken ? null : words,
      refusal: refusals.length === 0 ? null : joined(refusals),
      reasoning_content: thought === "" ? undefined : thought,
      annotations: annotations.length === 0 ? undefined : annotations,
      images: images.length === 0 ? undefined : images,
      audio,
      ...encodeCalls(calls, oneCall),
    },
    logprobs: null,
    finish_reason: encodeFinish(choice.finish, oneCall),
  };
}

function encodeCalls(calls: readonly ToolCallPart[], oneCall: boolean): JsonObject {
  const [first] = calls;
  if (first === undefined) return {};
  if (!oneCall) return { tool_calls: calls.map(encodeCall) };
  const state = first.opaque === undefined ? {} : { extra_content: encodeCallState(first.opaque) };
  return { function_call: { name: first.name, arguments: first.arguments || "{}", ...state } };
}

function encodeCall(call: ToolCallPart): JsonObject {
  return {
    id: call.id,
    type: call.custom ? "custom" : "function",
    custom: call.custom ? { name: call.name, input: call.arguments } : undefined,
    function: call.custom ? undefined : { name: call.name, arguments: call.arguments || "{}" },
    extra_content: call.opaque === undefined ? undefined : encodeCallState(call.opaque),
  };
}

/** The form that vendors with images in responses use. */
export function encodeImage(part: MediaPart): JsonObject {
  const { source, mimeType = "image/png" } = part;
  const url =
    source.from === "url" ? source.url : source.from === "base64" ? dataUrl(mimeType, source.data) : "";
  return { type: "image_url", image_url: { url } };
}

/** Citations of all texts, their offsets counted from the beginning of the joined text. */
function annotationsOf(texts: readonly TextPart[]): readonly JsonObject[] {
  let before = 0;
  return texts.flatMap((part) => {
    const offset = before;
    before += part.text.length;
    return (part.citations ?? []).flatMap((citation) => encodeCitation(citation, offset));
  });
}

/** A chat cites addresses and nothing else; `offset` is where the cited block begins. */
export function encodeCitation(citation: Citation, offset: number): readonly JsonObject[] {
  const { source, url, title = "", start = 0, end = start } = citation;
  if (source.protocol === "chat-completions") return [source.value];
  if (url === undefined) return [];
  const cited = { start_index: start + offset, end_index: end + offset, title, url };
  return [{ type: "url_citation", url_citation: cited }];
}

function joined(texts: readonly TextPart[]): string {
  return texts.map(({ text }) => text).join("");
}
