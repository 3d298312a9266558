import { type BlockState, type BlockWriter, noBlocks, writeBlocks } from "../../conversation/adapt/blocks.ts";
import type { StreamTransform } from "../../conversation/adapt/stream-transform.ts";
import { textOfArguments } from "../../conversation/adapt/whole-calls.ts";
import type { ChatEvent } from "../../conversation/event.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import { statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asArray, asName, asObject, asText, type JsonObject } from "../json.ts";
import { asUsage, latestCounts } from "../streams/latest-counts.ts";
import type { StreamEvent } from "../streams/stream-event.ts";
import { decodeCitation } from "./citations.ts";
import { calledByCode, foreignBlock } from "./decode-response.ts";
import { readInput } from "./encode-parts.ts";
import { decodeFinish } from "./finish.ts";
import { isSigned } from "./signature.ts";
import { beyondStart, messagesUsage, withoutOutput } from "./usage.ts";

/** Reads an upstream's messages stream. */
export const decodeStream: StreamTransform<ResponsePlan, DecodeState, StreamEvent, ChatEvent> = {
  initial: (plan) => ({
    plan,
    started: false,
    ended: false,
    blocks: noBlocks(),
    notes: new Map(),
    usage: undefined,
    stop: {},
  }),

  step(state, { name, exact }) {
    const event = state.ended ? undefined : asObject(exact);
    if (event === undefined) return [state, []];
    const writer = writeBlocks(state.blocks);
    const next = stepEvent(state, event, asText(event["type"]) || name, writer);
    return [next, writer.events];
  },

  end: (state) => (state.ended ? [] : [{ type: "error", error: BROKEN_OFF }]),
};

export interface DecodeState {
  readonly plan: ResponsePlan;
  readonly started: boolean;
  readonly ended: boolean;
  readonly blocks: BlockState;
  /** The state of each block that is open on the wire, by its index there. */
  readonly notes: Map<string, Note>;
  /** The counts so far: each statement is of the whole and replaces the one before (rule 6). */
  readonly usage: JsonObject | undefined;
  /** Why the response ends, as `message_delta` says it. */
  readonly stop: JsonObject;
}

/** `text` is what the block has besides its deltas: a signature, hidden thoughts, arguments, JSON of a foreign input. */
interface Note {
  readonly kind: "text" | "thinking" | "redacted" | "call" | "foreign";
  text: string;
  readonly value: JsonObject;
  /** The latest text of a compaction. */
  compacted?: unknown;
}

function stepEvent(state: DecodeState, event: JsonObject, type: string, writer: BlockWriter): DecodeState {
  if (type === "error" || statesError(event)) {
    writer.emit({ type: "error", error: decodeStatedError(event) });
    return { ...state, ended: true };
  }
  switch (type) {
    case "message_start":
      return startMessage(state, asObject(event["message"]) ?? {}, writer);
    case "content_block_start":
      return startBlock(opened(state, writer), keyOf(event), asObject(event["content_block"]) ?? {}, writer);
    case "content_block_delta":
      return growBlock(opened(state, writer), keyOf(event), asObject(event["delta"]) ?? {}, writer);
    case "content_block_stop":
      stopBlock(state, keyOf(event), writer);
      return state;
    case "message_delta": {
      const stop = joinStop(state.stop, asObject(event["delta"]) ?? {});
      return countUsage({ ...opened(state, writer), stop }, asUsage(event["usage"]));
    }
    case "message_stop": {
      const closed = opened(state, writer);
      for (const key of state.notes.keys()) stopBlock(closed, key, writer);
      writer.closeAll();
      if (state.usage !== undefined)
        writer.emit({ type: "usage", usage: messagesUsage.buckets(state.usage) });
      writer.emit({ type: "finish", choice: 0, finish: decodeFinish(state.stop) });
      return { ...closed, ended: true };
    }
    // Pings, and events that are not known here (rule 18).
    default:
      return state;
  }
}

/** The first event opens the response, whichever it is; some servers splice two answers and start twice. */
function opened(state: DecodeState, writer: BlockWriter, message: JsonObject = {}): DecodeState {
  if (state.started) return state;
  writer.emit({ type: "response-start", id: asName(message["id"]), model: asName(message["model"]) });
  return { ...state, started: true };
}

function startMessage(state: DecodeState, message: JsonObject, writer: BlockWriter): DecodeState {
  const counted = countUsage(opened(state, writer, message), withoutOutput(asUsage(message["usage"])));
  // Calls that wait for a result of the vendor's own tools come whole, in the start.
  for (const [index, value] of asArray(message["content"]).entries()) {
    const key = `start ${index}`;
    startBlock(counted, key, asObject(value) ?? {}, writer);
    stopBlock(counted, key, writer);
  }
  return counted;
}

