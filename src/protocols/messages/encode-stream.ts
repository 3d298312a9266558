import { writeExact } from "../../base/json/exact-json.ts";
import type { StreamTransform } from "../../conversation/adapt/stream-transform.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import type { Opaque } from "../../conversation/state/opaque.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";
import type { WireFrame } from "../translation.ts";
import { encodeCitation } from "./citations.ts";
import { callBlock, messageHead } from "./encode-response.ts";
import { encodeUsage } from "./encode-usage.ts";
import { encodeError } from "./errors.ts";
import { encodeFinish } from "./finish.ts";
import { encodeSignature, encodeWordless } from "./signature.ts";

/** Writes a caller's messages stream: blocks strictly one after the other, with contiguous indexes (rule 13). */
export const encodeStream: StreamTransform<ResponseFrame, EncodeState, ChatEvent, WireFrame> = {
  initial: (frame) => ({
    frame,
    phase: "waiting",
    index: 0,
    open: undefined,
    tokens: undefined,
    declines: false,
  }),

  step(state, event) {
    if (state.phase === "ended") return [state, []];
    if (event.type === "error") {
      const data = encodeError(event.error, state.frame.requestId);
      return [{ ...state, phase: "ended" }, [{ name: "error", data }]];
    }
    const events: JsonObject[] = [];
    const started = start(state, event, events);
    return [stepEvent(started, event, events), events.map(frameOf)];
  },

  end: () => [],
};

export interface EncodeState {
  readonly frame: ResponseFrame;
  readonly phase: "waiting" | "open" | "ended";
  /** The next block's, or that of the open one. */
  readonly index: number;
  readonly open: OpenBlock | undefined;
  readonly tokens: TokenUsage | undefined;
  /** Words that decline to answer were told. */
  readonly declines: boolean;
}

/**
 * Texts and thoughts are started on the wire with their first content: an empty text would be refused when
 * the caller sends it back (rule 33), and whether a thought is hidden is known at its end.
 */
interface OpenBlock {
  readonly block: number;
  readonly kind: "text" | "thinking" | "call";
  readonly started: boolean;
  /** Citations that came before the text that they stand behind. */
  readonly cited: readonly JsonObject[];
}

/** An upstream that only ever cites costs no more memory than this; vendors write a few for each sentence. */
const MAX_CITED = 100;

function start(state: EncodeState, event: ChatEvent, events: JsonObject[]): EncodeState {
  if (state.phase !== "waiting") return state;
  const { frame } = state;
  events.push({
    type: "message_start",
    message: {
      ...messageHead(frame, event.type === "response-start" ? event.model : undefined),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      // The truth comes with `message_delta` (rule 6).
      usage: encodeUsage(estimated(frame)),
    },
  });
  return { ...state, phase: "open" };
}

/** Clients count context by the input and want more than 0. */
function estimated({ inputEstimate }: ResponseFrame): TokenUsage {
  return { inputUncached: Math.max(1, inputEstimate) };
}

function stepEvent(state: EncodeState, event: ChatEvent, events: JsonObject[]): EncodeState {
  switch (event.type) {
    case "text-start": {
      const declines = state.declines || event.refusal === true;
      return { ...state, declines, open: opened(event.block, "text") };
    }
    case "reasoning-start":
      return { ...state, open: opened(event.block, "thinking") };
    case "tool-call-start":
      events.push(blockStart(state, callBlock(event)));
      return { ...state, open: { ...opened(event.block, "call"), started: true } };
    case "text-delta":
      return grow(state, event.block, { type: "text_delta", text: event.text }, event.text, events);
    case "reasoning-delta":
      return grow(state, event.block, { type: "thinking_delta", thinking: event.text }, event.text, events);
    case "tool-call-delta": {
      const piece = event.arguments;
      return grow(state, event.block, { type: "input_json_delta", partial_json: piece }, piece, events);
    }
    case "citation": {
      const citation = encodeCitation(event.citation);
      return citation === undefined
        ? state
        : cite(state, event.block, { type: "citations_delta", citation }, events);
    }
    case "text-end":
    case "tool-call-end":
      return state.open?.block === event.block ? stop(state, events) : state;
    case "reasoning-end":
      return state.open?.block === event.block
        ? endThought(state, event.redacted === true, event.opaque, events)
        : state;
    case "foreign":
      return writeForeign(state, event.part.value, events);
    case "usage":
      return { ...state, tokens: event.usage.tokens };
    case "finish":
      events.push({
        type: "message_delta",
        delta: { ...encodeFinish(event.finish, state.declines), container: null },
        // Without a count of the upstream's, the input stays as it was estimated.
        usage: encodeUsage(state.tokens ?? estimated(state.frame)),
      });
      events.push({ type: "message_stop" });
      return { ...state, phase: "ended" };
    default:
      return state;
  }
}

