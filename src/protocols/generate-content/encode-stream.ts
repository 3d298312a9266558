import { writeExact } from "../../base/json/exact-json.ts";
import { readFrame } from "../../base/sse.ts";
import type { StreamTransform } from "../../conversation/adapt/stream-transform.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import type { Citation, ToolCallPart } from "../../conversation/request.ts";
import type { Finish, ResponsePart } from "../../conversation/response.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";
import { UNKNOWN_STREAM } from "../protocol.ts";
import type { WireFrame } from "../translation.ts";
import { encodeResponsePart, isBeside } from "./encode-parts.ts";
import { encodeEnd, encodeFeedback, encodeHead, encodeSources, NOTHING } from "./encode-response.ts";
import { encodeStreamError } from "./errors.ts";
import { encodeBlock } from "./finish.ts";
import type { CitedText } from "./grounding.ts";

/**
 * Writes a stream whose every event is a response in small: no event names, no `[DONE]`, and calls whole,
 * so that their arguments wait until the last piece is there (rule 17).
 */
export const encodeStream: StreamTransform<ResponseFrame, EncodeState, ChatEvent, WireFrame> = {
  initial: (frame) => ({
    frame,
    model: undefined,
    usage: undefined,
    blocks: new Map(),
    beside: new Map(),
    said: new Set(),
    over: false,
  }),

  step(state, event) {
    if (state.over) return [state, []];
    switch (event.type) {
      case "response-start":
        return [{ ...state, model: event.model }, []];
      case "usage":
        return [{ ...state, usage: event.usage.tokens }, []];
      case "finish":
        return [state, [endFrame(state, event.choice, event.finish)]];
      case "error": {
        const framed = encodeStreamError(event.error, state.frame.requestId, UNKNOWN_STREAM);
        return [{ ...state, over: true }, [{ data: readFrame(framed.trimEnd()).data }]];
      }
      default:
        return writeBlock(state, event);
    }
  },

  end: () => [],
};

export interface EncodeState {
  readonly frame: ResponseFrame;
  readonly model: string | undefined;
  readonly usage: TokenUsage | undefined;
  /** Those that are open, and texts that cite. */
  readonly blocks: Map<number, Block>;
  /** The statements about sources beside the content, by choice. */
  readonly beside: Map<number, JsonObject>;
  /** Choices that have said something. */
  readonly said: Set<number>;
  readonly over: boolean;
}

interface Block {
  readonly choice: number;
  readonly kind: "text" | "reasoning" | "tool-call";
  /** A text so far, whose words are out already, or the arguments of a call, which wait. */
  text: string;
  readonly citations: Citation[];
  readonly call: Pick<ToolCallPart, "id" | "name" | "opaque"> | undefined;
}

type BlockEvent = Exclude<ChatEvent, { type: "response-start" | "usage" | "finish" | "error" }>;
type Step = readonly [EncodeState, readonly WireFrame[]];

function writeBlock(state: EncodeState, event: BlockEvent): Step {
  switch (event.type) {
    case "text-start":
      return open(state, event, "text");
    case "reasoning-start":
      return open(state, event, "reasoning");
    case "tool-call-start": {
      const { id, name, opaque } = event;
      return open(state, event, "tool-call", { id, name, opaque });
    }
    case "media":
      return partFrames(state, event.choice, event.part);
    case "foreign": {
      const { choice, part } = event;
      if (!isBeside(part.value)) return partFrames(state, choice, part);
      state.beside.set(choice, { ...state.beside.get(choice), ...part.value });
      return [state, []];
    }
    default: {
      const block = state.blocks.get(event.block);
      return block === undefined ? [state, []] : writeDelta(state, event, block);
    }
  }
}

function open(
  state: EncodeState,
  { block, choice }: { readonly block: number; readonly choice: number },
  kind: Block["kind"],
  call?: Block["call"],
): Step {
  state.blocks.set(block, { choice, kind, text: "", citations: [], call });
  return [state, []];
}

type DeltaEvent = Exclude<BlockEvent, { readonly choice: number }>;

function writeDelta(state: EncodeState, event: DeltaEvent, block: Block): Step {
  const { choice, kind, call } = block;
  switch (event.type) {
    case "text-delta":
    case "reasoning-delta":
      if (kind === "tool-call") return [state, []];
      // Citations never refer to reasoning.
      if (kind === "text") block.text += event.text;
      return partFrames(state, choice, { kind, text: event.text });
    case "tool-call-delta":
      block.text += event.arguments;
      return [state, []];
    case "citation":
      block.citations.push(event.citation);
      return [state, []];
    case "reasoning-end":
      state.blocks.delete(event.block);
      return [state, []];
    case "text-end":
      if (block.citations.length === 0) state.blocks.delete(event.block);
      // The state alone: the words are out.
      if (event.opaque === undefined) return [state, []];
      return partFrames(state, choice, { kind: "text", text: "", opaque: event.opaque });
    case "tool-call-end": {
      state.blocks.delete(event.block);
      if (call === undefined || event.defect !== undefined) return [state, []];
      const opaque = event.opaque === undefined ? {} : { opaque: event.opaque };
      return partFrames(state, choice, { kind: "tool-call", ...call, arguments: block.text, ...opaque });
    }
  }
}

function partFrames(state: EncodeState, choice: number, part: ResponsePart): Step {
  const parts = encodeResponsePart(part);
  if (parts.length === 0) return [state, []];
  state.said.add(choice);
  return [state, [chunk(state, { candidates: [{ content: { parts, role: "model" }, index: choice }] })]];
}

function endFrame(state: EncodeState, choice: number, finish: Finish): WireFrame {
  const blocked = state.said.size === 0 ? encodeBlock(finish) : undefined;
  if (blocked !== undefined) return chunk(state, { promptFeedback: encodeFeedback(blocked, finish) }, true);
  const candidate = {
    content: { parts: [NOTHING], role: "model" },
    ...encodeEnd(finish),
    index: choice,
    ...encodeSources(citedTexts(state, choice), state.beside.get(choice) ?? {}),
  };
  return chunk(state, { candidates: [candidate] }, true);
}

/** The part of a block depends on how the caller joins chunks, so it is left open, as in the vendor's streams. */
function citedTexts(state: EncodeState, choice: number): readonly CitedText[] {
  const cited: CitedText[] = [];
  for (const block of state.blocks.values()) {
    const { text, citations } = block;
    if (block.choice === choice && block.kind === "text" && citations.length > 0)
      cited.push({ part: 0, text, citations });
  }
  return cited;
}

/** Counts stand on the last chunk of each candidate, where they are complete. */
function chunk(state: EncodeState, response: JsonObject, isLast = false): WireFrame {
  const head = encodeHead(state.model, isLast ? state.usage : undefined, state.frame);
  return { data: writeExact({ ...response, ...head }) };
}
