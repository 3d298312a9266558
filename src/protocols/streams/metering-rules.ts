import { hash } from "node:crypto";
import { isAsDeclared } from "../../conversation/media.ts";
import type { MediaPart } from "../../conversation/request.ts";
import { readServiceWord, type ServiceDimension, type ServiceTerms } from "../../usage/service-terms.ts";
import type { MeteredUsage } from "../../usage/usage.ts";
import type { UpstreamError } from "../errors/upstream-error-policy.ts";
import { asName, type JsonObject, readModelName } from "../json.ts";
import type { OutputText, ResponseSummary } from "../protocol.ts";
import { UNEXPECTED_FORMAT } from "../response-form.ts";
import type { ByteFilter } from "./byte-filter.ts";
import { countedCalls } from "./call-counts.ts";
import { latestCounts } from "./latest-counts.ts";
import type { TextSink } from "./output-text.ts";

/** The rules by which a protocol's responses are metered; `usage-reader.ts` does the rest for all protocols. */
export interface MeteringRules {
  /** Reads a whole plain response. */
  readResponse(body: JsonObject, state: StreamState): void;
  /** Reads one event of a stream; `name` is its `event:` line, often "". */
  readEvent(event: JsonObject, state: StreamState, name: string): void;
  /**
   * A cheap look at a frame's bytes: false only where the frame cannot hold usage, a finish, a terminal
   * event or an error. Opened once a stream, because it may remember what it found.
   */
  openByteFilter(): ByteFilter;
  /** Gathers the generated text of a plain response. */
  responseText(body: JsonObject, text: TextSink): void;
  /** Gathers the generated text of one event. */
  eventText(event: JsonObject, text: TextSink, name: string): void;
  /** The vendor's usage object in disjoint buckets. */
  buckets(usage: JsonObject): MeteredUsage;
  /** The runs that the vendor bills, where the whole response decides under which tool it does; absent = as noted. */
  readonly billedCalls?: ((noted: ToolRuns) => ToolRuns) | undefined;
  /** Finish words that mean the caller's own stop sequence or limit. */
  readonly callerFinishes: ReadonlySet<string>;
  /** True if a finish says that the vendor declines to answer. */
  declines(finish: string): boolean;
  /** A finish is no terminal event: usage follows it, and where a server states it too early, the response itself. */
  readonly openEnded?: true | undefined;
  /** Vendors answer in forms of their own, too many to know, which are passed on as they are. */
  readonly anyForm?: true | undefined;
  /** Data that is a terminal event without being JSON (`[DONE]`). */
  readonly doneWord?: string | undefined;
}

/** Tools that a vendor ran, with a key of each run. */
export type ToolRuns = ReadonlyMap<string, ReadonlySet<string>>;

/** State of a response as far as it has been read. */
export interface StreamState {
  started: boolean;
  finished: boolean;
  output: boolean;
  finish: string | undefined;
  id: string | undefined;
  issued: { readonly withResponse: string[]; readonly separately: string[] } | undefined;
  issuedLetters: number;
  error: UpstreamError | undefined;
  /** The error stands in the event that this protocol's own clients raise. */
  errorInForm: boolean;
  failed: boolean;
  declined: boolean;
  notAnImage: boolean;
  /** A call has come whose name has not, and none with one: it may follow, else there is nothing that anyone can run. */
  unnamed: boolean;
  /** A call with a name has come. */
  named: boolean;
  usage: JsonObject | undefined;
  served: ServiceTerms | undefined;
  model: string | undefined;
  /** Tools that the vendor ran, with a key of each run. */
  calls: Map<string, Set<string>> | undefined;
  opening: JsonObject | undefined;
  /** Responses that were asked for, and which of them have finished. */
  readonly responses: number;
  readonly finishedResponses: Set<unknown>;
  /** Those among several that have begun: fewer may come than were asked for. */
  readonly begunResponses: Set<unknown>;
  /** How often each has stated a finish that is unspecified. */
  readonly unspecifiedFinishes: Map<unknown, number>;
}

export function emptyStreamState(responses: number): StreamState {
  return {
    started: false,
    finished: false,
    output: false,
    finish: undefined,
    id: undefined,
    issued: undefined,
    issuedLetters: 0,
    error: undefined,
    errorInForm: false,
    failed: false,
    declined: false,
    notAnImage: false,
    unnamed: false,
    named: false,
    usage: undefined,
    served: undefined,
    model: undefined,
    calls: undefined,
    opening: undefined,
    responses,
    finishedResponses: new Set(),
    begunResponses: new Set(),
    unspecifiedFinishes: new Map(),
  };
}

export function recordUsage(state: StreamState, usage: JsonObject | undefined): void {
  if (usage !== undefined) state.usage = latestCounts(state.usage, usage);
}

/** Notes how the vendor served the request, if it says so here; the last word counts. */
export function recordServiceTerm(state: StreamState, dimension: ServiceDimension, value: unknown): void {
  const word = readServiceWord(value);
  if (word !== undefined) state.served = { ...state.served, [dimension]: word };
}

