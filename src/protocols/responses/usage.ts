import { type ModelTokens, totalInput, totalOutput } from "../../usage/usage.ts";
import { ERROR_WORDS, statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asObject, asObjects, asText, type JsonObject, readModelName } from "../json.ts";
import { keyFilter } from "../streams/byte-filter.ts";
import {
  ALIBABA_CALLS,
  OPENROUTER_CALLS,
  type ReportedCallField,
  reportedCalls,
  XAI_CALLS,
} from "../streams/call-counts.ts";
import { imageUsage } from "../streams/image-usage.ts";
import { asUsage } from "../streams/latest-counts.ts";
import {
  type MeteringRules,
  recordCall,
  recordError,
  recordFinish,
  recordId,
  recordIssuedId,
  recordMedia,
  recordModel,
  recordServiceTerm,
  recordUnexpectedFormat,
  recordUsage,
  type StreamState,
} from "../streams/metering-rules.ts";
import type { TextSink } from "../streams/output-text.ts";
import { inclusiveUsage, splitWrites, UsageCounter } from "../streams/usage-counts.ts";
import { usageReader } from "../streams/usage-reader.ts";
import { decodeImageCall } from "./decode-parts.ts";
import { decodeFinish } from "./finish.ts";
import { isEvent, isOutput, isUnnamed } from "./form.ts";
import { DEFAULT_IMAGE_MODEL } from "./forward.ts";

const rules: MeteringRules = {
  callerFinishes: new Set(["max_output_tokens"]),
  declines: (reason) => decodeFinish({ incomplete_details: { reason } }).unified === "content-filter",
  readResponse: readBody,
  readEvent,
  responseText: serveText,
  eventText,

  // Every event about the whole response carries it; deltas, which are nearly all, do not.
  openByteFilter() {
    const matters = openMatters();
    const holdsType = openTypeFilter();
    return (frame, start, end) => !holdsType(frame, start, end) || matters(frame, start, end);
  },

  buckets(usage) {
    const tally = new UsageCounter();
    const inputDetails = asObject(usage["input_tokens_details"]) ?? asObject(usage["prompt_tokens_details"]);
    const outputDetails =
      asObject(usage["output_tokens_details"]) ?? asObject(usage["completion_tokens_details"]);
    const input = tally.count(usage, "input_tokens") ?? tally.count(usage, "prompt_tokens");
    const cache = {
      cacheRead: tally.filled(inputDetails, READ),
      ...splitWrites(
        tally,
        tally.filled(inputDetails, WRITTEN),
        asObject(inputDetails?.["cache_write_tokens_details"]),
      ),
    };
    const reading = inclusiveUsage(tally, usage, {
      input,
      inputDetails,
      cache,
      output: tally.count(usage, "output_tokens") ?? tally.count(usage, "completion_tokens"),
      outputDetails,
      calls: reportedCalls(usage, CALL_FIELDS),
    });
    const image = imageTool(asObject(usage["tool_usage"]));
    return image === undefined ? reading : { ...reading, additionalUsage: [image] };
  },
};

/** Images are made by a model of their own, whose tokens stand beside those of the response. */
function imageTool(tools: JsonObject | undefined): ModelTokens | undefined {
  const usage = asObject(tools?.["image_gen"]);
  if (usage === undefined) return undefined;
  const { tokens } = imageUsage(usage);
  if (totalInput(tokens) + totalOutput(tokens) === 0) return undefined;
  return { model: readModelName(usage["model"]), tokens, isBeside: true, tool: "image_generation" };
}

/**
 * The fields in which vendors count tokens that were read from their caches, and those that were written: OpenAI,
 * Perplexity.
 */
const READ = ["cached_tokens", "cache_read_input_tokens"];
const WRITTEN = ["cache_write_tokens", "cache_creation_input_tokens"];

const CALL_FIELDS: readonly ReportedCallField[] = [
  // https://developers.openai.com/api/reference/resources/responses: beside `usage`, which it is joined with here.
  { at: ["tool_usage", "web_search", "num_requests"], tool: "web_search" },
  ...OPENROUTER_CALLS,
  ...ALIBABA_CALLS,
  // Perplexity's: https://docs.perplexity.ai/api-reference/responses-post
  { at: ["tool_calls_details", "web_search", "invocation"], tool: "web_search" },
  ...XAI_CALLS,
];

/** Reads usage off responses, plain and streamed. */
export const responsesUsage = usageReader(rules);

