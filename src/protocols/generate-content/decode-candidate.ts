import type { BlockWriter } from "../../conversation/adapt/blocks.ts";
import { textOfArguments } from "../../conversation/adapt/whole-calls.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import { mediaOfType } from "../../conversation/media.ts";
import type { MediaPart } from "../../conversation/request.ts";
import type { Opaque } from "../../conversation/state/opaque.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { UNEXPECTED_FORMAT } from "../response-form.ts";
import { BESIDE } from "./encode-parts.ts";
import { hasUnspecifiedFinish } from "./enums.ts";
import { laterFinish } from "./finish.ts";
import { isUnnamed } from "./form.ts";
import { decodeGrounding } from "./grounding.ts";
import { PartialArguments } from "./partial-arguments.ts";

/** One candidate as far as it has come. */
export interface CandidateState {
  readonly index: number;
  /** The kind of the open block. */
  readonly open: "text" | "reasoning" | undefined;
  /** The open text so far: citations come after it. */
  readonly text: string;
  /** State of the open block; its next piece of words would be another block's. */
  readonly state: Opaque | undefined;
  /** A call whose arguments still come. */
  readonly call: OpenCall | undefined;
  /** The ids of its latest calls. */
  readonly ids: Set<string>;
  /** The candidate's statements about its sources, the latest of each kind. */
  readonly beside: JsonObject;
  /** The vendor's word; undefined while it is still talking. */
  readonly finish: string | undefined;
  /** The number of unspecified finishes that it stated. */
  readonly unspecified: number;
  readonly message: string;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly args: PartialArguments;
  readonly state: Opaque | undefined;
}

export function blankCandidate(index: number): CandidateState {
  return {
    index,
    open: undefined,
    text: "",
    state: undefined,
    call: undefined,
    ids: new Set(),
    beside: {},
    finish: undefined,
    unspecified: 0,
    message: "",
  };
}

/** Reads one chunk's share of a candidate; `word`: why it ended, "" where the chunk does not say so. */
export function readCandidate(
  before: CandidateState,
  wire: JsonObject,
  word: string,
  blocks: BlockWriter,
  plan: ResponsePlan,
): CandidateState {
  const content = asObject(wire["content"]) ?? {};
  let after = before;
  for (const part of asObjects(content["parts"])) after = readPart(after, part, blocks, plan);
  const beside = besideIn(after.beside, wire);
  const finish = word === "" ? after.finish : laterFinish(after.finish ?? "", word);
  const unspecified = after.unspecified + Number(hasUnspecifiedFinish(wire));
  const message = asText(wire["finishMessage"]) || after.message;
  const isSame =
    beside === after.beside &&
    finish === after.finish &&
    unspecified === after.unspecified &&
    message === after.message;
  return isSame ? after : { ...after, beside, finish, unspecified, message };
}

function besideIn(before: JsonObject, wire: JsonObject): JsonObject {
  let after = before;
  for (const key of BESIDE) {
    const value = asObject(wire[key]);
    if (value !== undefined && Object.keys(value).length > 0) after = { ...after, [key]: value };
  }
  return after;
}

/** Nothing more comes: closes what is open, citations and what else was said of sources before that. */
export function closeCandidate(
  before: CandidateState,
  blocks: BlockWriter,
  plan: ResponsePlan,
): CandidateState {
  const called = before.call === undefined ? before : endCall(before, blocks, plan, before.finish === "STOP");
  const { index, beside, text, open } = called;
  const metadata = asObject(beside["groundingMetadata"]);
  if (metadata !== undefined && open === "text") {
    for (const citation of decodeGrounding(metadata, text)) blocks.citation(keyOf(index), citation);
  }
  const closed = closeBlock(called, blocks);
  if (Object.keys(beside).length > 0) blocks.whole(index, foreignPart(beside, index));
  return closed;
}

function readPart(
  before: CandidateState,
  part: JsonObject,
  blocks: BlockWriter,
  plan: ResponsePlan,
): CandidateState {
  const state = stateOf(part, plan);
  const call = asObject(part["functionCall"]);
  if (call !== undefined && isUnnamed(part) && before.call === undefined) {
    blocks.emit({ type: "error", error: UNEXPECTED_FORMAT });
    return before;
  }
  if (call !== undefined) return readCall(closeBlock(before, blocks), call, state, blocks, plan);
  const media = mediaIn(part);
  if (media !== undefined) {
    const closed = closeBlock(before, blocks);
    blocks.whole(before.index, state === undefined ? media : { ...media, opaque: state });
    return closed;
  }
  const isBare = isEmptyFile(part) || Object.keys(part).every((key) => key.startsWith("thought"));
  if (isBare || typeof part["text"] === "string") return readWords(before, part, state, blocks);
  const closed = closeBlock(before, blocks);
  blocks.whole(before.index, foreignPart(part, before.index));
  return closed;
}

