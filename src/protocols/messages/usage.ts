import { writeExact } from "../../base/json/exact-json.ts";
import {
  type MeteredUsage,
  type ModelTokens,
  readCount,
  sumTokens,
  TOKEN_BUCKETS,
  type TokenUsage,
} from "../../usage/usage.ts";
import { ERROR_WORDS, statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asName, asObject, asObjects, asText, type JsonObject, readModelName } from "../json.ts";
import { keyFilter } from "../streams/byte-filter.ts";
import { OPENROUTER_CALLS, type ReportedCallField, reportedCalls } from "../streams/call-counts.ts";
import { asUsage } from "../streams/latest-counts.ts";
import {
  type MeteringRules,
  recordCall,
  recordError,
  recordId,
  recordIssuedId,
  recordModel,
  recordServiceTerm,
  recordUnexpectedFormat,
  recordUsage,
  type StreamState,
} from "../streams/metering-rules.ts";
import type { TextSink } from "../streams/output-text.ts";
import { inclusiveOutput, metered, splitWrites, UsageCounter } from "../streams/usage-counts.ts";
import { usageReader } from "../streams/usage-reader.ts";
import { decodeFinish } from "./finish.ts";
import { isContent, isEvent } from "./form.ts";

const rules: MeteringRules = {
  callerFinishes: new Set(["max_tokens", "stop_sequence", "model_context_window_exceeded"]),
  declines: (word) => decodeFinish({ stop_reason: word }).unified === "content-filter",
  readResponse,
  readEvent,
  responseText: serveText,
  eventText,

  openByteFilter() {
    const matters = openMatters();
    const holdsIndex = openIndexFilter();
    const holdsFact = openBlockFilter();
    const holdsError = openErrorFilter();
    return (frame, start, end) =>
      isBlockEvent(frame, start)
        ? holdsError(frame, start, end) || (isBlockStart(frame, start) && holdsFact(frame, start, end))
        : end - start <= STOP_FRAME_BYTES || !holdsIndex(frame, start, end) || matters(frame, start, end);
  },

  buckets(usage) {
    const tally = new UsageCounter();
    const reading = { ...readCounts(tally, usage), calls: reportedCalls(usage, CALL_FIELDS) };
    const iterations = asObjects(usage["iterations"]);
    if (iterations.length === 0) return reading;
    const read = readIterations(tally, reading.tokens, iterations);
    return { ...reading, ...read, hostile: tally.hostileIn(usage) };
  },
};

/**
 * Adds the iterations to the totals. Summaries of a long conversation and the words of an advisor are billed beside
 * them, by their own model: https://platform.claude.com/docs/en/build-with-claude/compaction,
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool. The others only split the totals. If a
 * fallback has served the response, the totals are its own except for the parts of the models before it:
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 */
function readIterations(
  tally: UsageCounter,
  totals: TokenUsage,
  iterations: readonly JsonObject[],
): Pick<MeteredUsage, "tokens" | "summaries" | "servedBy" | "additionalUsage"> {
  const summaries: TokenUsage[] = [];
  const additionalUsage: ModelTokens[] = [];
  const parts: Part[] = [];
  let servedBy: string | undefined;
  for (const iteration of iterations) {
    const type = asText(iteration["type"]);
    const model = readModelName(iteration["model"]);
    const isNamed = (iteration["model"] ?? undefined) !== undefined;
    if (type === "compaction" && !isNamed) summaries.push(readCounts(tally, iteration).tokens);
    else if (type === "compaction" || type === "advisor_message")
      additionalUsage.push({
        model,
        tokens: readCounts(tally, iteration).tokens,
        isBeside: true,
        callOf: type === "advisor_message" ? ADVISOR : undefined,
      });
    else if (type === "message" || type === "fallback_message")
      parts.push({ model, tokens: readCounts(new UsageCounter(), iteration).tokens, isNamed });
    if (type === "fallback_message") servedBy = model;
  }
  const isOwn = ({ model, isNamed }: Part): boolean => !isNamed || model === servedBy;
  const before = parts.filter((part) => !isOwn(part)).map(({ model, tokens }) => ({ model, tokens }));
  const isWhole = isSame(totals, sumTokens(parts.map(({ tokens }) => tokens)));
  const isSplit = servedBy !== undefined && before.length > 0 && isWhole;
  const own = isSplit ? parts.filter(isOwn).map(({ tokens }) => tokens) : [totals];
  const all = [...additionalUsage, ...(isSplit ? before : [])];
  return {
    tokens: sumTokens([...own, ...summaries]),
    summaries: summaries.length > 0 ? sumTokens(summaries) : undefined,
    servedBy,
    additionalUsage: all.length > 0 ? all : undefined,
  };
}

/** The name that price tables have for the tool whose calls are these iterations. */
export const ADVISOR = "advisor";