function readBody(body: JsonObject, state: StreamState): void {
  if (statesError(body)) state.error = decodeStatedError(body);
  // The response inside of an event may lack it.
  if (!Array.isArray(body["output"])) recordUnexpectedFormat(state);
  recordModel(state, body["model"]);
  readResponse(body, state);
  recordMedia(
    state,
    asObjects(body["output"]).flatMap((item) => decodeImageCall(item) ?? []),
  );
}

function readEvent(event: JsonObject, state: StreamState, name: string): void {
  const type = asText(event["type"]) || name;
  const response = asObject(event["response"]);
  if (type === "error" || statesError(event)) {
    recordError(state, decodeStatedError(event), type === "error");
    return;
  }
  // Another protocol's chunk, or a sign of life. Some servers name the kind of an event in `object`.
  if (![type, asText(event["object"])].some((word) => word.startsWith("response."))) return;
  state.started = true;
  if (!isEvent(type, event)) recordUnexpectedFormat(state);
  recordNames(type, asObject(event["item"]), state);
  // A piece of a call is something once the call has a name.
  state.output ||= holdsOutput(type, event) && (state.named || !CALLS.test(type));
  const item = type === "response.output_item.done" ? asObject(event["item"]) : undefined;
  if (item !== undefined) recordCalls(item, state);
  if (response === undefined) return;
  state.opening ??= response;
  recordModel(state, response["model"]);
  if (!TERMINAL_EVENTS.has(type)) {
    recordId(state, response["id"]);
    return;
  }
  readResponse(response, state);
  if (type === "response.failed") recordError(state, decodeStatedError(response), true);
  state.failed ||= type === "response.cancelled";
}

function recordNames(type: string, item: JsonObject | undefined, state: StreamState): void {
  if (CALLS.test(type)) state.unnamed = true;
  if (item === undefined) return;
  if (isUnnamed(item)) state.unnamed = true;
  else if (asText(item["name"]) !== "") state.named = true;
}

/**
 * True if an event brings any of the response. Responses, items and their parts are announced before there is anything of
 * them; the vendor's own tools are at work from the announcement on.
 */
function holdsOutput(type: string, event: JsonObject): boolean {
  if (ANNOUNCEMENTS.has(type) || TERMINAL_EVENTS.has(type)) return false;
  const item = asObject(event["item"]);
  if (item !== undefined) {
    const isThought = item["type"] === "reasoning" && type === "response.output_item.added";
    return !isThought && isFilledItem(item);
  }
  const part = asObject(event["part"]);
  if (part !== undefined) return isFilledPart(part);
  const piece = PIECES.map((field) => event[field]).find((value) => typeof value === "string");
  return piece !== "";
}

/** True if anything is in an item: messages and thoughts may be empty, a call of any tool is never. */
function isFilledItem(item: JsonObject): boolean {
  const parts = [...asObjects(item["content"]), ...asObjects(item["summary"])];
  if (item["type"] === "message") return parts.some(isFilledPart);
  if (item["type"] !== "reasoning") return !isUnnamed(item);
  return parts.some(isFilledPart) || asText(item["encrypted_content"]) !== "";
}

function isFilledPart(part: JsonObject): boolean {
  return (part["text"] ?? part["refusal"]) !== "";
}

function readResponse(response: JsonObject, state: StreamState): void {
  recordId(state, response["id"]);
  if (!isOutput(response["output"] ?? [])) recordUnexpectedFormat(state);
  state.output ||= asObjects(response["output"]).some(isFilledItem);
  state.failed ||= FAILED.has(asText(response["status"]));
  for (const item of asObjects(response["output"])) {
    readIds(item, state);
    recordCalls(item, state);
  }
  recordServiceTerm(state, "tier", response["service_tier"]);
  const usage = asUsage(response["usage"]);
  const tools = toolUsage(response);
  recordUsage(state, usage === undefined || tools === undefined ? usage : { ...usage, tool_usage: tools });
  const reason = asText(asObject(response["incomplete_details"])?.["reason"]);
  const finish = reason || asText(response["status"]);
  if (finish !== "") recordFinish(state, finish, 0);
}

/**
 * The usage of the response's tools; for the model that makes images, which stands only in its definition, also its
 * name.
 */
function toolUsage(response: JsonObject): JsonObject | undefined {
  const tools = asUsage(response["tool_usage"]);
  const images = asObject(tools?.["image_gen"]);
  if (images === undefined) return tools;
  return { ...tools, image_gen: { ...images, model: imageModelOf(response) ?? DEFAULT_IMAGE_MODEL } };
}

