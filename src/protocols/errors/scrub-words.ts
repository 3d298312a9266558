import { asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { holdsResponse, statesError } from "./error-body.ts";

/** Takes what must not be told out of a vendor's words; what is sound comes back as the same value. */
export interface Scrub {
  text(text: string): string;
  value(value: unknown): unknown;
}

/** True if a response or an event holds words of the vendor's own, beside what a model wrote or in its place. */
export function hasVendorWords(event: JsonObject, name = ""): boolean {
  if (isErrorAlone(event, name)) return true;
  return placesOf(event).some(([holder, fields]) =>
    fields.some((field) => isVendorText(field, holder[field])),
  );
}

/** The same response or event with its vendor's own words scrubbed; what a model wrote is not touched. */
export function scrubWords(event: JsonObject, name: string, scrub: Scrub): JsonObject {
  if (isErrorAlone(event, name)) return asObject(scrub.value(event)) ?? event;
  const scrubbed = scrubFields(event, WORDS, scrub);
  const { response, choices, candidates, x_groq } = scrubbed;
  const inner = asObject(response);
  const corner = asObject(x_groq);
  return withChanges(scrubbed, {
    response: inner === undefined ? response : scrubFields(inner, WORDS, scrub),
    x_groq: corner === undefined ? x_groq : scrubFields(corner, WORDS, scrub),
    choices: scrubEach(choices, CHOICE_WORDS, scrub),
    candidates: scrubEach(candidates, CANDIDATE_WORDS, scrub),
  });
}

/** An error and nothing of a response: all of it is the vendor's. */
function isErrorAlone(event: JsonObject, name: string): boolean {
  if (holdsResponse(event)) return false;
  return name === "error" || asText(event["type"]) === "error" || statesError(event);
}

function placesOf(event: JsonObject): readonly (readonly [JsonObject, readonly string[]])[] {
  return [
    [event, WORDS],
    ...[event["response"], event["x_groq"]].flatMap((value) => {
      const holder = asObject(value);
      return holder === undefined ? [] : [[holder, WORDS] as const];
    }),
    ...asObjects(event["choices"]).map((choice) => [choice, CHOICE_WORDS] as const),
    ...asObjects(event["candidates"]).map((candidate) => [candidate, CANDIDATE_WORDS] as const),
  ];
}

/** `message` is one only as a text: the messages protocol has its response there. */
function isVendorText(field: string, value: unknown): boolean {
  return typeof value === "string"
    ? value !== ""
    : field !== "message" && typeof value === "object" && value !== null;
}

function scrubFields(holder: JsonObject, fields: readonly string[], scrub: Scrub): JsonObject {
  const changes: Record<string, unknown> = {};
  for (const field of fields) {
    const value = holder[field];
    if (isVendorText(field, value)) changes[field] = scrub.value(value);
  }
  return withChanges(holder, changes);
}

function scrubEach(value: unknown, fields: readonly string[], scrub: Scrub): unknown {
  if (!Array.isArray(value)) return value;
  const scrubbed = value.map((each: unknown) => {
    const holder = asObject(each);
    return holder === undefined ? each : scrubFields(holder, fields, scrub);
  });
  return scrubbed.some((each, at) => each !== value[at]) ? scrubbed : value;
}

/** The same object where nothing differs; fields that are not there stay away. */
function withChanges(holder: JsonObject, changes: JsonObject): JsonObject {
  const changed = Object.entries(changes).filter(
    ([field, value]) => Object.hasOwn(holder, field) && holder[field] !== value,
  );
  return changed.length === 0 ? holder : { ...holder, ...Object.fromEntries(changed) };
}

/** The paths of vendors' words in a response, in an event, and in the response that an event brings. */
const WORDS = [
  ...["error", "errors", "detail", "details", "message", "msg", "base_resp", "status_details"],
  ...["incomplete_details", "promptFeedback", "prompt_feedback", "warning", "warnings"],
];
const CHOICE_WORDS = ["error", "errors"];
const CANDIDATE_WORDS = ["finishMessage", "finish_message", "error"];