/** A part of the totals. */
interface Part extends ModelTokens {
  readonly isNamed: boolean;
}

function isSame(one: TokenUsage, other: TokenUsage): boolean {
  return TOKEN_BUCKETS.every((bucket) => (one[bucket] ?? 0) === (other[bucket] ?? 0));
}

function readCounts(tally: UsageCounter, usage: JsonObject): MeteredUsage {
  const details = asObject(usage["output_tokens_details"]);
  const written = tally.count(usage, "cache_creation_input_tokens");
  const input = {
    // Cached input is not part of `input_tokens` here (rule 1).
    inputUncached: tally.count(usage, "input_tokens"),
    cacheRead: tally.count(usage, "cache_read_input_tokens"),
    ...splitWrites(tally, written, asObject(usage["cache_creation"])),
  };
  const output = inclusiveOutput(tally, {
    input: undefined,
    output: tally.count(usage, "output_tokens"),
    reasoning: tally.count(details, "thinking_tokens"),
    total: undefined,
  });
  return metered(tally, input, output, usage);
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#usage-and-pricing, which OpenRouter has taken over. */
const CALL_FIELDS: readonly ReportedCallField[] = OPENROUTER_CALLS;

/** Reads usage off messages, plain and streamed. */
export const messagesUsage = usageReader(rules);

function readResponse(body: JsonObject, state: StreamState): void {
  if (statesError(body)) state.error = decodeStatedError(body);
  recordId(state, body["id"]);
  state.output = asObjects(body["content"]).some(holdsWords);
  state.failed = !Array.isArray(body["content"] ?? []);
  if (!state.failed && !isContent(body["content"])) recordUnexpectedFormat(state);
  state.finish = asName(body["stop_reason"]);
  recordModel(state, body["model"]);
  recordContainer(state, body);
  for (const block of asObjects(body["content"])) recordBlock(state, block);
  recordServiceTerms(state, asObject(body["usage"]));
  recordUsage(state, asObject(body["usage"]));
}

function readEvent(event: JsonObject, state: StreamState, name: string): void {
  const type = asText(event["type"]) || name;
  if (type === "ping") return;
  if (type === "error" || statesError(event)) {
    // Clients raise what the event's own line calls an error.
    recordError(state, decodeStatedError(event), name === "error");
    return;
  }
  state.started = true;
  if (!isEvent(event)) recordUnexpectedFormat(state);
  if (type === "message_start") {
    const message = asObject(event["message"]) ?? {};
    recordId(state, message["id"]);
    state.output ||= asObjects(message["content"]).some(holdsWords);
    recordModel(state, message["model"]);
    recordContainer(state, message);
    recordServiceTerms(state, asObject(message["usage"]));
    recordUsage(state, withoutOutput(asUsage(message["usage"])));
  } else if (type === "message_delta") {
    const delta = asObject(event["delta"]) ?? {};
    state.finish = asName(delta["stop_reason"]) ?? state.finish;
    recordContainer(state, delta);
    recordUsage(state, beyondStart(state.usage, asUsage(event["usage"])));
  } else if (type === "message_stop") {
    state.finished = true;
  } else if (type === "content_block_start") {
    const block = asObject(event["content_block"]);
    state.output ||= block !== undefined && holdsWords(block);
    recordBlock(state, block);
  } else if (type === "content_block_delta") {
    state.output ||= holdsMore(asObject(event["delta"]) ?? {});
  }
}

/** `message_delta` repeats none of them: https://platform.claude.com/docs/en/api/service-tiers */
function recordServiceTerms(state: StreamState, usage: JsonObject | undefined): void {
  recordServiceTerm(state, "tier", usage?.["service_tier"]);
  recordServiceTerm(state, "speed", usage?.["speed"]);
  recordServiceTerm(state, "region", usage?.["inference_geo"]);
}

/** True if a block holds anything: texts and thoughts are announced empty, all else comes with what it is. */
function holdsWords(block: JsonObject): boolean {
  return !ANNOUNCED.has(asText(block["type"])) || holdsMore(block);
}

function holdsMore(holder: JsonObject): boolean {
  for (const field in holder) {
    const value = holder[field];
    if (field !== "type" && value !== "" && value !== null && !isEmptyList(value)) return true;
  }
  return false;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const ANNOUNCED: ReadonlySet<string> = new Set(["text", "thinking"]);

/** Records the container in which the vendor ran code, because later requests can continue in it. */
function recordContainer(state: StreamState, holder: JsonObject): void {
  const id = asObject(holder["container"])?.["id"];
  recordIssuedId(state, "separately", id);
  recordCall(state, "code_execution", id);
}

/** Records the facts of a block beside its words: results of a tool of the vendor's, and a change to another model. */
function recordBlock(state: StreamState, block: JsonObject | undefined): void {
  recordFiles(state, block);
  // BetaFallbackBlock of the SDK: the response's own `model` may still be the one that declined.
  if (block?.["type"] === "fallback") recordModel(state, asObject(block["to"])?.["model"]);
  // A search that failed is not billed.
  if (block?.["type"] !== "web_search_tool_result" || !Array.isArray(block["content"])) return;
  recordCall(state, "web_search", block["tool_use_id"]);
}

/** Files that the code left: https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool */
function recordFiles(state: StreamState, block: JsonObject | undefined): void {
  const result = asObject(block?.["content"]);
  if (result === undefined) return;
  for (const output of asObjects(result["content"])) recordIssuedId(state, "separately", output["file_id"]);
}

/**
 * The counts that the end of a stream adds to its start. Some vendors learn only at the end how much was read from a
 * cache: the input stated at the start is then the whole, and if the end does not state it again, it still contains the
 * cached tokens. Others state nothing but the output at the end: a missing input is then no statement of it.
 */
export function beyondStart(
  before: JsonObject | undefined,
  stated: JsonObject | undefined,
): JsonObject | undefined {
  if (before === undefined || stated === undefined) return stated;
  if (inputIn(stated) === 0 && inputIn(before) > 0) return { ...stated, ...NO_INPUT };
  const whole = before["input_tokens"];
  if (typeof whole !== "number" || typeof stated["input_tokens"] === "number") return stated;
  if (CACHE_COUNTS.some((field) => typeof before[field] === "number")) return stated;
  const cached = CACHE_COUNTS.reduce((sum, field) => sum + (readCount(stated[field]) ?? 0), 0);
  return cached === 0 ? stated : { ...stated, input_tokens: Math.max(0, whole - cached) };
}

function inputIn(usage: JsonObject): number {
  return ["input_tokens", ...CACHE_COUNTS].reduce((sum, field) => sum + (readCount(usage[field]) ?? 0), 0);
}

const NO_INPUT = { input_tokens: null, cache_read_input_tokens: null, cache_creation_input_tokens: null };

const CACHE_COUNTS = ["cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/** Before anything is written the output count is a placeholder of a few tokens, not what was produced. */
export function withoutOutput(usage: JsonObject | undefined): JsonObject | undefined {
  return usage === undefined ? undefined : { ...usage, output_tokens: null };
}

function serveText(body: JsonObject, text: TextSink): void {
  for (const block of asObjects(body["content"])) {
    text.visible(block["text"]);
    readThought(block, text);
    if (!isCall(block)) continue;
    text.visible(block["name"]);
    text.visible(writeExact(block["input"] ?? {}));
  }
}

/** Reads the reasoning of a block or of a piece of one. */
function readThought(holder: JsonObject | undefined, text: TextSink): void {
  text.reasoning(holder?.["thinking"]);
  text.state(holder?.["signature"]);
  if (holder?.["type"] === "redacted_thinking") text.hidden(holder["data"]);
}

/** A call that the model has written, of the caller's tools or of the vendor's. */
function isCall(block: JsonObject | undefined): boolean {
  return CALLS.has(asText(block?.["type"]));
}

const CALLS: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

function eventText(event: JsonObject, text: TextSink, name: string): void {
  const type = asText(event["type"]) || name;
  if (type === "content_block_start") {
    const block = asObject(event["content_block"]);
    if (isCall(block)) text.visible(block?.["name"]);
    text.visible(block?.["text"]);
    readThought(block, text);
  } else if (type === "content_block_delta") {
    const delta = asObject(event["delta"]);
    text.visible(delta?.["text"]);
    text.visible(delta?.["partial_json"]);
    readThought(delta, text);
  }
}

const openMatters = keyFilter("usage", ...ERROR_WORDS);
const openErrorFilter = keyFilter(...ERROR_WORDS);
const openBlockFilter = keyFilter("file_id", "tool_use_id", "to");

/** A frame without the key is no piece of a response, and may be a bare error. */
const openIndexFilter = keyFilter("index");

/** `event: content_block_...`: nearly every frame, told by the first letter of its name. */
function isBlockEvent(frame: Buffer, start: number): boolean {
  return frame[start] === LETTER_E && frame[start + EVENT_PREFIX_BYTES] === LETTER_C;
}

/** `event: content_block_start`, of which a stream has a few. */
function isBlockStart(frame: Buffer, start: number): boolean {
  return frame[start + BLOCK_PREFIX_BYTES] === LETTER_A;
}

const LETTER_A = 0x61;
const LETTER_C = 0x63;
const LETTER_E = 0x65;
const EVENT_PREFIX_BYTES = "event: ".length;
const BLOCK_PREFIX_BYTES = "event: content_block_st".length;

/** `message_stop` and `ping`, with or without their event line; longer frames hold one of the keys. */
const STOP_FRAME_BYTES = 96;
