import { appendAll } from "../../base/append-all.ts";
import { type Edit, splice } from "../../base/json/json-splice.ts";
import { asBuffer, indexIn, openFinder, openFrameScanner, readFrame, writeFrame } from "../../base/sse.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import type { ForwardedStream } from "../forward-rewrite.ts";
import { type KeyFinder, keyFilter, openKeyFinder } from "../streams/byte-filter.ts";
import { encodeUsage } from "./encode-usage.ts";
import {
  copyReasoning,
  type ForwardedChunk,
  hasChoices,
  headOf,
  OBJECT,
  openReasoningFilter,
  readChunk,
  reportsFailure,
  usagesOf,
  withoutRoles,
  withoutUsage,
  withText,
} from "./forwarded-chunk.ts";

/** The changes to the upstream's stream. */
export interface StreamTerms {
  /**
   * `asked`: the caller gets the usage in one chunk of its own before the end; `throughout`: and wherever else its upstream
   * states it; `unasked`: it gets none, for only the gateway has asked.
   */
  readonly usage: "asked" | "throughout" | "unasked";
  /** Choices to be opened. */
  readonly responses: number;
  /** The upstream sends reasoning as `reasoning`, which is copied to `reasoning_content`. */
  readonly copiesReasoning: boolean;
}

/**
 * Passes a stream on as the specification has it: the first chunk of a choice states its role and no text, the last one
 * before `[DONE]` states the usage to those who asked for it and nobody else. Frames are told apart by their bytes. Those of
 * the beginning are read, and later ones only where they hold what may have to be moved; all others pass as views of the
 * chunks that they came in. A frame that was cut apart is held until it is whole, as the meter holds it, up to the size
 * beyond which no frame is looked at.
 */
export function openForwardedStream(terms: StreamTerms): ForwardedStream {
  const stream = new Rewriter(terms);
  const scanner = openFrameScanner({
    frame: (buffer, start, end, next) => stream.frame(buffer, start, end, next),
    oversized: (part) => stream.oversized(part),
  });
  let isBetweenFrames = true;
  return {
    write(chunk) {
      const bytes = asBuffer(chunk);
      // Nearly every chunk holds whole frames, and nothing that matters.
      if (isBetweenFrames && stream.passes(bytes)) return [bytes];
      isBetweenFrames = scanner.write(bytes) === bytes.length;
      return stream.take();
    },
    end() {
      scanner.end();
      return stream.take();
    },
    closing: (charged) => stream.closing(charged),
  };
}

class Rewriter {
  readonly #terms: StreamTerms;
  readonly #findUsage: KeyFinder = openKeyFinder("usage");
  readonly #findDone = openFinder(DONE);
  readonly #holdsUsage = openUsageLook();
  readonly #holdsRole = openRoleLook();
  readonly #holdsThought = openReasoningFilter();
  #out: Buffer[] = [];
  // Neighbouring frames of one buffer leave as one piece.
  #piece: { readonly buffer: Buffer; readonly start: number; end: number } | undefined;
  /** Choices whose role is told. */
  readonly #opened = new Set<number>();
  #opening = true;
  /** Its chunks hold nulls to be cut, most likely every one. */
  #hasNulls = false;
  #head = OBJECT;
  /** The vendor's own chunk of usage, as it came. */
  #counted: Buffer | undefined;
  /** Usage that stood elsewhere. */
  #moved: string | undefined;
  #done: Buffer | undefined;
  /** The fate of the last frame: sent, dropped, or kept as one of these. */
  #last: "told" | "dropped" | "counted" | "done" = "told";

  constructor(terms: StreamTerms) {
    this.#terms = terms;
  }

