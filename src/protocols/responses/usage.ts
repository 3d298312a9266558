import { type AnswerNotes, type AnswerRules, noteFinish, noteIssued, noteUsage } from "../answer-rules.ts";
import { statesError } from "../error-body.ts";
import { asArray, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { keyLook } from "../look.ts";
import type { TextSink } from "../output-text.ts";
import { decodeStatedError } from "../upstream-error.ts";
import { inclusiveInput, inclusiveOutput, metered, Tally } from "../usage-counts.ts";
import { usageReader } from "../usage-reader.ts";

const rules: AnswerRules = {
  callerFinishes: new Set(["max_output_tokens"]),
  readAnswer,
  readEvent,
  answerText,
  eventText,

  // Every event about the whole response carries it; deltas, which are nearly all, do not.
  openLook() {
    const matters = openMatters();
    const holdsType = openTypeLook();
    return (frame, start, end) => !holdsType(frame, start, end) || matters(frame, start, end);
  },

  buckets(usage) {
    const tally = new Tally();
    const inputDetails = asObject(usage["input_tokens_details"]) ?? asObject(usage["prompt_tokens_details"]);
    const outputDetails =
      asObject(usage["output_tokens_details"]) ?? asObject(usage["completion_tokens_details"]);
    const input = tally.count(usage, "input_tokens") ?? tally.count(usage, "prompt_tokens");
    const cache = {
      cacheRead: tally.count(inputDetails, "cached_tokens"),
      cacheWrite5m: tally.count(inputDetails, "cache_write_tokens"),
    };
    const counts = {
      input,
      output: tally.count(usage, "output_tokens") ?? tally.count(usage, "completion_tokens"),
      reasoning: tally.count(outputDetails, "reasoning_tokens"),
      total: tally.count(usage, "total_tokens"),
    };
    const output = inclusiveOutput(tally, counts);
    return metered(tally, inclusiveInput(tally, input, cache, counts), output, usage);
  },
};

/** Reads usage off responses, plain and streamed. */
export const responsesUsage = usageReader(rules);

function readAnswer(body: JsonObject, notes: AnswerNotes): void {
  // A failed response states its error too, but it is a response, and its caller asked for one.
  if (body["object"] !== "response" && statesError(body)) notes.error = decodeStatedError(body);
  notes.failed = FAILED.has(asText(body["status"]));
  readResponse(body, notes);
}

function readEvent(event: JsonObject, notes: AnswerNotes, name: string): void {
  const type = asText(event["type"]) || name;
  const response = asObject(event["response"]);
  if (type === "error" || statesError(event)) {
    notes.error ??= decodeStatedError(event);
    return;
  }
  notes.started = true;
  notes.output ||= OUTPUT_EVENT.test(type);
  if (response === undefined) return;
  notes.opening ??= response;
  if (!TERMINAL_EVENTS.has(type)) {
    notes.id ??= asText(response["id"]) || undefined;
    return;
  }
  readResponse(response, notes);
  if (type === "response.failed") notes.error ??= decodeStatedError(response);
}

function readResponse(response: JsonObject, notes: AnswerNotes): void {
  notes.id ??= asText(response["id"]) || undefined;
  notes.output ||= asArray(response["output"]).length > 0;
  for (const item of asObjects(response["output"])) readIds(item, notes);
  noteUsage(notes, asObject(response["usage"]));
  const reason = asText(asObject(response["incomplete_details"])?.["reason"]);
  const finish = reason || asText(response["status"]);
  if (finish !== "") noteFinish(notes, finish, 0);
}

function readIds(item: JsonObject, notes: AnswerNotes): void {
  noteIssued(notes, "withAnswer", item["id"]);
  noteIssued(notes, "apart", item["container_id"]);
  noteIssued(notes, "apart", asObject(item["environment"])?.["container_id"]);
  for (const part of asObjects(item["content"])) {
    for (const { type, container_id, file_id } of asObjects(part["annotations"])) {
      if (type !== "container_file_citation") continue;
      noteIssued(notes, "apart", container_id);
      noteIssued(notes, "apart", file_id);
    }
  }
}

function answerText(body: JsonObject, text: TextSink): void {
  for (const item of asObjects(body["output"])) {
    const isThought = item["type"] === "reasoning";
    for (const part of [...asObjects(item["content"]), ...asObjects(item["summary"])]) {
      if (isThought) text.reasoning(part["text"]);
      else text.visible(part["text"] ?? part["refusal"]);
    }
    for (const field of ["name", "arguments", "input", "code"]) text.visible(item[field]);
  }
}

function eventText(event: JsonObject, text: TextSink, name: string): void {
  const type = asText(event["type"]) || name;
  if (type.startsWith("response.reasoning") && type.endsWith(".delta")) text.reasoning(event["delta"]);
  else if (type.endsWith(".delta")) text.visible(event["delta"]);
  else if (type === "response.output_item.added") text.visible(asObject(event["item"])?.["name"]);
}

const TERMINAL_EVENTS = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
]);

const FAILED: ReadonlySet<string> = new Set(["failed", "cancelled"]);

/** Anything past the announcements: an item, a part or a piece of one. */
const OUTPUT_EVENT = /^response\.(?!created$|in_progress$|queued$|completed$|incomplete$|failed$|cancelled$)/;

const openMatters = keyLook("response", "error");

/** What holds none is no event of an answer, and may be a bare error. */
const openTypeLook = keyLook("type");
