import type { Finish, FinishKind } from "../../conversation/response.ts";
import { asText, type JsonObject } from "../json.ts";

/** Why a choice has ended, "" while it goes on; some servers write the word of null into each chunk. */
export function finishWord(choice: JsonObject): string {
  const word = asText(choice["finish_reason"]);
  return word === "null" ? "" : word;
}

/** The vendor's word, of which one adds its reason behind a colon. */
export function decodeFinish(word: string): Finish {
  const unified = KINDS.get(word) ?? KINDS.get(word.split(":", 1)[0] ?? "") ?? "other";
  return { unified, protocol: "chat-completions", raw: word === "" ? undefined : word };
}

/** `oneCall`: the caller knows functions and no tools. */
export function encodeFinish(finish: Finish, oneCall: boolean): string {
  if (finish.unified === "tool-calls") return oneCall ? "function_call" : "tool_calls";
  if (finish.protocol === "chat-completions" && finish.raw !== undefined) return finish.raw;
  return WORDS[finish.unified];
}

const KINDS = new Map<string, FinishKind>([
  ["stop", "stop"],
  // One vendor never says why it stopped.
  ["", "stop"],
  ["eos", "stop"],
  ["end_turn", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["repetition_truncation", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["content_filter", "content-filter"],
  ["refusal", "content-filter"],
  ["sensitive", "content-filter"],
]);

const WORDS: Readonly<Record<FinishKind, string>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  // The vendor paused its own tools; a chat has no word for it, and what is there so far is the response.
  pause: "stop",
  other: "stop",
};