  /** True if whole frames pass as they are: a look at their bytes, without telling them apart. */
  passes(frames: Buffer): boolean {
    const end = frames.length;
    if (this.#opening || this.#hasNulls || frames[end - 1] !== LF || frames[end - 2] !== LF) return false;
    if (this.#terms.usage === "unasked") {
      if (this.#findUsage(frames, 0, end) !== -1) return false;
    } else if (this.#holdsUsage(frames, 0, end) || indexIn(frames, DONE, 0) !== -1) return false;
    return !this.#holdsMore(frames, 0, end);
  }

  frame(buffer: Buffer, start: number, end: number, next: number): void {
    if (start === end) this.#close(buffer, start, next);
    else this.#read(buffer, start, end, next);
  }

  #read(buffer: Buffer, start: number, end: number, next: number): void {
    this.#last = "told";
    const isAsked = this.#terms.usage !== "unasked";
    const usage = this.#findUsage(buffer, start, end);
    const isNull = usage !== -1 && buffer[usage] === LETTER_N && this.#findUsage(buffer, usage, end) === -1;
    if (this.#opening || (usage !== -1 && !isNull) || this.#holdsMore(buffer, start, end))
      this.#rewrite(buffer, start, end, next);
    else if (isNull && !isAsked) this.#passWithoutNull(buffer, start, end, next, usage);
    else if (isAsked && this.#findDone(buffer, start, end) !== -1 && isDone(buffer, start, end))
      this.#keepDone(closed(buffer, start, end, next));
    else this.#pass(buffer, start, next);
    // The last one of a stream that does not close it: more is to follow.
    if (next === end && isAsked && this.#done === undefined) this.#put(BLANK_LINE);
  }

  /** A line end behind a frame: half of the one that has closed it, which came in a later chunk, goes where the frame went. */
  #close(buffer: Buffer, start: number, next: number): void {
    const lineEnd = buffer.subarray(start, next);
    if (this.#last === "told") this.#pass(buffer, start, next);
    else if (this.#last === "counted" && this.#counted !== undefined)
      this.#counted = Buffer.concat([this.#counted, lineEnd]);
    else if (this.#last === "done" && this.#done !== undefined)
      this.#done = Buffer.concat([this.#done, lineEnd]);
  }

  #keepDone(frame: Buffer): void {
    this.#last = "done";
    this.#done = frame;
  }

  /** A frame too large to be looked at is content: choices begin with it, if they have not begun. */
  oversized(part: Buffer): void {
    this.#last = "told";
    this.#opening = false;
    this.#put(part);
  }

  take(): readonly Buffer[] {
    this.#cut();
    const pieces = this.#out;
    this.#out = [];
    // Each write costs more than to copy what it writes.
    return pieces.length > 1 ? [Buffer.concat(pieces)] : pieces;
  }

  closing(charged: TokenUsage): readonly Buffer[] {
    if (this.#terms.usage === "unasked") return [];
    const usage = this.#moved ?? JSON.stringify(encodeUsage(charged));
    const counted = this.#counted ?? Buffer.from(writeFrame(`{${this.#head},"choices":[],"usage":${usage}}`));
    return [counted, this.#done ?? Buffer.from(writeFrame("[DONE]"))];
  }

  #holdsMore(buffer: Buffer, start: number, end: number): boolean {
    return (
      this.#holdsRole(buffer, start, end) ||
      (this.#terms.copiesReasoning && this.#holdsThought(buffer, start, end))
    );
  }

  #rewrite(buffer: Buffer, start: number, end: number, next: number): void {
    const { usage, copiesReasoning } = this.#terms;
    const chunk = readChunk(buffer, start, end);
    if (chunk === undefined) {
      if (usage !== "unasked" && isDone(buffer, start, end)) this.#keepDone(closed(buffer, start, end, next));
      else this.#pass(buffer, start, next);
      return;
    }
    const hasUsage = usagesOf(chunk).length > 0;
    if ((this.#opening || hasUsage) && reportsFailure(buffer.toString("utf8", start, end))) {
      this.#pass(buffer, start, next);
      return;
    }
    if (hasUsage && !hasChoices(chunk)) {
      this.#last = "dropped";
      if (usage !== "unasked" && usagesOf(chunk).some(({ items }) => items > 0)) {
        this.#last = "counted";
        this.#counted = closed(buffer, start, end, next);
      }
      return;
    }
    const edits: Edit[] = [];
    if (this.#opening) appendAll(edits, this.#open(chunk));
    else appendAll(edits, this.#withoutSecondRoles(chunk));
    if (copiesReasoning) appendAll(edits, copyReasoning(chunk, "choices.delta"));
    if (usage !== "throughout") appendAll(edits, withoutUsage(chunk, usage === "unasked"));
    if (hasUsage) this.#move(chunk);
    if (edits.length === 0) {
      this.#pass(buffer, start, next);
      return;
    }
    this.#replace(buffer, start, next, chunk, splice([chunk.json], edits));
  }

  /** Puts JSON in the place of a frame's data: its first line tells all of it, and every other field stays. */
  #replace(
    buffer: Buffer,
    start: number,
    next: number,
    { lines }: ForwardedChunk,
    json: readonly Buffer[],
  ): void {
    let at = start;
    for (const [index, line] of lines.entries()) {
      this.#pass(buffer, at, index === 0 ? line.start : line.from);
      if (index === 0) for (const piece of json) this.#put(piece);
      at = index === 0 ? line.end : line.next;
    }
    this.#pass(buffer, at, next);
  }

  /** Tells the role of choices that begin with this chunk, where it does not do so by itself. */
  #open(chunk: ForwardedChunk): readonly Edit[] {
    if (chunk.choices.length > 0 && this.#opened.size === 0) this.#head = headOf(chunk);
    const begun = chunk.choices.filter(({ index }) => !this.#opened.has(index));
    const separate = begun.filter(({ hasRole, hasText }) => !hasRole || hasText);
    // In one chunk for all of them, since each repeats the head, in which a vendor may write what it likes.
    if (separate.length > 0) {
      const choices = separate.map(({ index }) => `{"index":${index},${OPENING}}`).join(",");
      this.#put(Buffer.from(writeFrame(`{${headOf(chunk)},"choices":[${choices}]}`)));
    }
    for (const { index } of begun) this.#opened.add(index);
    this.#opening = this.#opened.size < this.#terms.responses;
    const again = chunk.choices.filter((each) => !begun.includes(each));
    return [
      ...withoutRoles(
        chunk,
        separate.filter(({ hasRole }) => hasRole),
      ),
      ...begun.filter((each) => !separate.includes(each)).flatMap(withText),
      ...this.#withoutSecondRoles({ ...chunk, choices: again }),
    ];
  }

  /** Clients join what comes twice: some vendors tell the role in every chunk, which reads as "assistantassistant". */
  #withoutSecondRoles(chunk: ForwardedChunk): readonly Edit[] {
    return withoutRoles(
      chunk,
      chunk.choices.filter(({ index, hasRole }) => hasRole && this.#opened.has(index)),
    );
  }

  /** Each of several choices may state its own share; the charge is for all of them together. */
  #move(chunk: ForwardedChunk): void {
    const last = usagesOf(chunk, this.#terms.responses > 1).at(-1);
    if (last !== undefined && last.items > 0) this.#moved = chunk.json.toString("utf8", last.start, last.end);
  }

  /** The usage that vendors announce by null in each chunk once they are asked for it. */
  #passWithoutNull(buffer: Buffer, start: number, end: number, next: number, value: number): void {
    const range = topNull(buffer, start, end, value);
    if (range === undefined) {
      this.#rewrite(buffer, start, end, next);
      return;
    }
    this.#hasNulls = true;
    this.#pass(buffer, start, range.start);
    this.#pass(buffer, range.end, next);
  }

  #pass(buffer: Buffer, start: number, end: number): void {
    if (this.#piece?.buffer === buffer && this.#piece.end === start) {
      this.#piece.end = end;
      return;
    }
    this.#cut();
    this.#piece = { buffer, start, end };
  }

  #put(bytes: Buffer): void {
    this.#cut();
    this.#out.push(bytes);
  }

  #cut(): void {
    if (this.#piece === undefined) return;
    const { buffer, start, end } = this.#piece;
    this.#piece = undefined;
    if (end - start === buffer.length) this.#out.push(buffer);
    else if (end > start) this.#out.push(buffer.subarray(start, end));
  }
}

/**
 * The range of a null of the chunk itself, with one comma. Brackets are counted from the value to the frame's end,
 * which is near, and not from the beginning. undefined = the null is another object's, or the frame has more than one
 * line.
 */
function topNull(
  buffer: Buffer,
  start: number,
  end: number,
  value: number,
): { start: number; end: number } | undefined {
  const behind = value + NULL.length;
  if (buffer[behind - 1] !== LETTER_L || !closesChunk(buffer, behind, end)) return undefined;
  let key = value - 1;
  while (buffer[key] !== QUOTE) key -= 1;
  key -= KEY.length - 1;
  let before = key - 1;
  while (before > start && (buffer[before] ?? 0) <= SPACE) before -= 1;
  if (buffer[before] === COMMA) return { start: before, end: behind };
  if (buffer[before] !== BRACE) return undefined;
  let after = behind;
  while (after < end && (buffer[after] ?? 0) <= SPACE) after += 1;
  if (buffer[after] === COMMA) return { start: key, end: after + 1 };
  return buffer[after] === CLOSING_BRACE ? { start: key, end: behind } : undefined;
}

/** True if the object that the next closing bracket closes is the outermost one. */
function closesChunk(buffer: Buffer, start: number, end: number): boolean {
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const byte = buffer[at];
    if (byte === QUOTE) at = endOfString(buffer, at + 1, end);
    else if (byte === BRACE || byte === BRACKET) depth += 1;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth -= 1;
    if (depth < 0) return isBlank(buffer, at + 1, end);
  }
  return false;
}

function isBlank(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((buffer[at] ?? 0) > SPACE) return false;
  return true;
}

function endOfString(buffer: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && buffer[at] !== QUOTE) at += buffer[at] === BACKSLASH ? 2 : 1;
  return at;
}

function isDone(buffer: Buffer, start: number, end: number): boolean {
  return readFrame(buffer.toString("utf8", start, end)).data.trim() === "[DONE]";
}

/** A frame to be sent later; one that its stream left open at the end is closed, as others may follow. */
function closed(buffer: Buffer, start: number, end: number, next: number): Buffer {
  const frame = buffer.subarray(start, next);
  return next > end ? frame : Buffer.concat([frame, BLANK_LINE]);
}

const openUsageLook = keyFilter("usage");
const openRoleLook = keyFilter("role");

const OPENING = '"delta":{"role":"assistant","content":""},"finish_reason":null';
const BLANK_LINE = Buffer.from("\n\n");
const NULL = "null";
const KEY = '"usage"';
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const LETTER_L = 0x6c;
const LETTER_N = 0x6e;
const LF = 0x0a;
const DONE = "[DONE]";