function opened(block: number, kind: OpenBlock["kind"]): OpenBlock {
  return { block, kind, started: false, cited: [] };
}

/** A citation starts no block, as its text may turn out empty. */
function cite(state: EncodeState, block: number, delta: JsonObject, events: JsonObject[]): EncodeState {
  const { open } = state;
  if (open?.block !== block || open.started) return grow(state, block, delta, "cited", events);
  return { ...state, open: { ...open, cited: [...open.cited, delta].slice(0, MAX_CITED) } };
}

/** One more piece of the open block; empty ones are not told. */
function grow(
  state: EncodeState,
  block: number,
  delta: JsonObject,
  content: string,
  events: JsonObject[],
): EncodeState {
  const { open } = state;
  if (open?.block !== block || content === "") return state;
  if (!open.started) events.push(blockStart(state, open.kind === "text" ? EMPTY_TEXT : EMPTY_THOUGHT));
  for (const each of [...open.cited, delta]) {
    events.push({ type: "content_block_delta", index: state.index, delta: each });
  }
  return { ...state, open: { ...open, started: true, cited: [] } };
}

function endThought(
  state: EncodeState,
  redacted: boolean,
  opaque: Opaque | undefined,
  events: JsonObject[],
): EncodeState {
  const started = state.open?.started === true;
  const wordless = started || opaque === undefined ? undefined : encodeWordless(opaque, redacted);
  if (wordless?.["type"] === "redacted_thinking") {
    events.push(blockStart(state, wordless));
    return stop({ ...state, open: state.open && { ...state.open, started: true } }, events);
  }
  // Nothing was thought, or nothing that is told.
  if (!started && wordless === undefined) return stop(state, events);
  const signature = encodeSignature(opaque);
  return stop(
    grow(state, state.open?.block ?? -1, { type: "signature_delta", signature }, signature, events),
    events,
  );
}

/** Input of the vendor's own tools comes in deltas, all other content in the start. */
function writeForeign(state: EncodeState, value: JsonObject, events: JsonObject[]): EncodeState {
  const input = value["input"];
  events.push(blockStart(state, input === undefined ? value : { ...value, input: {} }));
  if (input !== undefined) {
    const delta = { type: "input_json_delta", partial_json: writeExact(input) };
    events.push({ type: "content_block_delta", index: state.index, delta });
  }
  events.push({ type: "content_block_stop", index: state.index });
  return { ...state, index: state.index + 1 };
}

function blockStart(state: EncodeState, block: JsonObject): JsonObject {
  return { type: "content_block_start", index: state.index, content_block: block };
}

function stop(state: EncodeState, events: JsonObject[]): EncodeState {
  if (state.open?.started !== true) return { ...state, open: undefined };
  events.push({ type: "content_block_stop", index: state.index });
  return { ...state, open: undefined, index: state.index + 1 };
}

function frameOf(event: JsonObject): WireFrame {
  return { name: String(event["type"]), data: writeExact(event) };
}

const EMPTY_TEXT = { type: "text", text: "" };
const EMPTY_THOUGHT = { type: "thinking", thinking: "", signature: "" };
