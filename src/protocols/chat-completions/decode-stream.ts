import { writeExact } from "../../base/json/exact-json.ts";
import { type BlockState, type BlockWriter, noBlocks, writeBlocks } from "../../conversation/adapt/blocks.ts";
import type { StreamTransform } from "../../conversation/adapt/stream-transform.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import type { Citation } from "../../conversation/request.ts";
import type { Opaque } from "../../conversation/state/opaque.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asIndex, asObject, asObjects, type JsonObject } from "../json.ts";
import { UNEXPECTED_FORMAT } from "../response-form.ts";
import { latestCounts } from "../streams/latest-counts.ts";
import type { StreamEvent } from "../streams/stream-event.ts";
import { decodeAudio } from "./audio.ts";
import { type CallState, closeCalls, noCalls, readCalls } from "./decode-call-deltas.ts";
import { decodeCitations, decodeImages, decodeRefusal, decodeText, holdsOutput } from "./decode-message.ts";
import { decodeHead, MAX_CHOICES } from "./decode-response.ts";
import { reportedFailure } from "./failure.ts";
import { decodeFinish, finishWord } from "./finish.ts";
import { readThoughts, type ThoughtState } from "./reasoning.ts";
import { decodeSources, decodeVisited, joinSources, openSources } from "./sources.ts";
import { chatCompletionsUsage } from "./usage.ts";

/**
 * Reads a stream of chunks. Finishes are told when the stream ends, because usage, late calls and errors
 * may follow the chunk that states them.
 */
export const decodeStream: StreamTransform<ResponsePlan, DecodeState, StreamEvent, ChatEvent> = {
  initial: (plan) => ({
    plan,
    phase: "opening",
    blocks: noBlocks(),
    choices: new Map(),
    sources: [],
    usage: undefined,
  }),

  step(state, event) {
    if (state.phase === "over" || event.data === "") return [state, []];
    if (event.data.trim() === "[DONE]") return [{ ...state, phase: "over" }, ending(state, true)];
    const chunk = asObject(event.exact);
    if (chunk === undefined) return [state, []];
    const error = reportedFailure(chunk, event.name);
    if (error !== undefined) return [{ ...state, phase: "over" }, [{ type: "error", error }]];
    return readChunk(state, chunk);
  },

  end: (state) => (state.phase === "over" ? [] : ending(state, false)),
};

export interface DecodeState {
  readonly plan: ResponsePlan;
  /** `opening`: nothing was told yet; `over`: nothing more is. */
  readonly phase: "opening" | "open" | "over";
  readonly blocks: BlockState;
  /** The choices by index. */
  readonly choices: Map<number, ChoiceState>;
  /** Pages that are listed beside the choices. */
  readonly sources: readonly Citation[];
  readonly usage: JsonObject | undefined;
}

interface ChoiceState extends ThoughtState {
  readonly index: number;
  /** Deltas have told something. */
  readonly inPieces: boolean;
  readonly calls: CallState;
  /** The vendor's word; undefined while it is still talking. */
  readonly finish: string | undefined;
  /** Citations that came before any text. */
  readonly citations: Citation[];
  /** It has cited by itself. */
  readonly cited: boolean;
  /** Pages that were visited for it. */
  readonly visited: readonly Citation[];
}

function readChunk(state: DecodeState, chunk: JsonObject): readonly [DecodeState, readonly ChatEvent[]] {
  const blocks = writeBlocks(state.blocks);
  // Azure's first chunk is about the prompt's filter and names neither the response nor its model.
  const head = decodeHead(chunk);
  const wires = asObjects(chunk["choices"]);
  const isAhead =
    state.phase === "opening" && wires.length === 0 && head.id === undefined && head.model === undefined;
  const phase = isAhead ? "opening" : "open";
  if (state.phase === "opening" && !isAhead) blocks.emit({ type: "response-start", ...head });
  const { choices } = state;
  let usage = usageIn(state.usage, chunk);
  for (const wire of wires) {
    const index = asIndex(wire["index"]);
    const before = choices.get(index);
    if (before === undefined && choices.size >= MAX_CHOICES) continue;
    choices.set(index, readDelta(before ?? blankChoice(index), wire, blocks, state.plan));
    usage = usageIn(usage, wire);
  }
  const sources = joinSources(state.sources, decodeSources(chunk));
  return [{ ...state, phase, blocks: blocks.state, choices, sources, usage }, blocks.events];
}

