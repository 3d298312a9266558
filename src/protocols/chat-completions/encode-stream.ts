import { writeExact } from "../../base/json/exact-json.ts";
import type { StreamTransform } from "../../conversation/adapt/stream-transform.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import type { ResponseFrame } from "../../conversation/lower/plan.ts";
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
export const encodeStream: StreamTransform<ResponseFrame, EncodeState, ChatEvent, WireFrame> = {
  initial: (frame) => ({
    frame,
    head: headOf(frame, undefined),
    usage: undefined,
    opened: new Set(),
    blocks: new Map(),
    lengths: new Map(),
    callCounts: new Map(),
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
  /** The first fields of every chunk as JSON text, because they are written once an event. */
  readonly head: string;
  readonly usage: TokenUsage | undefined;
  /** Choices whose first chunk, which states the role, is out. */
  readonly opened: Set<number>;
  /** Those that are open. */
  readonly blocks: Map<number, Block>;
  /** Characters of content so far, by choice. */
  readonly lengths: Map<number, number>;
  /** Calls so far, by choice. */
  readonly callCounts: Map<number, number>;
  readonly phase: "open" | "finished" | "failed";
}

interface Block {
  readonly choice: number;
  readonly field: "content" | "refusal" | "reasoning_content" | "tool_calls";
  /** The offset of the block's text in that of its choice, for citations. */
  readonly offset: number;
  readonly call: { readonly index: number; readonly custom: boolean; begun: boolean } | undefined;
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
      const index = state.callCounts.get(event.choice) ?? 0;
      state.callCounts.set(event.choice, index + 1);
      const custom = event.custom === true;
      const [next, frames] = openBlock(state, event, "tool_calls", { index, custom, begun: false });
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
      if (block === undefined) return [state, []];
      if (event.type.endsWith("-end")) state.blocks.delete(event.block);
      return [state, writeDelta(state, event, block)];
    }
  }
}

type DeltaEvent = Exclude<BlockEvent, { readonly choice: number }>;

function writeDelta(state: EncodeState, event: DeltaEvent, block: Block): readonly WireFrame[] {
  switch (event.type) {
    case "text-delta":
      lengthen(state, block, event.text);
      return [chunk(state, block.choice, { [block.field]: event.text })];
    case "reasoning-delta":
      return [chunk(state, block.choice, { reasoning_content: event.text })];
    case "tool-call-delta":
      if (block.call !== undefined) block.call.begun = true;
      return [callChunk(state, block, event.arguments)];
    case "citation": {
      const annotations = encodeCitation(event.citation, block.offset);
      return annotations.length === 0 ? [] : [chunk(state, block.choice, { annotations })];
    }
    case "text-end":
    case "reasoning-end":
      return [];
    case "tool-call-end": {
      const frames: WireFrame[] = [];
      // A call without arguments is `{}`, which clients parse (rule 14).
      if (block.call?.begun === false && !block.call.custom) frames.push(callChunk(state, block, "{}"));
      if (event.opaque !== undefined) {
        frames.push(callChunk(state, block, "", { extra_content: encodeLateState(event.opaque) }));
      }
      return frames;
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
  const offset = state.lengths.get(choice) ?? 0;
  next.blocks.set(block, { choice, field, offset, call });
  return [next, frames];
}

function lengthen({ lengths }: EncodeState, { field, choice }: Block, text: string): void {
  if (field === "content") lengths.set(choice, (lengths.get(choice) ?? 0) + text.length);
}

/** The first chunk of a choice carries the role and empty content (rule 15). */
function opened(state: EncodeState, choice: number): Step {
  if (state.opened.has(choice)) return [state, []];
  state.opened.add(choice);
  return [state, [chunk(state, choice, { role: "assistant", content: "" })]];
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