/** It is told once, at the end. */
function countUsage(state: DecodeState, stated: JsonObject | undefined): DecodeState {
  if (stated === undefined) return state;
  return { ...state, usage: latestCounts(state.usage, beyondStart(state.usage, stated) ?? stated) };
}

/**
 * Keeps the known fields of the latest `message_delta` that has them. Other fields are ignored, since a vendor may
 * write any number of them.
 */
function joinStop(before: JsonObject, delta: JsonObject): JsonObject {
  const joined: Record<string, unknown> = { ...before };
  for (const field of STOP_FIELDS) if (field in delta) joined[field] = delta[field];
  return joined;
}

const STOP_FIELDS = ["stop_reason", "stop_sequence", "stop_details"];

function startBlock(state: DecodeState, key: string, block: JsonObject, writer: BlockWriter): DecodeState {
  stopBlock(state, key, writer);
  const note = (kind: Note["kind"], text: string): DecodeState =>
    noted(state, key, { kind, text, value: block });
  const place = { key, choice: 0 };
  switch (block["type"]) {
    case "text":
      writer.text(place, asText(block["text"]));
      for (const citation of asArray(block["citations"])) cite(key, citation, writer);
      return note("text", "");
    case "thinking":
      writer.reasoning(place, asText(block["thinking"]));
      return note("thinking", asText(block["signature"]));
    case "redacted_thinking":
      writer.reasoning(place, "");
      return note("redacted", asText(block["data"]));
    case "tool_use":
      writer.toolCall(place, {
        id: asText(block["id"]) || makeCallId(state.plan.seed, writer.state.next),
        name: asText(block["name"]),
        ...calledByCode(block),
      });
      return note("call", "");
    default:
      return note("foreign", "");
  }
}

function growBlock(state: DecodeState, key: string, delta: JsonObject, writer: BlockWriter): DecodeState {
  const note = state.notes.get(key);
  const place = { key, choice: 0 };
  switch (delta["type"]) {
    case "text_delta":
      if (note !== undefined && note.kind !== "text") return state;
      writer.text(place, asText(delta["text"]));
      return note === undefined ? noted(state, key, { kind: "text", text: "", value: {} }) : state;
    case "thinking_delta":
      if (note !== undefined && note.kind !== "thinking") return state;
      writer.reasoning(place, asText(delta["thinking"]));
      return note === undefined ? noted(state, key, { kind: "thinking", text: "", value: {} }) : state;
    case "signature_delta":
      if (note?.kind === "thinking") note.text = asText(delta["signature"]);
      return state;
    case "input_json_delta": {
      if (note?.kind !== "call" && note?.kind !== "foreign") return state;
      const piece = textOfArguments(delta["partial_json"]);
      writer.arguments(key, piece);
      note.text += piece;
      return state;
    }
    case "citations_delta":
      cite(key, delta["citation"], writer);
      return state;
    case "compaction_delta":
      if (note?.kind === "foreign") note.compacted = delta["content"];
      return state;
    default:
      return state;
  }
}

function stopBlock(state: DecodeState, key: string, writer: BlockWriter): void {
  const note = state.notes.get(key);
  if (note === undefined) return;
  state.notes.delete(key);
  const { origin } = state.plan;
  const opaque = isSigned(note.text) ? { origin, value: note.text } : undefined;
  if (note.kind === "thinking") writer.close(key, { opaque });
  else if (note.kind === "redacted")
    writer.close(key, { redacted: true, opaque: { origin, value: note.text } });
  else if (note.kind === "foreign") writer.whole(0, foreignBlock(withDeltas(note), writer.state.next));
  else {
    // Without deltas the arguments are those of the start.
    if (note.kind === "call" && note.text === "") {
      writer.arguments(key, textOfArguments(note.value["input"]));
    }
    writer.close(key);
  }
}

function withDeltas({ value, text, compacted }: Note): JsonObject {
  if (compacted !== undefined) return { ...value, content: compacted };
  return text === "" ? value : { ...value, input: readInput(text) ?? {} };
}

function cite(key: string, citation: unknown, writer: BlockWriter): void {
  const value = asObject(citation);
  if (value !== undefined) writer.citation(key, decodeCitation(value));
}

function noted(state: DecodeState, key: string, note: Note): DecodeState {
  state.notes.set(key, note);
  return state;
}

/** A vendor that leaves the index out, or writes anything else there, has one block at a time. */
function keyOf({ index }: JsonObject): string {
  return typeof index === "number" ? String(index) : "";
}

const BROKEN_OFF = decodeStatedError({
  error: { message: "The upstream's stream ended early." },
});