function readDelta(
  before: ChoiceState,
  wire: JsonObject,
  blocks: BlockWriter,
  plan: ResponsePlan,
): ChoiceState {
  const choice = before.index;
  const wireDelta = asObject(wire["delta"]) ?? {};
  // Some tell the whole message at the end, after its pieces or in their place.
  const inPieces = before.inPieces || holdsOutput(wireDelta);
  const delta = inPieces ? wireDelta : (asObject(wire["message"]) ?? wireDelta);
  const place = (name: string) => ({ key: `${choice} ${name}`, choice });
  const { thought, told, details, isNew } = readThoughts(before, delta);
  if (isNew) {
    blocks.close(place("text").key);
    blocks.close(place("refusal").key);
    blocks.reasoning(place("thought"), thought);
  }
  const { calls, citations } = before;
  for (const citation of decodeCitations(delta)) citations.push(citation);
  const cited = before.cited || citations.length > 0;
  let open = details;
  const endThought = (): void => {
    if (blocks.isOpen(place("thought").key)) {
      blocks.close(place("thought").key, { opaque: stateOf(open, plan) });
      open = [];
    }
  };
  const text = decodeText(delta);
  if (text !== "") {
    endThought();
    blocks.text(place("text"), text);
  }
  if (citations.length > 0 && blocks.isOpen(place("text").key)) {
    for (const citation of citations) blocks.citation(place("text").key, citation);
    citations.length = 0;
  }
  const refusal = decodeRefusal(delta);
  if (refusal !== "") {
    endThought();
    blocks.close(place("text").key);
    blocks.text(place("refusal"), refusal, true);
  }
  for (const image of decodeImages(delta)) blocks.whole(choice, image);
  for (const audio of decodeAudio(delta)) blocks.whole(choice, audio);
  if (readCalls(calls, delta, { choice, blocks, plan })) {
    endThought();
    blocks.close(place("text").key);
  }
  const finish = finishWord(wire) || before.finish;
  const visited = joinSources(before.visited, decodeVisited(delta));
  return { index: choice, inPieces, calls, finish, told, details: open, citations, cited, visited };
}

/**
 * Everything closed, the last usage, and each choice's finish. A stream that says neither `[DONE]` nor
 * why it stopped has failed (rule 19); one vendor says only the former.
 */
function ending(state: DecodeState, done: boolean): readonly ChatEvent[] {
  const choices = [...state.choices.values()];
  const isWhole = choices.length > 0 && (done || choices.every(({ finish }) => finish !== undefined));
  if (!isWhole) {
    const error = decodeStatedError({
      error: { message: "The upstream's stream ended early." },
    });
    return [{ type: "error", error }];
  }
  const blocks = writeBlocks(state.blocks);
  const usage = state.usage === undefined ? undefined : chatCompletionsUsage.buckets(state.usage);
  const sources = openSources(state.sources);
  for (const { index, calls, details, cited, visited } of choices) {
    const rested = cited ? [] : visited.length === 0 ? sources() : visited;
    for (const source of rested) blocks.citation(`${index} text`, source);
    blocks.close(`${index} thought`, { opaque: stateOf(details, state.plan) });
    if (!closeCalls(calls, { choice: index, blocks, plan: state.plan }))
      return [...blocks.events, { type: "error", error: UNEXPECTED_FORMAT }];
    blocks.closeAll(index);
  }
  if (usage !== undefined) blocks.emit({ type: "usage", usage });
  for (const { index, finish } of choices) {
    blocks.emit({ type: "finish", choice: index, finish: decodeFinish(finish ?? "") });
  }
  return blocks.events;
}

/** Usage stands on the last chunk, on one with choices, on a choice, or in a vendor's own corner (rule 5). */
function usageIn(before: JsonObject | undefined, holder: JsonObject): JsonObject | undefined {
  const stated = asObject(holder["usage"]) ?? asObject(asObject(holder["x_groq"])?.["usage"]);
  return stated === undefined ? before : latestCounts(before, stated);
}

function stateOf(details: readonly unknown[], plan: ResponsePlan): Opaque | undefined {
  return details.length === 0 ? undefined : { origin: plan.origin, value: writeExact(details) };
}

function blankChoice(index: number): ChoiceState {
  return {
    index,
    inPieces: false,
    calls: noCalls(),
    finish: undefined,
    told: "",
    details: [],
    citations: [],
    cited: false,
    visited: [],
  };
}
