import { writeExact } from "../../base/exact-json.ts";
import { readFrame } from "../../base/sse.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { StreamMachine } from "../../conversation/machine.ts";
import type { ResponseFrame } from "../../conversation/plan.ts";
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
 * Writes a stream whose every event is an answer in small: no event names, no `[DONE]`, and calls whole,
 * so that their arguments wait until the last piece is there (rule 17).
 */
export const encodeStream: StreamMachine<ResponseFrame, EncodeState, ChatEvent, WireFrame> = {
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
  readonly blocks: ReadonlyMap<number, Block>;
  /** What was said of sources beside the content, by choice. */
  readonly beside: ReadonlyMap<number, JsonObject>;
  /** Choices that have said something. */
  readonly said: ReadonlySet<number>;
  readonly over: boolean;
}

interface Block {
  readonly choice: number;
  /** The part so far; its words, if any, are out already. */
  readonly part: Extract<ResponsePart, { readonly kind: "text" | "reasoning" | "tool-call" }>;
}

type BlockEvent = Exclude<ChatEvent, { type: "response-start" | "usage" | "finish" | "error" }>;
type Step = readonly [EncodeState, readonly WireFrame[]];

function writeBlock(state: EncodeState, event: BlockEvent): Step {
  switch (event.type) {
    case "text-start":
      return [withBlock(state, event.block, { choice: event.choice, part: { kind: "text", text: "" } }), []];
    case "reasoning-start":
      return [
        withBlock(state, event.block, { choice: event.choice, part: { kind: "reasoning", text: "" } }),
        [],
      ];
    case "tool-call-start": {
      const { id, name, opaque } = event;
      const call = { kind: "tool-call", id, name, arguments: "" } as const;
      const part = opaque === undefined ? call : { ...call, opaque };
      return [withBlock(state, event.block, { choice: event.choice, part }), []];
    }
    case "media":
      return partFrames(state, event.choice, event.part);
    case "foreign": {
      const { choice, part } = event;
      if (!isBeside(part.value)) return partFrames(state, choice, part);
      const beside = { ...state.beside.get(choice), ...part.value };
      return [{ ...state, beside: new Map(state.beside).set(choice, beside) }, []];
    }
    default: {
      const block = state.blocks.get(event.block);
      return block === undefined ? [state, []] : writeDelta(state, event, block);
    }
  }
}

type DeltaEvent = Exclude<BlockEvent, { readonly choice: number }>;

function writeDelta(state: EncodeState, event: DeltaEvent, { choice, part }: Block): Step {
  const grown = (after: Block["part"]): EncodeState => withBlock(state, event.block, { choice, part: after });
  switch (event.type) {
    case "text-delta":
    case "reasoning-delta": {
      if (part.kind === "tool-call") return [state, []];
      const next = grown({ ...part, text: part.text + event.text });
      return partFrames(next, choice, { kind: part.kind, text: event.text });
    }
    case "tool-call-delta":
      if (part.kind !== "tool-call") return [state, []];
      return [grown({ ...part, arguments: part.arguments + event.arguments }), []];
    case "citation":
      if (part.kind !== "text") return [state, []];
      return [grown({ ...part, citations: [...(part.citations ?? []), event.citation] }), []];
    case "reasoning-end":
      return [state, []];
    case "text-end":
      // The state alone: the words are out.
      if (event.opaque === undefined) return [state, []];
      return partFrames(state, choice, { kind: "text", text: "", opaque: event.opaque });
    case "tool-call-end": {
      if (part.kind !== "tool-call") return [state, []];
      if (event.broken !== undefined) return [state, []];
      return partFrames(state, choice, {
        ...part,
        ...(event.opaque === undefined ? {} : { opaque: event.opaque }),
      });
    }
  }
}

function partFrames(state: EncodeState, choice: number, part: ResponsePart): Step {
  const parts = encodeResponsePart(part);
  if (parts.length === 0) return [state, []];
  const said = state.said.has(choice) ? state.said : new Set(state.said).add(choice);
  return [
    { ...state, said },
    [chunk(state, { candidates: [{ content: { parts, role: "model" }, index: choice }] })],
  ];
}

function endFrame(state: EncodeState, choice: number, finish: Finish): WireFrame {
  const blocked = state.said.size === 0 ? encodeBlock(finish) : undefined;
  if (blocked !== undefined) return chunk(state, encodeFeedback(blocked, finish), true);
  const candidate = {
    content: { parts: [NOTHING], role: "model" },
    ...encodeEnd(finish),
    index: choice,
    ...encodeSources(citedTexts(state, choice), state.beside.get(choice) ?? {}),
  };
  return chunk(state, { candidates: [candidate] }, true);
}

/** Which part a block is depends on how the caller joins chunks; as in the vendor's streams it is left open. */
function citedTexts(state: EncodeState, choice: number): readonly CitedText[] {
  return [...state.blocks.values()].flatMap((block) => {
    if (block.choice !== choice || block.part.kind !== "text" || block.part.citations === undefined)
      return [];
    return [{ part: 0, text: block.part.text, citations: block.part.citations }];
  });
}

function withBlock(state: EncodeState, number: number, block: Block): EncodeState {
  return { ...state, blocks: new Map(state.blocks).set(number, block) };
}

/** Counts stand on the last chunk of each candidate, where they are complete. */
function chunk(state: EncodeState, response: JsonObject, isLast = false): WireFrame {
  const head = encodeHead(state.model, isLast ? state.usage : undefined, state.frame);
  return { data: writeExact({ ...response, ...head }) };
}