/** Notes the model that served the request, if its name stands here. */
export function recordModel(state: StreamState, name: unknown): void {
  if (typeof name === "string" && name !== "") state.model = readModelName(name);
}

/** Notes the id of the response where it first stands; one that is longer than any vendor's is none. */
export function recordId(state: StreamState, id: unknown): void {
  if (typeof id === "string" && id !== "" && id.length <= MAX_ID_CHARS) state.id ??= id;
}

const MAX_ID_CHARS = 500;

/** Notes the first error of a stream; `inForm`: its own clients raise it where it stands. */
export function recordError(state: StreamState, error: UpstreamError, inForm: boolean): void {
  if (state.error !== undefined) return;
  state.error = error;
  state.errorInForm = inForm;
}

/** Notes an id by which a later request can name what the vendor keeps; whatever is no name is none. */
export function recordIssuedId(
  state: StreamState,
  kept: "withResponse" | "separately",
  value: unknown,
): void {
  const id = asName(value);
  if (id === undefined) return;
  state.issued ??= { withResponse: [], separately: [] };
  const ids = state.issued[kept];
  state.issuedLetters += id.length;
  if (ids.length < MAX_ISSUED && state.issuedLetters <= MAX_ISSUED_LETTERS) ids.push(id);
}

/** Far above the number of items in any response. */
const MAX_ISSUED = 1_000;
const MAX_ISSUED_LETTERS = 256 * 1024;

/** Notes a response, or an event of one, whose words are none or whose call has no name. */
export function recordUnexpectedFormat(state: StreamState): void {
  recordError(state, UNEXPECTED_FORMAT, false);
}

/** Notes whether the media of a plain response are what they are called. */
export function recordMedia(state: StreamState, media: readonly MediaPart[]): void {
  state.notAnImage ||= !media.every(isAsDeclared);
}

/** Notes that a tool ran: once for each key, however often it is told. */
export function recordCall(state: StreamState, tool: string, key: unknown): void {
  if (typeof key !== "string" || key === "") return;
  state.calls ??= new Map();
  const keys = state.calls.get(tool) ?? new Set();
  if (keys.size < MAX_CALLS) keys.add(key.length <= MAX_KEY_LETTERS ? key : hash("sha256", key));
  state.calls.set(tool, keys);
}

/** Far above what vendors run for one request. */
const MAX_CALLS = 2_000;
/** Ids and most queries are shorter. Of longer keys it counts only whether they differ, so that no text is kept. */
const MAX_KEY_LETTERS = 100;

/** One of the asked answers has begun. No more are kept than were asked for, whatever indexes a vendor states. */
export function recordStart({ begunResponses, responses }: StreamState, index: unknown): void {
  if (begunResponses.size < responses) begunResponses.add(index);
}

/** One of the asked answers has ended; all of them have when as many differ in index. */
export function recordFinish(state: StreamState, word: string, index: unknown): void {
  state.finish = asName(word) ?? "unnamed";
  if (state.finishedResponses.size < state.responses) state.finishedResponses.add(index);
  if (state.finishedResponses.size >= state.responses) state.finished = true;
}

/** An event states that the finish of a response is unspecified. */
export function recordUnspecifiedFinish(
  { unspecifiedFinishes, responses }: StreamState,
  index: unknown,
): void {
  if (unspecifiedFinishes.size >= responses && !unspecifiedFinishes.has(index)) return;
  unspecifiedFinishes.set(index, (unspecifiedFinishes.get(index) ?? 0) + 1);
}

/**
 * True if a response that stated an unspecified finish so often, and no other, has ended when its stream has: servers that
 * fill in every field state it in each event.
 */
export function isUnspecifiedEnd(times: number): boolean {
  return times === 1;
}

/** At the end of the stream: each response that has begun has finished, and there is one. */
export function finishAtEnd(state: StreamState): void {
  const { begunResponses, finishedResponses, unspecifiedFinishes } = state;
  const hasFinished = (index: unknown): boolean =>
    finishedResponses.has(index) || isUnspecifiedEnd(unspecifiedFinishes.get(index) ?? 0);
  const all = [...begunResponses, ...finishedResponses];
  if (all.length > 0 && all.every(hasFinished)) state.finished = true;
}

/** Summarizes the state. */
export function summaryOf(
  rules: MeteringRules,
  state: StreamState,
  outputText: () => OutputText,
): ResponseSummary {
  const usage = state.usage === undefined ? undefined : rules.buckets(state.usage);
  return {
    usage,
    calls: countedCalls(usage?.calls, state.calls && (rules.billedCalls?.(state.calls) ?? state.calls)),
    units: usage?.units,
    hasOutput: state.output,
    finish: state.finish,
    finishedByCaller: state.finish !== undefined && rules.callerFinishes.has(state.finish),
    declined: state.declined || (state.finish !== undefined && rules.declines(state.finish)),
    id: state.id,
    issued: state.issued,
    served: state.served,
    model: state.model,
    error: state.error ?? (state.unnamed && !state.output ? UNEXPECTED_FORMAT : undefined),
    failed: state.failed,
    notAnImage: state.notAnImage ? true : undefined,
    outputText,
  };
}
