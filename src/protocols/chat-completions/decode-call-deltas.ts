import type { BlockWriter } from "../../conversation/adapt/blocks.ts";
import { IncrementalJson } from "../../conversation/adapt/incremental-json.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import type { Opaque } from "../../conversation/state/opaque.ts";
import type { JsonObject } from "../json.ts";
import { CALLS_PER_CHOICE, decodeExtra, readCall, wireCalls } from "./decode-calls.ts";

/**
 * The calls of one choice of a stream. Vendors differ (rule 15): a whole call in one delta, no index, one
 * index for all, the id in every delta or in none, the name late, several calls in one chunk.
 */
export interface CallState {
  readonly calls: OpenCall[];
  /** The latest of each index. */
  readonly byIndex: Map<number, OpenCall>;
  /** The latest of each id. */
  readonly byId: Map<string, OpenCall>;
  /** The ids that calls have begun with. */
  readonly begun: Set<string>;
  /** Those that have begun and not ended. */
  readonly running: Set<OpenCall>;
}

interface OpenCall {
  readonly key: string;
  /** Its place among the calls. */
  readonly at: number;
  /** The vendor's id; "" where it gives none. */
  id: string;
  /** False until the name is known, since a call cannot begin without it. */
  started: boolean;
  /** All arguments so far. */
  readonly json: IncrementalJson;
  ended: boolean;
  opaque: Opaque | undefined;
  /** The state that its beginning told. */
  emitted: Opaque | undefined;
}

export function noCalls(): CallState {
  return { calls: [], byIndex: new Map(), byId: new Map(), begun: new Set(), running: new Set() };
}

/** The state into which the calls of one choice are read. */
interface CallReader {
  readonly choice: number;
  readonly blocks: BlockWriter;
  readonly plan: ResponsePlan;
}

/** Reads one more delta; false where it holds no call. */
export function readCalls(state: CallState, delta: JsonObject, reader: CallReader): boolean {
  let any = false;
  for (const wire of wireCalls(delta)) {
    const piece = readCall(wire);
    const known = findCall(state, wire["index"], piece);
    if (known === undefined && state.calls.length >= CALLS_PER_CHOICE) continue;
    const call = known ?? beginCall(state, wire["index"], reader);
    nameCall(state, call, piece.id);
    call.opaque = decodeExtra(wire, reader.plan) ?? call.opaque;
    grow(state, call, piece, reader);
    any = true;
  }
  return any;
}

/** Ends every call; false where one has arguments, or an id, and never had a name. */
export function closeCalls(state: CallState, { blocks }: CallReader): boolean {
  for (const call of state.calls) if (call.started) endCall(state, call, blocks);
  return state.calls.every(({ started, id, json }) => started || (id === "" && json.text === ""));
}

/** Returns the call that a delta continues; undefined = it begins one. */
function findCall(state: CallState, index: unknown, { id, name, text }: Delta): OpenCall | undefined {
  if (typeof index === "number") {
    const same = state.byIndex.get(index);
    if (same === undefined && name === "") return findUnindexedCall(state, id);
    if (same === undefined || name === "") return same;
    // One index for all: another id with a name of its own is another call, and where there are no ids, whatever
    // would come behind arguments that are whole.
    const isAnother = id !== "" && same.id !== "" ? id !== same.id : text !== "" && same.json.isWholeObject();
    return isAnother ? undefined : same;
  }
  if (id !== "") return state.byId.get(id);
  return name === "" ? state.calls.at(-1) : undefined;
}

/**
 * The call that a piece without a name is of, whose index no call began with: some servers number a call's first
 * piece unlike its others.
 */
function findUnindexedCall({ byId, calls }: CallState, id: string): OpenCall | undefined {
  if (id !== "") return byId.get(id);
  const last = calls.at(-1);
  return last?.started && !last.json.isWholeObject() ? last : undefined;
}

interface Delta {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

interface Piece {
  readonly name: string;
  readonly text: string;
  readonly custom: true | undefined;
}

/** Most vendors write one call after the other: a whole one ends when the next begins, so that nothing waits for it. */
function beginCall(state: CallState, index: unknown, { choice, blocks }: CallReader): OpenCall {
  for (const running of state.running) if (running.json.isWholeObject()) endCall(state, running, blocks);
  const at = state.calls.length;
  const call: OpenCall = {
    key: `${choice} call ${at}`,
    at,
    id: "",
    started: false,
    json: new IncrementalJson(),
    ended: false,
    opaque: undefined,
    emitted: undefined,
  };
  state.calls.push(call);
  if (typeof index === "number") state.byIndex.set(index, call);
  return call;
}

function nameCall({ byId, begun }: CallState, call: OpenCall, id: string): void {
  if (call.id !== "" || id === "") return;
  call.id = id;
  if ((byId.get(id)?.at ?? -1) < call.at) byId.set(id, call);
  if (call.started) begun.add(id);
}

function grow(state: CallState, call: OpenCall, { name, text, custom }: Piece, reader: CallReader): void {
  // Some vendors tell the arguments once more with the finish; no JSON goes on with itself.
  if (text !== "" && call.json.isWholeObject() && text === call.json.text) return;
  if (!call.started && name !== "") start(state, call, name, custom, reader);
  if (call.started && !call.ended) reader.blocks.arguments(call.key, text);
  call.json.add(text);
}

function start(
  { begun, running }: CallState,
  call: OpenCall,
  name: string,
  custom: true | undefined,
  { choice, blocks, plan }: CallReader,
): void {
  const taken = call.id === "" || begun.has(call.id);
  const id = taken ? makeCallId(plan.seed, choice * CALLS_PER_CHOICE + call.at) : call.id;
  const state = call.opaque === undefined ? {} : { opaque: call.opaque };
  blocks.toolCall({ key: call.key, choice }, { id, name, custom, ...state });
  blocks.arguments(call.key, call.json.text);
  call.started = true;
  call.emitted = call.opaque;
  if (call.id !== "") begun.add(call.id);
  running.add(call);
}

/** State that its beginning has not told comes with its end. */
function endCall({ running }: CallState, call: OpenCall, blocks: BlockWriter): void {
  if (call.ended) return;
  const { key, opaque, emitted } = call;
  blocks.close(key, { opaque: opaque === emitted ? undefined : opaque });
  call.ended = true;
  running.delete(call);
}
