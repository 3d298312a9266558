import type { Finish, FinishKind } from "../../conversation/response.ts";
import { asObject, asText, type JsonObject } from "../json.ts";

/**
 * Reads `stop_reason`, `stop_sequence` and `stop_details`, which stand in a plain response and in a stream's
 * `message_delta` alike.
 */
export function decodeFinish(stated: JsonObject): Finish {
  const word = asText(stated["stop_reason"]);
  const unified = KINDS.get(word) ?? "other";
  const stopSequence = asText(stated["stop_sequence"]);
  const message = asText(asObject(stated["stop_details"])?.["explanation"]);
  return {
    unified,
    protocol: "messages",
    raw: word === "" ? undefined : word,
    stopSequence: stopSequence === "" ? undefined : stopSequence,
    message: message === "" ? undefined : message,
  };
}

/** The same three fields for a caller. `declines`: the response's words decline to answer, which only the stop's reason can say. */
export function encodeFinish(finish: Finish, declines: boolean): JsonObject {
  return {
    stop_reason: wordOf(finish, declines),
    stop_sequence: finish.stopSequence ?? null,
    stop_details:
      finish.unified === "content-filter" && finish.message !== undefined
        ? { type: "refusal", category: null, explanation: finish.message }
        : null,
  };
}

function wordOf(finish: Finish, declines: boolean): string {
  if (finish.protocol === "messages" && finish.raw !== undefined) return finish.raw;
  if (finish.unified === "stop" && declines) return WORDS["content-filter"];
  if (finish.unified === "stop" && finish.stopSequence !== undefined) return "stop_sequence";
  return WORDS[finish.unified];
}

const KINDS = new Map<string, FinishKind>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool-calls"],
  ["refusal", "content-filter"],
  ["pause_turn", "pause"],
  ["compaction", "pause"],
]);

const WORDS: Readonly<Record<FinishKind, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
  pause: "pause_turn",
  other: "end_turn",
};
