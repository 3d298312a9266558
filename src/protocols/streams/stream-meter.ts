import { asBuffer, openFrameScanner, readFrame, writeFrame } from "../../base/sse.ts";
import { tellsWords } from "../errors/told-words.ts";
import type { UpstreamError } from "../errors/upstream-error-policy.ts";
import { asObject, type JsonObject, parseEvent, parseLoosely } from "../json.ts";
import type { BrokenStream, OutputText, ResponseSummary, StreamMeter } from "../protocol.ts";
import { openArrayScanner } from "./array-scanner.ts";
import type { ByteFilter } from "./byte-filter.ts";
import { blankNotes, factsOf, finishAtEnd, type MeteringRules, type StreamState } from "./metering-rules.ts";
import { openOrdinaryFilter } from "./ordinary-frame.ts";
import { openTextSink } from "./output-text.ts";

/**
 * The meter of one stream. Every frame is decoded until the first output has been seen (two or three of
 * them); after that only those whose bytes can matter.
 */
export class RuledStreamMeter implements StreamMeter {
  readonly #rules: MeteringRules;
  readonly #notes: StreamState;
  readonly #matters: ByteFilter;
  readonly #isOrdinary = openOrdinaryFilter();
  readonly #text: TextKeeper;
  #scanner: EventScanner | undefined;
  #midFrame = false;
  #done = false;
  #ended = false;
  #wentOn = false;
  #words = false;
  #events = 0;
  /** The bytes that were written last. */
  #chunk: Buffer | undefined;
  #bytesBeforeError = 0;

  constructor(rules: MeteringRules, responses: number) {
    this.#rules = rules;
    this.#notes = blankNotes(responses);
    this.#matters = rules.openLook();
    this.#text = new TextKeeper(rules);
  }

