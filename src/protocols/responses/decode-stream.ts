import { type BlockState, noBlocks, writeBlocks } from "../../conversation/adapt/blocks.ts";
import type { StreamTransform } from "../../conversation/adapt/stream-transform.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import { statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { latestCounts } from "../streams/latest-counts.ts";
import type { StreamEvent } from "../streams/stream-event.ts";
import { type ItemsState, readItems } from "./decode-items.ts";
import { decodeHead } from "./decode-response.ts";
import { decodeFinish } from "./finish.ts";
import { responsesUsage } from "./usage.ts";

/** Reads a stream of events. What an upstream leaves out of the ladder is made up for by what it says later. */
export const decodeStream: StreamTransform<ResponsePlan, DecodeState, StreamEvent, ChatEvent> = {
  initial: (plan) => ({ plan, phase: "opening", blocks: noBlocks(), items: new Map(), usage: undefined }),

  step(state, { name, exact }) {
    if (state.phase === "over") return [state, []];
    const event = asObject(exact);
    if (event === undefined) return [state, []];
    const type = asText(event["type"]) || name;
    if (type === "error" || statesError(event)) return failed(state, event);
    return readEvent(state, type, event);
  },

  end: (state) => (state.phase === "over" ? [] : failed(state, BROKEN_OFF)[1]),
};

export interface DecodeState {
  readonly plan: ResponsePlan;
  /** `opening`: nothing was told yet; `over`: nothing more is. */
  readonly phase: "opening" | "open" | "over";
  readonly blocks: BlockState;
  readonly items: ItemsState;
  readonly usage: JsonObject | undefined;
}

function readEvent(
  state: DecodeState,
  type: string,
  event: JsonObject,
): readonly [DecodeState, readonly ChatEvent[]] {
  const response = asObject(event["response"]) ?? {};
  if (FAILURES.has(type)) return failed(state, response);
  const blocks = writeBlocks(state.blocks);
  if (state.phase === "opening") blocks.emit({ type: "response-start", ...decodeHead(response) });
  const counts = asObject(response["usage"]);
  const usage = counts === undefined ? state.usage : latestCounts(state.usage, counts);
  const items = readItems(state.items, blocks, state.plan);
  const ends = ENDS.get(type);
  if (ends === undefined) {
    items.read(type, event);
    const { plan } = state;
    return [{ plan, phase: "open", blocks: blocks.state, items: state.items, usage }, blocks.events];
  }
  items.finish(asObjects(response["output"]));
  blocks.closeAll();
  if (usage !== undefined) blocks.emit({ type: "usage", usage: responsesUsage.buckets(usage) });
  const status = asText(response["status"]) === "" ? { status: ends } : {};
  const finish = decodeFinish({ ...response, ...status });
  blocks.emit({ type: "finish", choice: 0, finish });
  return [{ ...state, phase: "over" }, blocks.events];
}

function failed(state: DecodeState, response: JsonObject): readonly [DecodeState, readonly ChatEvent[]] {
  return [{ ...state, phase: "over" }, [{ type: "error", error: decodeStatedError(response) }]];
}

/** The events that end a response well, and the status that each stands for. */
const ENDS = new Map([
  ["response.completed", "completed"],
  ["response.done", "completed"],
  ["response.incomplete", "incomplete"],
]);

const FAILURES: ReadonlySet<string> = new Set(["response.failed", "response.cancelled"]);

const BROKEN_OFF: JsonObject = { error: { message: "The upstream's stream ended early." } };
