import type { CallCount } from "../../usage/usage.ts";
import { ERROR_WORDS } from "../errors/error-body.ts";
import { asIndex, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { keyFilter } from "../streams/byte-filter.ts";
import {
  ALIBABA_CALLS,
  OPENROUTER_CALLS,
  type ReportedCallField,
  reportedCalls,
  XAI_CALLS,
} from "../streams/call-counts.ts";
import {
  type MeteringRules,
  recordError,
  recordFinish,
  recordId,
  recordIssuedId,
  recordMedia,
  recordModel,
  recordServiceTerm,
  recordStart,
  recordUnexpectedFormat,
  recordUsage,
  type StreamState,
} from "../streams/metering-rules.ts";
import type { TextSink } from "../streams/output-text.ts";
import { inclusiveUsage, splitWrites, UsageCounter } from "../streams/usage-counts.ts";
import { usageReader } from "../streams/usage-reader.ts";
import { readCall, wireCalls } from "./decode-calls.ts";
import { decodeImages, decodeRefusal, decodeText, holdsOutput, holdsWords } from "./decode-message.ts";
import { isTruncated, reportedFailure } from "./failure.ts";
import { decodeFinish, finishWord } from "./finish.ts";
import { isInForm, namesIn } from "./form.ts";
import { RUN_WORDS, recordResults, recordRuns } from "./hosted-runs.ts";
import { readThoughts } from "./reasoning.ts";

const rules: MeteringRules = {
  callerFinishes: new Set(["length"]),
  declines: (word) => decodeFinish(word).unified === "content-filter",
  openEnded: true,
  doneWord: "[DONE]",
  readResponse(body, state) {
    read(body, state, "");
    for (const choice of asObjects(body["choices"])) recordMedia(state, decodeImages(said(choice)));
    if (state.unnamed) recordUnexpectedFormat(state);
  },
  readEvent: read,
  responseText: readText,
  eventText: readText,

  openByteFilter() {
    const matters = openMatters();
    const holdsDelta = openDeltaLook();
    return (frame, start, end) =>
      frame[start] === LETTER_E || !holdsDelta(frame, start, end) || matters(frame, start, end);
  },

  buckets(usage) {
    const tally = new UsageCounter();
    const prompt = asObject(usage["prompt_tokens_details"]);
    const completion = asObject(usage["completion_tokens_details"]);
    const cited = tally.count(usage, "citation_tokens");
    // Perplexity's deep research states what it cites and its reasoning beside prompt and completion, and bills both:
    // https://docs.perplexity.ai/docs/getting-started/pricing
    const isBeside = cited !== undefined;
    const input = sumOf(tally.count(usage, "prompt_tokens"), cited);
    const written = tally.filled(usage, WRITTEN, tally.filled(prompt, WRITTEN_OF_PROMPT));
    const lifetimes =
      asObject(prompt?.["cache_creation"]) ??
      asObject(prompt?.["cache_creation_token_details"]) ??
      asObject(prompt?.["cache_write_tokens_details"]) ??
      asObject(usage["cache_creation"]);
    const cache = {
      cacheRead: tally.filled(usage, READ, tally.count(prompt, "cached_tokens")),
      // https://www.alibabacloud.com/help/en/model-studio/context-cache
      isExplicit: prompt?.["cache_type"] === "ephemeral",
      ...splitWrites(tally, written, lifetimes),
    };
    return inclusiveUsage(tally, usage, {
      input,
      inputDetails: prompt,
      cache,
      output: sumOf(
        tally.count(usage, "completion_tokens"),
        isBeside ? tally.count(usage, "reasoning_tokens") : undefined,
      ),
      outputDetails: isBeside ? usage : completion,
      // Mistral's: https://docs.mistral.ai/api
      heard: Number(usage["prompt_audio_seconds"]) > 0,
      calls: reportedCalls(usage, CALL_FIELDS) ?? searchOf(usage),
    });
  },
};

const CALL_FIELDS: readonly ReportedCallField[] = [
  ...OPENROUTER_CALLS,
  ...ALIBABA_CALLS,
  // https://www.alibabacloud.com/help/en/model-studio/web-search
  { at: ["plugins", "search", "count"], tool: "web_search" },
  // https://docs.perplexity.ai/docs/getting-started/pricing
  { at: ["num_search_queries"], tool: "web_search", size: "search_context_size" },
  ...XAI_CALLS,
];

/** Perplexity's models search once for each request, at a price by the size that they state. */
function searchOf(usage: JsonObject): CallCount[] | undefined {
  const size = asText(usage["search_context_size"]);
  return size === "" ? undefined : reportedCalls({ ...usage, searches: 1 }, [SEARCH]);
}

const SEARCH: ReportedCallField = { at: ["searches"], tool: "web_search", size: "search_context_size" };

/** Undefined where the first is. */
function sumOf(count: number | undefined, beside: number | undefined): number | undefined {
  return count === undefined || beside === undefined ? count : count + beside;
}

/** The fields in which vendors count tokens that were written to their caches, and those that were read. */
const WRITTEN_OF_PROMPT = ["cache_write_tokens", "cache_creation_input_tokens", "cache_creation_tokens"];
const WRITTEN = ["cache_creation_input_tokens"];
const READ = ["prompt_cache_hit_tokens", "cache_read_input_tokens", "num_cached_tokens", "cached_tokens"];

/** Reads usage off chat completions, plain and streamed. */
export const chatCompletionsUsage = usageReader(rules);

/** Answers and chunks differ only in the name of what they hold: `message` or `delta`. */
function read(body: JsonObject, state: StreamState, event: string): void {
  const failure = reportedFailure(body, event);
  if (failure === undefined) state.started = true;
  // Clients raise what stands in `error` at the top of a chunk, and nothing else.
  else recordError(state, failure, Boolean(body["error"]));
  recordId(state, body["id"]);
  recordServiceTerm(state, "tier", body["service_tier"]);
  recordModel(state, body["model"]);
  recordUsage(state, asObject(asObject(body["x_groq"])?.["usage"]));
  recordResults(state, body);
  for (const choice of asObjects(body["choices"])) {
    recordUsage(state, asObject(choice["usage"]));
    if (!isInForm(choice)) recordUnexpectedFormat(state);
    const message = said(choice);
    recordRuns(state, message, asIndex(choice["index"]));
    const calls = namesIn(message);
    state.named ||= calls.named;
    state.unnamed ||= calls.unnamed;
    // A piece of a call is something once the call has a name.
    state.output ||= holdsWords(message) || (state.named && holdsOutput(message));
    recordIssuedId(state, "separately", asObject(message["audio"])?.["id"]);
    const finish = finishWord(choice);
    const index = asIndex(choice["index"]);
    recordStart(state, index);
    if (finish !== "" && !isTruncated(finish)) recordFinish(state, finish, index);
  }
  recordUsage(state, asObject(body["usage"]));
}

function readText(body: JsonObject, text: TextSink): void {
  for (const choice of asObjects(body["choices"])) {
    const message = said(choice, text);
    text.visible(decodeText(message));
    text.visible(decodeRefusal(message));
    for (const image of decodeImages(message)) text.media(image);
    const sound = asText(asObject(message["audio"])?.["data"]);
    if (sound !== "") text.media({ media: "audio", source: { from: "base64", data: sound } });
    text.reasoning(readThoughts({ told: text.text().reasoning, details: [] }, message).thought);
    for (const detail of asObjects(message["reasoning_details"])) text.hidden(detail["data"]);
    for (const call of wireCalls(message)) {
      const { name, text: delta } = readCall(call);
      text.visible(name);
      text.visible(delta);
    }
  }
}

/** The message, or the delta of a chunk, beside which the whole message may stand: it counts where no piece did. */
function said(choice: JsonObject, text?: TextSink): JsonObject {
  const delta = asObject(choice["delta"]) ?? {};
  const inPieces = holdsOutput(delta) || ("delta" in choice && (text?.text().visible ?? "") !== "");
  return inPieces ? delta : (asObject(choice["message"]) ?? delta);
}

const openMatters = keyFilter("finish_reason", "usage", ...RUN_WORDS, ...ERROR_WORDS);

/** A frame without the key is no ordinary chunk: a bare error, or `[DONE]`, whatever fields stand beside it. */
const openDeltaLook = keyFilter("delta");

/** `event: ...`: ordinary chunks have no names. */
const LETTER_E = 0x65;