/** Pieces of words of one kind are one block, until one of them carries state; empty ones say nothing. */
function readWords(
  before: CandidateState,
  part: JsonObject,
  state: Opaque | undefined,
  blocks: BlockWriter,
): CandidateState {
  const text = asText(part["text"]);
  if (text === "" && state === undefined) return before;
  const kind = part["thought"] === true ? "reasoning" : "text";
  const goesOn = before.open === kind && before.state === undefined;
  const at = goesOn ? before : closeBlock(before, blocks);
  const place = { key: keyOf(at.index), choice: at.index };
  if (kind === "text") blocks.text(place, text);
  else blocks.reasoning(place, text);
  // Written out, as in every event of a stream: spreading the state costs more than all else here.
  const { index, call, ids, beside, finish, unspecified, message } = at;
  return { index, open: kind, text: at.text + text, state, call, ids, beside, finish, unspecified, message };
}

/** Calls come whole (rule 17), but for those whose caller asked for pieces. */
function readCall(
  before: CandidateState,
  call: JsonObject,
  state: Opaque | undefined,
  blocks: BlockWriter,
  plan: ResponsePlan,
): CandidateState {
  const name = asText(call["name"]);
  const starts = name !== "" || before.call === undefined;
  const at = starts && before.call !== undefined ? endCall(before, blocks, plan, true) : before;
  const known = starts ? { id: asText(call["id"]), name, args: new PartialArguments(), state } : at.call;
  if (known === undefined || known.name === "") return at;
  known.args.put(call["args"]);
  known.args.place(call["partialArgs"]);
  const grown = { ...at, call: { ...known, state: state ?? known.state } };
  return call["willContinue"] === true ? grown : endCall(grown, blocks, plan, true);
}

/** `whole` false: the response broke off in its midst, and so do its arguments (rule 11). */
function endCall(
  before: CandidateState,
  blocks: BlockWriter,
  plan: ResponsePlan,
  whole: boolean,
): CandidateState {
  const { call, index } = before;
  if (call === undefined) return before;
  const key = keyOf(index);
  // Servers that take a call's name for its id give several calls of one tool the same (rule 22).
  const taken = call.id === "" || before.ids.has(call.id);
  const id = taken ? makeCallId(plan.seed, blocks.state.next) : call.id;
  const text = textOfArguments(call.args.whole);
  const state = call.state === undefined ? {} : { opaque: call.state };
  blocks.toolCall({ key, choice: index }, { id, name: call.name, ...state });
  blocks.arguments(key, whole ? text : text.slice(0, -1) || "{");
  blocks.close(key);
  before.ids.add(id);
  if (before.ids.size > REMEMBERED_IDS) before.ids.delete(before.ids.values().next().value ?? "");
  return { ...before, call: undefined };
}

function closeBlock(before: CandidateState, blocks: BlockWriter): CandidateState {
  if (before.open === undefined) return before;
  blocks.close(keyOf(before.index), { opaque: before.state });
  return { ...before, open: undefined, text: "", state: undefined };
}

/** A file of no bytes, as servers write that fill in every field. */
export function isEmptyFile(part: JsonObject): boolean {
  return fileIn(part) !== undefined && mediaIn(part) === undefined;
}

function fileIn(part: JsonObject): JsonObject | undefined {
  return asObject(part["inlineData"]) ?? asObject(part["fileData"]);
}

/** The file that a part is, in bytes or by its address. */
export function mediaIn(part: JsonObject): MediaPart | undefined {
  const blob = fileIn(part);
  const data = asText(blob?.["data"]);
  const uri = asText(blob?.["fileUri"]);
  if (data === "" && uri === "") return undefined;
  const mimeType = asText(blob?.["mimeType"]) || undefined;
  return {
    kind: "media",
    media: mediaOfType(mimeType),
    source: data === "" ? { from: "url", url: uri } : { from: "base64", data },
    mimeType,
  };
}

/** The vendor's own tools at work, and what it says of sources: for callers of this protocol. */
function foreignPart(value: JsonObject, index: number) {
  const path = `candidates[${index}].${Object.keys(value)[0] ?? "content"}`;
  return { kind: "foreign", protocol: "generate-content", value, ifUnsupported: "drop", path } as const;
}

function stateOf(part: JsonObject, { origin }: ResponsePlan): Opaque | undefined {
  const value = asText(part["thoughtSignature"]);
  return value === "" ? undefined : { origin, value };
}

function keyOf(index: number): string {
  return String(index);
}

/** Far more than one response calls; a stream that invents them grows no state. */
const REMEMBERED_IDS = 1000;