function imageModelOf(response: JsonObject): unknown {
  return asObjects(response["tools"]).find(({ type }) => type === "image_generation")?.["model"];
}

/** Calls that vendors bill; of a search its pages are opened for nothing. */
function recordCalls(item: JsonObject, state: StreamState): void {
  const type = asText(item["type"]);
  const action = asText(asObject(item["action"])?.["type"]);
  if (item["status"] === "failed") return;
  if (type === "web_search_call" && (action === "search" || action === ""))
    recordCall(state, "web_search", item["id"]);
  const tool = Object.hasOwn(CALL_ITEMS, type) ? CALL_ITEMS[type] : undefined;
  if (tool !== undefined) recordCall(state, tool, item["id"]);
  const container = item["container_id"] ?? asObject(item["environment"])?.["container_id"];
  recordCall(state, "code_container", container);
}

/** https://developers.openai.com/api/docs/pricing#built-in-tools */
const CALL_ITEMS: Readonly<Record<string, string>> = {
  file_search_call: "file_search",
  image_generation_call: "image_generation",
  x_search_call: "x_search",
};

function readIds(item: JsonObject, state: StreamState): void {
  recordIssuedId(state, "withResponse", item["id"]);
  recordIssuedId(state, "separately", item["container_id"]);
  recordIssuedId(state, "separately", asObject(item["environment"])?.["container_id"]);
  for (const part of asObjects(item["content"])) {
    for (const { type, container_id, file_id } of asObjects(part["annotations"])) {
      if (type !== "container_file_citation") continue;
      recordIssuedId(state, "separately", container_id);
      recordIssuedId(state, "separately", file_id);
    }
  }
}

function serveText(body: JsonObject, text: TextSink): void {
  text.imageModel(imageModelOf(body));
  for (const item of asObjects(body["output"])) {
    readWords(item, text);
    for (const field of ["name", "arguments", "input", "code"]) text.visible(item[field]);
    readHidden(item, text);
  }
}

/** The words of an item: those of a message, or of thoughts. */
function readWords(item: JsonObject, text: TextSink): void {
  const isThought = item["type"] === "reasoning";
  for (const part of [...asObjects(item["content"]), ...asObjects(item["summary"])]) {
    if (isThought) text.reasoning(part["text"]);
    else text.visible(part["text"] ?? part["refusal"]);
  }
}

/**
 * Reads the parts of an item that are no words: encrypted reasoning, which includes a summary of a conversation, and
 * images.
 */
function readHidden(item: JsonObject, text: TextSink): void {
  if (item["type"] === "reasoning") text.state(item["encrypted_content"]);
  else text.hidden(item["encrypted_content"]);
  if (decodeImageCall(item) !== undefined) text.toolImage();
}

function eventText(event: JsonObject, text: TextSink, name: string): void {
  const type = asText(event["type"]) || name;
  if (type.startsWith("response.reasoning") && type.endsWith(".delta")) text.reasoning(event["delta"]);
  else if (type.endsWith(".delta")) text.visible(event["delta"]);
  else if (type === "response.output_item.added") text.visible(asObject(event["item"])?.["name"]);
  else if (type === "response.output_item.done") readDone(asObject(event["item"]) ?? {}, text);
  else if (ANNOUNCEMENTS.has(type)) text.imageModel(imageModelOf(asObject(event["response"]) ?? {}));
}

/** The whole of an item, which may have come in pieces: its words count where no piece of any did. */
function readDone(item: JsonObject, text: TextSink): void {
  const { visible, reasoning } = text.text();
  if ((item["type"] === "reasoning" ? reasoning : visible) === "") readWords(item, text);
  readHidden(item, text);
}

/** The events that bring pieces of a call. */
const CALLS = /^response\.(?:function_call_arguments|custom_tool_call_input)\./;

const TERMINAL_EVENTS = new Set([
  "response.completed",
  "response.done",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
]);

/** A response that failed, or that would come later, for which nobody has asked. */
const FAILED: ReadonlySet<string> = new Set(["failed", "cancelled", "queued", "in_progress"]);

const ANNOUNCEMENTS: ReadonlySet<string> = new Set([
  "response.created",
  "response.in_progress",
  "response.queued",
]);

/** The fields of events that have a piece of the response, or the whole of a text that came in pieces. */
const PIECES = ["delta", "text", "refusal", "arguments", "input", "code"];

const openMatters = keyFilter("response", "item", ...ERROR_WORDS);

/** A frame without the key is no event of a response, and may be a bare error. */
const openTypeFilter = keyFilter("type");
