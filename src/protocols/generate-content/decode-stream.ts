import { type BlockState, noBlocks, writeBlocks } from "../../conversation/adapt/blocks.ts";
import type { StreamTransform } from "../../conversation/adapt/stream-transform.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import type { ChatResponse, Finish } from "../../conversation/response.ts";
import { statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asIndex, asName, asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { latestCounts } from "../streams/latest-counts.ts";
import { isUnspecifiedEnd } from "../streams/metering-rules.ts";
import type { StreamEvent } from "../streams/stream-event.ts";
import { blankCandidate, type CandidateState, closeCandidate, readCandidate } from "./decode-candidate.ts";
import { finishWord, responseWord } from "./enums.ts";
import { decodeBlock, decodeFinish } from "./finish.ts";
import { camelResponse } from "./spelling.ts";
import { generateContentUsage } from "./usage.ts";

/**
 * Reads a stream whose every event is a response in small. No event is the last one: several may state a
 * finish, and calls may follow it, so that finishes are told when the stream ends (rules 9 and 10).
 */
export const decodeStream: StreamTransform<ResponsePlan, DecodeState, StreamEvent, ChatEvent> = {
  initial: (plan) => ({
    plan,
    phase: "opening",
    blocks: noBlocks(),
    candidates: new Map(),
    block: undefined,
    usage: undefined,
  }),

  step(state, { name, exact }) {
    const chunk = asObject(exact);
    return chunk === undefined ? [state, []] : readChunk(state, chunk, name);
  },

  end: (state) => (state.phase === "over" ? [] : ending(state)),
};

export interface DecodeState {
  readonly plan: ResponsePlan;
  /** `opening`: nothing was told yet; `over`: nothing more is. */
  readonly phase: "opening" | "open" | "over";
  readonly blocks: BlockState;
  /** The candidates by index. */
  readonly candidates: Map<number, CandidateState>;
  /** The prompt was refused. */
  readonly block: Finish | undefined;
  readonly usage: JsonObject | undefined;
}

/** Reads one event of this name, or a whole plain response, which has the same form. */
export function readChunk(
  state: DecodeState,
  stated: JsonObject,
  name = "",
): readonly [DecodeState, readonly ChatEvent[]] {
  if (state.phase === "over") return [state, []];
  const chunk = camelResponse(stated);
  if (name === "error" || statesError(chunk)) {
    return [{ ...state, phase: "over" }, [{ type: "error", error: decodeStatedError(chunk) }]];
  }
  const blocks = writeBlocks(state.blocks);
  if (state.phase === "opening") blocks.emit({ type: "response-start", ...decodeHead(chunk) });
  const { candidates } = state;
  for (const wire of asObjects(chunk["candidates"])) {
    const index = asIndex(wire["index"]);
    const before = candidates.get(index);
    if (before === undefined && candidates.size >= MAX_CANDIDATES) continue;
    const after = readCandidate(
      before ?? blankCandidate(index),
      wire,
      finishWord(chunk, wire),
      blocks,
      state.plan,
    );
    candidates.set(index, after);
  }
  const usage = usageIn(state.usage, chunk);
  const block = blockIn(chunk) ?? state.block;
  const { plan } = state;
  const phase = blocks.events.at(-1)?.type === "error" ? "over" : "open";
  return [{ plan, phase, blocks: blocks.state, candidates, block, usage }, blocks.events];
}

/** Everything closed and each candidate's finish; a stream that states none has failed (rule 19). */
export function ending(state: DecodeState): readonly ChatEvent[] {
  const { block, plan } = state;
  const candidates = [...state.candidates.values()].map(finished);
  const isUnfinished = candidates.some(({ finish }) => finish === undefined);
  if (block === undefined && (candidates.length === 0 || isUnfinished)) {
    return [failure("The upstream's stream ended early.")];
  }
  const blocks = writeBlocks(state.blocks);
  const finishes: ChatEvent[] = [];
  for (const candidate of candidates) {
    const { index, finish, message } = closeCandidate(candidate, blocks, plan);
    const finishReason = finish === undefined ? block : decodeFinish(finish, message);
    if (finishReason === undefined) {
      return [...blocks.events, failure(message || `The upstream's model failed: ${finish ?? ""}.`, finish)];
    }
    finishes.push({ type: "finish", choice: index, finish: finishReason });
  }
  if (block !== undefined && finishes.length === 0)
    finishes.push({ type: "finish", choice: 0, finish: block });
  if (state.usage !== undefined) {
    blocks.emit({ type: "usage", usage: generateContentUsage.buckets(state.usage) });
  }
  return [...blocks.events, ...finishes];
}

/** A candidate at the end of its stream. */
function finished(candidate: CandidateState): CandidateState {
  if (candidate.finish !== undefined || !isUnspecifiedEnd(candidate.unspecified)) return candidate;
  return { ...candidate, finish: "" };
}

function decodeHead(chunk: JsonObject): Pick<ChatResponse, "id" | "model" | "created"> {
  const created = Math.floor(Date.parse(asText(chunk["createTime"])) / 1000);
  return {
    id: asName(chunk["responseId"]),
    model: asName(chunk["modelVersion"]),
    created: Number.isNaN(created) ? undefined : created,
  };
}

function blockIn(chunk: JsonObject): Finish | undefined {
  const feedback = asObject(chunk["promptFeedback"]);
  const reason = responseWord("blockReason", feedback?.["blockReason"]);
  return reason === ""
    ? undefined
    : decodeBlock(reason, asText(feedback?.["blockReasonMessage"]).slice(0, MAX_MESSAGE_LETTERS));
}

/** Counts are of the whole response so far and stand in every chunk: they are told once, at the end. */
function usageIn(before: JsonObject | undefined, chunk: JsonObject): JsonObject | undefined {
  const stated = asObject(chunk["usageMetadata"]);
  return stated === undefined ? before : latestCounts(before, stated);
}

function failure(message: string, status = ""): ChatEvent {
  return { type: "error", error: decodeStatedError({ error: { message, status } }) };
}

/** Why a prompt was refused is told for each candidate that has not finished. */
const MAX_MESSAGE_LETTERS = 2_000;

/** No vendor gives more; a stream that invents them grows no state. */
const MAX_CANDIDATES = 128;
