import { isDeepStrictEqual } from "node:util";
import { asObject, asText } from "../../src/protocols/json.ts";
import type { Finding } from "./oracle-judge.ts";
import type { Rule } from "./oracle-rules.ts";

/** Accepted differences in how a response is streamed to its caller; what it says is judged by the rules of responses. */
const RULES: readonly Rule[] = [
  {
    why: "Rule 6: the first event of messages estimates the input, which must be more than 0; the truth follows at the end.",
    covers: ({ caller, path }) => caller === "messages" && path.startsWith("[0].message.usage."),
  },
  {
    why: "Rule 6: where the upstream told nothing, the last event of messages states the estimate again, since callers add up.",
    covers: ({ caller, place, theirs }) =>
      caller === "messages" && place === "usage.input_tokens" && theirs === undefined,
  },
  {
    why: "Rule 9: an answer that calls tools ends for its calls, though the upstream's last event does not say so.",
    covers: ({ place, ours, theirs }) =>
      place === "choices[].finish_reason" && ours === "tool_calls" && theirs === "stop",
  },
  {
    why: "Rule 17: calls of generateContent come whole; the peer sends a call without a name for each piece of the arguments.",
    covers: ({ caller, place, ours, theirs }) =>
      caller === "generate-content" &&
      ((place.endsWith("parts[]") && ours === undefined && isNamelessCall(theirs)) ||
        (place.includes(".functionCall.args.") && theirs === undefined)),
  },
  {
    why: "Rule 16: every step of the ladder is told, for clients break without; the peer leaves some out.",
    covers: ({ place, caller, ours, theirs }) =>
      caller === "responses" && place === "[]" && theirs === undefined && STEPS.has(typeOf(ours)),
  },
  {
    why: "Rule 16: `created` and `in_progress` tell the whole response as it stands, which has used nothing yet.",
    covers: ({ path, ours, theirs }) =>
      (path === "[1].response" && theirs === undefined) ||
      (path === "[0].response.usage" && ours === undefined),
  },
  {
    why: "An event that tells nothing (a second `in_progress`, an empty delta) is left out.",
    covers: ({ place, ours, theirs }) =>
      place === "[]" &&
      ours === undefined &&
      (isDeepStrictEqual(theirs, { type: "response.in_progress" }) || asObject(theirs)?.["delta"] === ""),
  },
  {
    why: "The last event holds every item of the answer; the peer forgets the text after a thought.",
    covers: ({ place, path, ours, theirs }) =>
      theirs === undefined &&
      ((place === "output[]" && path.includes("].response.") && typeOf(ours) === "message") ||
        (place === "[]" && typeOf(ours) === "response.output_item.done")),
  },
  {
    why: "The upstream names the model; the peer makes a name up.",
    covers: ({ place, theirs }) => place === "model" && theirs === "transformed",
  },
  {
    why: "A call's state stands in an item before the call, where clients keep it; the peer has none.",
    covers: ({ caller, place, ours, theirs }) =>
      caller === "responses" && place === "[].output_index" && Number(ours) > Number(theirs),
  },
  {
    why: "The schema requires the tool's name where its arguments are done.",
    covers: ({ place, ours, theirs }) =>
      place === "[].name" && typeof ours === "string" && theirs === undefined,
  },
];

export const STREAM_RULES: readonly Rule[] = RULES.map(({ why, covers }) => ({
  why,
  covers: (found: Finding) => found.side === "stream" && covers(found),
}));

/** Steps that the peer leaves out: beginnings and ends of parts, and of a thought that only holds state. */
const STEPS: ReadonlySet<string> = new Set([
  "response.in_progress",
  "response.output_item.added",
  "response.content_part.added",
  "response.content_part.done",
  "response.output_text.done",
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_part.done",
  "response.reasoning_summary_text.done",
]);

function typeOf(event: unknown): string {
  return asText(asObject(event)?.["type"]);
}

function isNamelessCall(part: unknown): boolean {
  const call = asObject(asObject(part)?.["functionCall"]);
  return call !== undefined && call["name"] === undefined;
}
