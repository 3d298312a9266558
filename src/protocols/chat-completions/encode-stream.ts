import { writeExact } from "../../base/exact-json.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { StreamMachine } from "../../conversation/machine.ts";
import type { ResponseFrame } from "../../conversation/plan.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import type { JsonObject } from "../json.ts";
import type { WireFrame } from "../translation.ts";
import { encodeAudio } from "./audio.ts";
import { encodeCallState, encodeLateState } from "./call-state.ts";
import { encodeCitation, encodeHead, encodeImage } from "./encode-response.ts";
import { encodeUsage } from "./encode-usage.ts";
import { encodeError } from "./errors.ts";
import { encodeFinish } from "./finish.ts";

/** Writes a stream of chunks, ended by `[DONE]`; after an error nothing follows (rule 19). */
export const encodeStream: StreamMachine<ResponseFrame, EncodeState, ChatEvent, WireFrame> = {
  initial: (frame) => ({
    frame,
    head: headOf(frame, undefined),
    usage: undefined,
    opened: [],
    blocks: new Map(),
    lengths: [],
    callCounts: [],
    phase: "open",
  }),

  step(state, event) {
    if (state.phase === "failed") return [state, []];
    switch (event.type) {
      case "response-start":
        return opened({ ...state, head: headOf(state.frame, event.model) }, 0);
      case "usage":
        return [{ ...state, usage: event.usage.tokens }, []];
      case "error": {
        const data = encodeError(event.error, state.frame.requestId);
        return [{ ...state, phase: "failed" }, [{ data }]];
      }
      case "finish": {
        const [begun, before] = opened(state, event.choice);
        const done = { ...begun, phase: "finished" } as const;
        return [
          done,
          [...before, chunk(done, event.choice, {}, encodeFinish(event.finish, isOneCall(state)))],
        ];
      }
      default:
        return writeBlock(state, event);
    }
  },

  end({ phase, frame, head, usage }) {
    if (phase !== "finished") return [];
    const counted = `${head},"choices":[],"usage":${JSON.stringify(encodeUsage(usage ?? {}))}}`;
    return [...(frame.includeUsage ? [{ data: counted }] : []), { data: "[DONE]" }];
  },
};

export interface EncodeState {
  readonly frame: ResponseFrame;
  /** What every chunk begins with, as JSON text: it is written once an event. */
  readonly head: string;
  readonly usage: TokenUsage | undefined;
  /** Choices whose first chunk, which states the role, is out. */
  readonly opened: readonly number[];
  readonly blocks: ReadonlyMap<number, Block>;
  /** Characters of content so far, by choice. */
  readonly lengths: readonly number[];
  /** Calls so far, by choice. */
  readonly callCounts: readonly number[];
  readonly phase: "open" | "finished" | "failed";
}

interface Block {
  readonly choice: number;
  readonly field: "content" | "refusal" | "reasoning_content" | "tool_calls";
  /** Where the block's text begins in the choice's, for citations. */
  readonly offset: number;
  readonly call: { readonly index: number; readonly custom: boolean; readonly begun: boolean } | undefined;
}

type BlockEvent = Exclude<ChatEvent, { type: "response-start" | "usage" | "finish" | "error" }>;
type Step = readonly [EncodeState, readonly WireFrame[]];

function writeBlock(state: EncodeState, event: BlockEvent): Step {
  switch (event.type) {
    case "text-start":
      return openBlock(state, event, event.refusal ? "refusal" : "content", undefined);
    case "reasoning-start":
      return openBlock(state, event, "reasoning_content", undefined);
    case "tool-call-start": {
      const index = state.callCounts[event.choice] ?? 0;
      const callCounts = [...state.callCounts];
      callCounts[event.choice] = index + 1;
      const custom = event.custom === true;
      const [next, frames] = openBlock({ ...state, callCounts }, event, "tool_calls", {
        index,
        custom,
        begun: false,
      });
      const { id, name, opaque } = event;
      // In the first piece, since clients look for it nowhere else.
      const extra = opaque === undefined ? {} : { extra_content: encodeCallState(opaque) };
      if (isOneCall(state)) {
        const beginning = { function_call: { name, arguments: "", ...extra } };
        return [next, [...frames, chunk(next, event.choice, beginning)]];
      }
      const call = custom
        ? { index, id, type: "custom", custom: { name, input: "" }, ...extra }
        : { index, id, type: "function", function: { name, arguments: "" }, ...extra };
      return [next, [...frames, chunk(next, event.choice, { tool_calls: [call] })]];
    }
    case "media": {
      const [next, frames] = opened(state, event.choice);
      return [next, [...frames, chunk(next, event.choice, { images: [encodeImage(event.part)] })]];
    }
    case "foreign": {
      const [next, frames] = opened(state, event.choice);
      const audio = encodeAudio(event.part);
      return [next, audio === undefined ? frames : [...frames, chunk(next, event.choice, { audio })]];
    }
    default: {
      const block = state.blocks.get(event.block);
      return block === undefined ? [state, []] : writeDelta(state, event, block);
    }
  }
}

