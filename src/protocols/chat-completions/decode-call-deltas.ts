import type { BlockWriter } from "../../conversation/blocks.ts";
import { makeCallId } from "../../conversation/ids.ts";
import type { Opaque } from "../../conversation/opaque.ts";
import type { ResponsePlan } from "../../conversation/plan.ts";
import type { JsonObject } from "../json.ts";
import { CALLS_PER_CHOICE, decodeExtra, readCall, wireCalls } from "./decode-calls.ts";

/**
 * The calls of one choice of a stream. Vendors differ (rule 15): a whole call in one delta, no index, one
 * index for all, the id in every delta or in none, the name late, several calls in one chunk.
 */
export type CallState = readonly OpenCall[];

interface OpenCall {
  readonly key: string;
  /** The vendor's index, where it gives one. */
  readonly index: unknown;
  /** The vendor's id; "" where it gives none. */
  readonly id: string;
  /** Undefined until the name is known, since a call cannot begin without it. */
  readonly started: boolean;
  /** All arguments so far. */
  readonly text: string;
  readonly ended: boolean;
  readonly opaque: Opaque | undefined;
  /** The state that its beginning told. */
  readonly told: Opaque | undefined;
}

export const NO_CALLS: CallState = [];

/** The calls after one more delta; the same array where it holds none. */
export function readCalls(
  calls: CallState,
  delta: JsonObject,
  choice: number,
  blocks: BlockWriter,
  plan: ResponsePlan,
): CallState {
  let now = calls;
  for (const wire of wireCalls(delta)) {
    const { id, name, text, custom } = readCall(wire);
    const index = wire["index"];
    const known = findCall(now, index, { id, name, text });
    if (known === undefined && now.length >= CALLS_PER_CHOICE) continue;
    if (known === undefined) now = now.map((call) => endedIfWhole(call, blocks));
    const call = known ?? { ...BLANK, key: `${choice} call ${now.length}`, index, id };
    const opaque = decodeExtra(wire, plan) ?? call.opaque;
    const own = { ...call, id: call.id === "" ? id : call.id, opaque };
    const grown = grow(
      own,
      { name, text, custom },
      { choice, at: known ? now.indexOf(known) : now.length },
      blocks,
      plan,
      now,
    );
    now = known === undefined ? [...now, grown] : now.map((each) => (each === known ? grown : each));
  }
  return now;
}

/** Ends every call. */
export function closeCalls(calls: CallState, choice: number, blocks: BlockWriter, plan: ResponsePlan): void {
  calls.forEach((call, at) => {
    const begun = call.started ? call : start(call, "", undefined, { choice, at }, blocks, plan, calls);
    if (!begun.ended) blocks.close(begun.key, { opaque: lateState(begun) });
  });
}

/** Which call a delta goes on with; undefined = it begins one. */
function findCall(calls: CallState, index: unknown, { id, name, text }: Delta): OpenCall | undefined {
  if (typeof index === "number") {
    const same = calls.findLast((call) => call.index === index);
    if (same === undefined && name === "") return strayed(calls, id);
    if (same === undefined || name === "") return same;
    // One index for all: another id with a name of its own is another call, and where there are no ids, whatever
    // would come behind arguments that are whole.
    const isAnother = id !== "" && same.id !== "" ? id !== same.id : text !== "" && isWholeJson(same.text);
    return isAnother ? undefined : same;
  }
  if (id !== "") return calls.findLast((call) => call.id === id);
  return name === "" ? calls.at(-1) : undefined;
}

/**
 * The call that a piece without a name is of, whose index no call began with: some servers number a call's first
 * piece unlike its others.
 */
function strayed(calls: CallState, id: string): OpenCall | undefined {
  if (id !== "") return calls.findLast((call) => call.id === id);
  const last = calls.at(-1);
  return last?.started && !isWholeJson(last.text) ? last : undefined;
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

interface CallPlace {
  readonly choice: number;
  readonly at: number;
}

function grow(
  call: OpenCall,
  { name, text, custom }: Piece,
  place: CallPlace,
  blocks: BlockWriter,
  plan: ResponsePlan,
  calls: CallState,
): OpenCall {
  // Some vendors tell the arguments once more with the finish; no JSON goes on with itself.
  if (text !== "" && text === call.text && isWholeJson(text)) return call;
  if (!call.started && name === "") return { ...call, text: call.text + text };
  const begun = call.started ? call : start(call, name, custom, place, blocks, plan, calls);
  if (!begun.ended) blocks.arguments(begun.key, text);
  return { ...begun, text: begun.text + text };
}

function start(
  call: OpenCall,
  name: string,
  custom: true | undefined,
  { choice, at }: CallPlace,
  blocks: BlockWriter,
  plan: ResponsePlan,
  calls: CallState,
): OpenCall {
  const taken = call.id === "" || calls.some((other) => other.started && other.id === call.id);
  const id = taken ? makeCallId(plan.seed, choice * CALLS_PER_CHOICE + at) : call.id;
  const state = call.opaque === undefined ? {} : { opaque: call.opaque };
  blocks.toolCall({ key: call.key, choice }, { id, name, ...(custom ? { custom } : {}), ...state });
  blocks.arguments(call.key, call.text);
  return { ...call, started: true, told: call.opaque };
}

/** State that the call's beginning has not told. */
function lateState({ opaque, told }: OpenCall): Opaque | undefined {
  return opaque === told ? undefined : opaque;
}

/** Most vendors write one call after the other: a whole one ends when the next begins, so that nothing waits for it. */
function endedIfWhole(call: OpenCall, blocks: BlockWriter): OpenCall {
  if (call.ended || !call.started || !isWholeJson(call.text)) return call;
  blocks.close(call.key, { opaque: lateState(call) });
  return { ...call, ended: true };
}

function isWholeJson(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const BLANK: OpenCall = {
  key: "",
  index: undefined,
  id: "",
  started: false,
  text: "",
  ended: false,
  opaque: undefined,
  told: undefined,
};
