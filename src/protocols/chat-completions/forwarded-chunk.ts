import { JsonFault } from "../../base/json/json-fault.ts";
import { type BodyScan, createBodyScan, type FoundValue } from "../../base/json/json-scan.ts";
import { type Edit, insertBehind, removeMembers, replaceValue, splice } from "../../base/json/json-splice.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import { type DataLine, dataLines, readFrame } from "../../base/sse.ts";
import { asObject, parseLoosely } from "../json.ts";
import { keyFilter } from "../streams/byte-filter.ts";
import { reportedFailure } from "./failure.ts";

/** One chunk of a stream as its bytes stand: what is changed of it is spliced. */
export interface ForwardedChunk {
  readonly json: Buffer;
  /** The lines of JSON in the buffer of the frame. */
  readonly lines: readonly DataLine[];
  readonly scan: BodyScan;
  readonly choices: readonly ChunkChoice[];
}

export interface ChunkChoice {
  readonly index: number;
  readonly delta: FoundValue;
  readonly role: FoundValue | undefined;
  /** The role is told, as a word. */
  readonly hasRole: boolean;
  readonly content: FoundValue | undefined;
  readonly hasText: boolean;
  /** Vendors write no text beside calls, which is as specified. */
  readonly hasCalls: boolean;
}

/** Members of every chunk's head, which are the same in all of them. */
const HEAD = ["id", "object", "created", "model"];
const WATCH = compileWatch([
  ...HEAD,
  ...["choices", "choices.index", "choices.delta", "choices.delta.role", "choices.delta.content"],
  ...["choices.delta.tool_calls", "choices.delta.function_call"],
  ...["choices.delta.reasoning", "choices.delta.reasoning_content", "choices.usage", "usage"],
  ...["choices.message.reasoning", "choices.message.reasoning_content"],
]);

/** Reads a frame; undefined = its data is no JSON object, and is nobody's to change. */
export function readChunk(buffer: Buffer, start: number, end: number): ForwardedChunk | undefined {
  const lines = dataLines(buffer, start, end);
  const json = joined(buffer, lines);
  const scan = json.length === 0 ? undefined : scanned(json);
  if (scan === undefined) return undefined;
  // The ends of its lines stand between tokens, or it were no JSON; told in one line they are spaces.
  if (lines.length > 1)
    for (let at = json.indexOf(LF); at !== -1; at = json.indexOf(LF, at)) json[at] = SPACE;
  return { json, lines, scan, choices: choicesOf(scan) };
}

function joined(buffer: Buffer, lines: readonly DataLine[]): Buffer {
  const values = lines.map(({ start, end }) => buffer.subarray(start, end));
  const [only] = values;
  if (only !== undefined && values.length === 1) return only;
  return Buffer.concat(values.flatMap((value, at) => (at === 0 ? [value] : [LINE_END, value])));
}

const LINE_END = Buffer.from("\n");
const LF = 0x0a;
const SPACE = 0x20;

function scanned(json: Buffer): BodyScan | undefined {
  try {
    const scanner = createBodyScan(WATCH);
    scanner.write(json);
    return scanner.end();
  } catch (cause) {
    if (cause instanceof JsonFault) return undefined;
    throw cause;
  }
}

function choicesOf(scan: BodyScan): readonly ChunkChoice[] {
  return scan
    .all("choices.delta")
    .filter(({ type }) => type === "object")
    .map((delta) => {
      const index = siblingValue(scan, "choices.index", delta)?.value;
      const role = within(scan, "choices.delta.role", delta);
      const content = within(scan, "choices.delta.content", delta);
      return {
        index: typeof index === "number" ? index : 0,
        delta,
        role,
        hasRole: role?.type === "string" && role.value !== "",
        content,
        hasText: content?.type === "array" ? content.items > 0 : isFilled(content),
        hasCalls: CALLS.some((name) => within(scan, name, delta) !== undefined),
      };
    });
}

/** True if a frame reports a failure; such frames are forwarded unchanged. */
export function reportsFailure(frame: string): boolean {
  const { name, data } = readFrame(frame);
  const body = asObject(parseLoosely(data));
  return body !== undefined && reportedFailure(body, name) !== undefined;
}