type DeltaEvent = Exclude<BlockEvent, { readonly choice: number }>;

function writeDelta(state: EncodeState, event: DeltaEvent, block: Block): Step {
  switch (event.type) {
    case "text-delta":
      return [
        lengthened(state, block, event.text),
        [chunk(state, block.choice, { [block.field]: event.text })],
      ];
    case "reasoning-delta":
      return [state, [chunk(state, block.choice, { reasoning_content: event.text })]];
    case "tool-call-delta": {
      const frames = [callChunk(state, block, event.arguments)];
      if (block.call === undefined || block.call.begun) return [state, frames];
      return [withBlock(state, event.block, { ...block, call: { ...block.call, begun: true } }), frames];
    }
    case "citation": {
      const annotations = encodeCitation(event.citation, block.offset);
      return [state, annotations.length === 0 ? [] : [chunk(state, block.choice, { annotations })]];
    }
    case "text-end":
    case "reasoning-end":
      return [state, []];
    case "tool-call-end": {
      const frames: WireFrame[] = [];
      // A call without arguments is `{}`, which clients parse (rule 14).
      if (block.call?.begun === false && !block.call.custom) frames.push(callChunk(state, block, "{}"));
      if (event.opaque !== undefined) {
        frames.push(callChunk(state, block, "", { extra_content: encodeLateState(event.opaque) }));
      }
      return [state, frames];
    }
  }
}

function openBlock(
  state: EncodeState,
  { block, choice }: { readonly block: number; readonly choice: number },
  field: Block["field"],
  call: Block["call"],
): Step {
  const [next, frames] = opened(state, choice);
  const offset = state.lengths[choice] ?? 0;
  return [withBlock(next, block, { choice, field, offset, call }), frames];
}

function lengthened(state: EncodeState, { field, choice }: Block, text: string): EncodeState {
  if (field !== "content") return state;
  const lengths = [...state.lengths];
  lengths[choice] = (lengths[choice] ?? 0) + text.length;
  return { ...state, lengths };
}

/** The first chunk of a choice carries the role and empty content (rule 15). */
function opened(state: EncodeState, choice: number): Step {
  if (state.opened.includes(choice)) return [state, []];
  const next = { ...state, opened: [...state.opened, choice] };
  return [next, [chunk(next, choice, { role: "assistant", content: "" })]];
}

function withBlock(state: EncodeState, number: number, block: Block): EncodeState {
  return { ...state, blocks: new Map(state.blocks).set(number, block) };
}

/** A later piece of a call: it has its `function` or `custom` even where it adds no text, which clients rely on. */
function callChunk(state: EncodeState, block: Block, text: string, extra: JsonObject = {}): WireFrame {
  if (isOneCall(state)) {
    return chunk(state, block.choice, { function_call: { arguments: text, ...extra } });
  }
  const index = block.call?.index ?? 0;
  const piece = block.call?.custom ? { custom: { input: text } } : { function: { arguments: text } };
  return chunk(state, block.choice, { tool_calls: [{ index, ...piece, ...extra }] });
}

function isOneCall({ frame }: EncodeState): boolean {
  return frame.oneCall === true;
}

function chunk(
  state: EncodeState,
  choice: number,
  delta: JsonObject,
  finish: string | null = null,
): WireFrame {
  const said = `{"index":${choice},"delta":${writeExact(delta)},"finish_reason":${JSON.stringify(finish)}}`;
  return { data: `${state.head},"choices":[${said}]}` };
}

/** The head of a chunk without its closing brace. */
function headOf(frame: ResponseFrame, model: string | undefined): string {
  const head = encodeHead(model === undefined ? {} : { model }, frame, "chat.completion.chunk");
  return JSON.stringify(head).slice(0, -1);
}