  write(bytes: Uint8Array): number {
    const chunk = asBuffer(bytes);
    if (chunk.length === 0) return 0;
    this.#wentOn = false;
    this.#chunk = chunk;
    this.#scanner ??= openEventScanner(
      chunk,
      (buffer, start, end, readEvent) => this.#read(buffer, start, end, readEvent),
      () => {
        this.#words = true;
      },
    );
    if (this.#scanner === undefined) return chunk.length;
    const whole = this.#scanner.write(chunk);
    if (whole > 0 || !this.#midFrame) this.#midFrame = whole < chunk.length;
    this.#text.keep(chunk);
    return whole;
  }

  end(): void {
    this.#scanner?.end();
    this.#ended = true;
    finishAtEnd(this.#notes);
  }

  get started(): boolean {
    return this.#notes.started;
  }

  get hasOutput(): boolean {
    return this.#notes.output;
  }

  get error(): UpstreamError | undefined {
    return this.#notes.error;
  }

  get errorInForm(): boolean {
    return this.#notes.errorInForm;
  }

  get failed(): boolean {
    return this.#notes.failed;
  }

  get bytesBeforeError(): number {
    return this.#bytesBeforeError;
  }

  get finished(): boolean {
    const { finished, output, error } = this.#notes;
    // A finish before all output is believed at the end alone.
    const isBelieved = output || this.#ended || !this.#awaitsMore;
    return finished && isBelieved && error === undefined;
  }

  get finishedUnheard(): boolean {
    return this.#notes.finished && !this.#notes.output;
  }

  get over(): boolean {
    return this.finished && !this.#awaitsMore;
  }

  get wentOn(): boolean {
    return this.#wentOn;
  }

  takeWords(): boolean {
    const had = this.#words;
    this.#words = false;
    return had;
  }

  get missingEnd(): string {
    const word = this.#rules.doneWord;
    if (word === undefined || this.#done || !this.finished) return "";
    // Such vendors also end without closing their last frame.
    return this.#midFrame ? `\n\n${writeFrame(word)}` : writeFrame(word);
  }

  get broken(): BrokenStream {
    return {
      form: this.#scanner?.form ?? "sse",
      midFrame: this.#midFrame,
      events: this.#events,
      opening: this.#notes.opening,
    };
  }

  facts(): ResponseSummary {
    return factsOf(this.#rules, this.#notes, () => this.#text.text());
  }

  #read(buffer: Buffer, start: number, end: number, readEvent: EventReader): void {
    const notes = this.#notes;
    const hadFailed = notes.error !== undefined || notes.failed;
    const behindFinish = notes.finished && this.#awaitsMore;
    if (readEvent === readFrameAt && !this.#isOrdinary(buffer, start, end)) this.#words = true;
    // Of several answers each piece says which of them has begun.
    const isOne = notes.responses === 1;
    if (isOne && notes.output && notes.started && !behindFinish && !this.#matters(buffer, start, end)) {
      this.#events += 1;
      return;
    }
    const { name, data } = readEvent(buffer, start, end);
    if (data === "") return;
    if (data.trim() === this.#rules.doneWord) {
      notes.finished = true;
      this.#done = true;
      return;
    }
    const parsed = parseEvent(data);
    const event = asObject(Array.isArray(parsed) ? parsed[0] : parsed);
    if (event === undefined || tellsWords(event, name)) this.#words = true;
    if (event === undefined) return;
    this.#events += 1;
    if (behindFinish) this.#readOn(event, name);
    else this.#rules.readEvent(event, notes, name);
    if (hadFailed || (notes.error === undefined && !notes.failed)) return;
    // A frame that began in an earlier chunk has none before it in this one; items of an array are parted by commas.
    this.#bytesBeforeError = buffer === this.#chunk && readEvent === readFrameAt ? start : 0;
  }

  /** Reads an event behind a finish, which was none where the event holds output; it may state one again. */
  #readOn(event: JsonObject, name: string): void {
    const notes = this.#notes;
    const { output } = notes;
    notes.output = false;
    notes.finished = false;
    this.#rules.readEvent(event, notes, name);
    if (notes.output) this.#wentOn = true;
    else notes.finished = true;
    notes.output ||= output;
  }

  get #awaitsMore(): boolean {
    return this.#rules.openEnded === true && !this.#done;
  }
}

/**
 * Keeps the stream's bytes by reference and reads text off them only when asked: nearly every stream
 * states its usage, and for those nothing is ever decoded.
 */
class TextKeeper {
  readonly #rules: MeteringRules;
  #sink: ReturnType<typeof openTextSink> | undefined;
  #scanner: EventScanner | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(rules: MeteringRules) {
    this.#rules = rules;
  }

  keep(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#keptBytes > MAX_KEPT_BYTES) this.#fold();
  }

  text(): OutputText {
    return this.#fold().text();
  }

  #fold(): ReturnType<typeof openTextSink> {
    this.#sink ??= openTextSink();
    const sink = this.#sink;
    for (const chunk of this.#kept) {
      this.#scanner ??= openEventScanner(chunk, (buffer, start, end, readEvent) => {
        const { name, data } = readEvent(buffer, start, end);
        // A comment: to find that it is no JSON takes a thousand times as long as to read it.
        if (data === "") return;
        const event = asObject(parseLoosely(data));
        if (event !== undefined) this.#rules.eventText(event, sink, name);
      });
      this.#scanner?.write(chunk);
    }
    this.#kept = [];
    this.#keptBytes = 0;
    return sink;
  }
}

/** Reads event streams by frames and JSON arrays by items; undefined until a first byte tells which. */
function openEventScanner(first: Buffer, frame: FrameReader, stray?: () => void): EventScanner | undefined {
  let at = 0;
  while (at < first.length && (first[at] ?? 0) <= SPACE) at += 1;
  if (at === first.length) return undefined;
  if (first[at] === OPENING_BRACKET || first[at] === OPENING_BRACE) {
    const scanner = openArrayScanner((buffer, start, end) => frame(buffer, start, end, readItemAt), {
      stray,
    });
    return { form: "array", ...scanner };
  }
  const scanner = openFrameScanner({
    frame: (buffer, start, end) => frame(buffer, start, end, readFrameAt),
  });
  return { form: "sse", ...scanner };
}

interface EventScanner {
  readonly form: "sse" | "array";
  write(chunk: Buffer): number;
  end(): void;
}

type FrameReader = (buffer: Buffer, start: number, end: number, readEvent: EventReader) => void;
type EventReader = (buffer: Buffer, start: number, end: number) => { name: string; data: string };

const readFrameAt: EventReader = (buffer, start, end) => readFrame(buffer.toString("utf8", start, end));
const readItemAt: EventReader = (buffer, start, end) => ({
  name: "",
  data: buffer.toString("utf8", start, end),
});

/** Some five hundred events: most streams end before their text is ever read. */
const MAX_KEPT_BYTES = 128 * 1024;
const SPACE = 0x20;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