/** Choices or none: what holds only usage, or what a vendor tells of the prompt. */
export function hasChoices({ scan }: ForwardedChunk): boolean {
  return (scan.last("choices")?.items ?? 0) > 0;
}

/** Counts of usage, on a choice (Moonshot), or at the top, which are the last. */
export function usagesOf({ scan }: ForwardedChunk, topOnly = false): readonly FoundValue[] {
  const all = topOnly ? scan.all("usage") : [...scan.all("choices.usage"), ...scan.all("usage")];
  return all.filter(({ type }) => type === "object");
}

/** A text that is empty where a chunk that tells the role has none, or null. */
export function withText({ role, content, hasCalls }: ChunkChoice): readonly Edit[] {
  if (hasCalls || role === undefined) return [];
  if (content === undefined) return [insertBehind(role, "content", '""')];
  return content.type === "null" ? [replaceValue(content, '""')] : [];
}

/** Takes usage out, and the nulls that stand for it. */
export function withoutUsage(chunk: ForwardedChunk, withNulls: boolean): readonly Edit[] {
  const nulls = withNulls ? chunk.scan.all("usage").filter(({ type }) => type === "null") : [];
  return removeMembers([chunk.json], [...usagesOf(chunk), ...nulls]);
}

export function withoutRoles({ json }: ForwardedChunk, choices: readonly ChunkChoice[]): readonly Edit[] {
  return removeMembers(
    [json],
    choices.flatMap(({ role }) => (role === undefined ? [] : [role])),
  );
}

/**
 * Copies reasoning from `reasoning` to `reasoning_content` where the vendor does not send both. Of names that one
 * object has several times the last counts, as for every reader.
 */
export function copyReasoning(
  { json, scan }: Pick<ForwardedChunk, "json" | "scan">,
  holder: string,
): readonly Edit[] {
  const found = lastOfEach(scan.all(`${holder}.reasoning_content`));
  return [...lastOfEach(scan.all(`${holder}.reasoning`)).values()].flatMap((thought) => {
    if (thought.type !== "string") return [];
    const own = found.get(thought.parent);
    if (own !== undefined && own.type !== "null") return [];
    const words = json.toString("utf8", thought.start, thought.end);
    return [own === undefined ? insertBehind(thought, "reasoning_content", words) : replaceValue(own, words)];
  });
}

/** The last value of each object, by the object. */
function lastOfEach(values: readonly FoundValue[]): ReadonlyMap<number, FoundValue> {
  return new Map(values.map((value) => [value.parent, value]));
}

/** The members that all chunks of a stream have in common, as JSON text. */
export function headOf({ json, scan }: ForwardedChunk): string {
  const members = HEAD.flatMap((name) => {
    const found = scan.last(name);
    if (found === undefined) return name === "object" ? [OBJECT] : [];
    return [`"${name}":${json.toString("utf8", found.start, found.end)}`];
  });
  return members.join(",");
}

/**
 * The same in a plain response. The very pieces where nothing is to be told.
 */
export function copyReasoningOfResponse(body: readonly Buffer[]): readonly Buffer[] {
  const json = Buffer.concat(body);
  const holdsThought = openReasoningFilter();
  const scan = holdsThought(json, 0, json.length) ? scanned(json) : undefined;
  const edits = scan === undefined ? [] : copyReasoning({ json, scan }, "choices.message");
  return edits.length === 0 ? body : splice([json], edits);
}

const CALLS = ["choices.delta.tool_calls", "choices.delta.function_call"];

/** Thoughts under the name that is told as another. */
export const openReasoningFilter = keyFilter("reasoning");

export const OBJECT = '"object":"chat.completion.chunk"';

function within(scan: BodyScan, path: string, { start }: FoundValue): FoundValue | undefined {
  return scan.all(path).findLast(({ parent }) => parent === start);
}

function siblingValue(scan: BodyScan, path: string, { parent: object }: FoundValue): FoundValue | undefined {
  return scan.all(path).findLast(({ parent }) => parent === object);
}

/** Long texts are not decoded, and are none the less filled. */
function isFilled(value: FoundValue | undefined): boolean {
  return value?.type === "string" && value.value !== "";
}
