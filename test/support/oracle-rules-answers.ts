import { isDeepStrictEqual } from "node:util";
import { asObject, asText } from "../../src/protocols/json.ts";
import type { Finding } from "./oracle-judge.ts";
import type { Rule } from "./oracle-rules.ts";

/** Accepted differences in what a caller is answered, whole or streamed. */
const TO_ANY: readonly Rule[] = [
  {
    why: "How an answer was served (its tier) is between the gateway and its upstream, and no part of the answer.",
    covers: ({ place, ours }) => /(^|\.)service_?tier$/i.test(place) && ours === undefined,
  },
  {
    why: "Zero is said where the peer says nothing: what clients add up is there in every answer, as the vendors' own are (rule 7).",
    covers: ({ place, ours, theirs }) => /^usage/.test(place) && theirs === undefined && isZero(ours),
  },
  {
    why: "Opaque state goes wrapped, with its origin, in a slot that the caller's next turn gives back; the peer writes it bare, as if the caller's vendor had minted it, or drops it.",
    covers: ({ ours, theirs }) => holdsState(ours) && (theirs === undefined || typeof theirs === "string"),
  },
  {
    why: "State has no slot of chat completions but the call's; the peer makes one up, which clients do not give back.",
    covers: ({ place, ours }) => place.endsWith("message.reasoning_signature") && ours === undefined,
  },
  {
    why: "An empty text or thought that holds no state says nothing, and messages refuses it in the next turn (rule 33).",
    covers: ({ ours, theirs }) => ours === undefined && isEmptyPart(theirs),
  },
  {
    why: "Calls of hosted tools that the upstream ran itself are no calls for the caller to answer: dropped, with a loss.",
    covers: ({ place, ours, theirs }) =>
      /(content|parts)\[\]$/.test(place) && ours === undefined && isHostedCall(theirs),
  },
  {
    why: "Rule 22: ids that the upstream left out are unique over all turns; numbers from 0 meet those of other turns.",
    covers: ({ ours, theirs }) =>
      typeof ours === "string" && MADE.test(ours) && /^call_\d+$/.test(asText(theirs)),
  },
  {
    why: "Rule 39: responses has no stop sequences, so the answer is cut here; the peer forgets them.",
    covers: ({ upstream, place, ours, theirs }) =>
      upstream === "responses" &&
      ((/(text|content)$/.test(place) && asText(ours) !== "" && asText(theirs).startsWith(asText(ours))) ||
        (place === "stop_reason" && ours === "stop_sequence") ||
        (place === "stop_sequence" && theirs === undefined)),
  },
  {
    why: "The call is of the tool that only the peer's own request had (JSON without a schema), so that we have nothing to undo.",
    covers: ({ ours, theirs }) =>
      isJsonTool(ours) ||
      (ours === undefined && /\{\\*"(object|parameter)\\*":/.test(JSON.stringify(theirs))),
  },
];

const TO_CHAT: readonly Rule[] = [
  {
    why: "`annotations` lists citations; without any it may be left out.",
    covers: ({ place, ours, theirs }) =>
      place === "choices[].message.annotations" && ours === undefined && isDeepStrictEqual(theirs, []),
  },
  {
    why: "The content of an answer without calls is a text, though an empty one; null stands for calls.",
    covers: ({ place, ours, theirs }) =>
      place === "choices[].message.content" && ours === "" && theirs === undefined,
  },
  {
    why: "Tokens of sound are no bucket of their own; they are among the input.",
    covers: ({ place, ours }) => place.endsWith("prompt_tokens_details.audio_tokens") && ours === undefined,
  },
];

const TO_NATIVE: readonly Rule[] = [
  {
    why: "The id of a call has a slot, and goes back with its result.",
    covers: ({ place, ours, theirs }) =>
      place.endsWith("functionCall.id") && typeof ours === "string" && theirs === undefined,
  },
  {
    why: "What a search found is cited as the caller's protocol cites it; the peer loses it.",
    covers: ({ place, theirs }) => place.endsWith("groundingMetadata") && theirs === undefined,
  },
  {
    why: "Clients drop thoughts: their state rides on the call or the last words that follow.",
    covers: ({ place, caller, ours }) =>
      caller === "generate-content" && place.endsWith("parts[].thoughtSignature") && ours === undefined,
  },
  {
    why: "Rule 32: a candidate's content is never empty; here thoughts used up the limit.",
    covers: ({ place, ours, theirs }) =>
      place.endsWith("content.parts[]") && isDeepStrictEqual(ours, { text: "" }) && theirs === undefined,
  },
];

const TO_MESSAGES: readonly Rule[] = [
  {
    why: "The vendor's schema requires of a call to say who made it, and of a thought to have a signature.",
    covers: ({ place, ours, theirs }) =>
      theirs === undefined &&
      ((place === "content[].caller" && isDeepStrictEqual(ours, { type: "direct" })) ||
        (place === "content[].signature" && ours === "")),
  },
];

const TO_RESPONSES: readonly Rule[] = [
  {
    why: "A response repeats what it was asked for, as its schema requires; the peer writes constants or nothing.",
    covers: ({ place, ours }) => ECHOED.has(place) && ours !== undefined,
  },
  {
    why: "`output_text` is made by the vendor's client libraries and is not on the wire.",
    covers: ({ place, ours }) => place === "output_text" && ours === undefined,
  },
  {
    why: "The schema requires `logprobs` of a text.",
    covers: ({ place, ours, theirs }) =>
      /(content|^)\[\]\.logprobs$/.test(place) && isDeepStrictEqual(ours, []) && theirs === undefined,
  },
  {
    why: "A thought's `content` is optional; its summary holds the words.",
    covers: ({ place, ours, theirs }) =>
      place === "output[].content" && ours === undefined && isDeepStrictEqual(theirs, []),
  },
  {
    why: "An answer that the limit cut says so, and so does its last item; the peer calls the item complete and gives no reason.",
    covers: ({ place, ours }) =>
      (place === "incomplete_details" && isDeepStrictEqual(ours, { reason: "max_output_tokens" })) ||
      (place === "output[].status" && ours === "incomplete"),
  },
];

export const RESPONSE_RULES: readonly Rule[] = [
  ...TO_ANY,
  ...[
    { caller: "chat-completions", rules: TO_CHAT },
    { caller: "generate-content", rules: TO_NATIVE },
    { caller: "messages", rules: TO_MESSAGES },
    { caller: "responses", rules: TO_RESPONSES },
  ].flatMap(({ caller, rules }) =>
    rules.map(({ why, covers }) => ({
      why,
      covers: (found: Finding) => found.caller === caller && covers(found),
    })),
  ),
].map(({ why, covers }) => ({ why, covers: (found: Finding) => found.side !== "request" && covers(found) }));

/** The fields of a response that its request may set. */
const ECHOED: ReadonlySet<string> = new Set([
  "background",
  "instructions",
  "max_output_tokens",
  "metadata",
  "parallel_tool_calls",
  "prompt_cache_key",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "store",
  "text",
  "tool_choice",
  "tools",
  "tools[]",
  "top_p",
  "truncation",
]);

const MADE = /^call_[0-9a-f]{24}$/;

function isZero(value: unknown): boolean {
  const object = asObject(value);
  return object === undefined ? value === 0 : Object.values(object).every(isZero);
}

/** State that we wrapped, anywhere in it; generateContent has it in base64 once more. */
function holdsState(value: unknown): boolean {
  return /"(gw1\.|Z3cxL)/.test(JSON.stringify(value) ?? "");
}

function isEmptyPart(value: unknown): boolean {
  const part = asObject(value);
  if (part === undefined) return value === "";
  return (part["text"] ?? part["thinking"]) === "" && part["signature"] === undefined;
}

function isHostedCall(value: unknown): boolean {
  const { type, functionCall } = asObject(value) ?? {};
  const name = asText(asObject(functionCall)?.["name"]);
  return name === "web_search" || /^(server_tool_use|.*_tool_result)$/.test(asText(type));
}

function isJsonTool(value: unknown): boolean {
  return JSON.stringify(value)?.includes('"name":"json"') === true;
}
