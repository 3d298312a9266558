import { asBuffer, writeFrame } from "../../base/sse.ts";
import { hasVendorWords } from "../errors/scrub-words.ts";
import type { UpstreamError } from "../errors/upstream-error-policy.ts";
import type { JsonObject } from "../json.ts";
import type { OutputText, ResponseSummary, StreamMeter, TruncatedStream } from "../protocol.ts";
import type { ByteFilter } from "./byte-filter.ts";
import {
  emptyStreamState,
  finishAtEnd,
  type MeteringRules,
  type StreamState,
  summaryOf,
} from "./metering-rules.ts";
import { openOrdinaryFilter } from "./ordinary-frame.ts";
import { openTextSink, type TextSink } from "./output-text.ts";
import type { StreamEvent } from "./stream-event.ts";
import { type EventScanner, openEventScanner, type ReadEvent, readFrameAt } from "./stream-frames.ts";

/**
 * What the meter of bytes and the meter of a decoder's events share. The states of a stream, in order:
 * - `started`: a first event that is no error has come; `hasOutput`: it holds some of the response.
 * - `finishedBeforeOutput`: a finish has come before any output, and counts only at the stream's end.
 * - `finished`: a finish counts. `continuedAfterFinish`: output came behind it, so that it was none.
 * - `nothingFollows`: the finish is final, such as a terminal event or `[DONE]`.
 * - `hasStopped`: the first error was read, before the finish or behind it, and nothing after it is.
 */
export abstract class EventReading implements StreamMeter {
  protected readonly rules: MeteringRules;
  protected readonly state: StreamState;
  protected scanner: EventScanner | undefined;
  /** The bytes that were written last. */
  protected chunk: Buffer | undefined;
  protected events = 0;
  protected midFrame = false;
  #sawDoneWord = false;
  #ended = false;
  #continuedAfterFinish = false;
  #bytesBeforeError = 0;
  #bytesToEnd: number | undefined;
  #errorBehindEnd = false;
  /** Size of the event whose response is kept, to be sent again if the stream fails. */
  #openingBytes = 0;
  /** Bytes that were kept of an event when the last write began. */
  #keptBefore = 0;

  constructor(rules: MeteringRules, responses: number) {
    this.rules = rules;
    this.state = emptyStreamState(responses);
  }

  abstract write(chunk: Uint8Array): number;
  abstract takeWords(): boolean;
  protected abstract outputText(): OutputText;

  end(): void {
    this.scanner?.end();
    this.#ended = true;
    finishAtEnd(this.state);
  }

  get started(): boolean {
    return this.state.started;
  }

  get hasOutput(): boolean {
    return this.state.output;
  }

  get error(): UpstreamError | undefined {
    return this.state.error;
  }

  get upstreamFormatError(): boolean {
    return this.state.errorInForm;
  }

  get failed(): boolean {
    return this.state.failed;
  }

  get bytesBeforeError(): number {
    return this.#bytesBeforeError;
  }

  get bytesToEnd(): number {
    return this.#bytesToEnd ?? this.chunk?.length ?? 0;
  }

  get errorBehindEnd(): boolean {
    return this.#errorBehindEnd;
  }

  get finished(): boolean {
    const { finished, output, error } = this.state;
    // A finish before all output is believed at the end alone.
    const isBelieved = output || this.#ended || !this.#awaitsMore;
    return finished && isBelieved && error === undefined;
  }

  get finishedBeforeOutput(): boolean {
    return this.state.finished && !this.state.output;
  }

  get nothingFollows(): boolean {
    return this.finished && !this.#awaitsMore;
  }

  get keptBytes(): number {
    return (this.scanner?.pendingBytes() ?? 0) + this.#openingBytes;
  }

  get continuedAfterFinish(): boolean {
    return this.#continuedAfterFinish;
  }

  get missingEnd(): string {
    const word = this.rules.doneWord;
    if (word === undefined || this.#sawDoneWord || !this.finished) return "";
    // Such vendors also end without closing their last frame.
    return this.midFrame ? `\n\n${writeFrame(word)}` : writeFrame(word);
  }

  get truncated(): TruncatedStream {
    return {
      form: this.scanner?.form ?? "sse",
      midFrame: this.midFrame,
      events: this.events,
      opening: this.state.opening,
    };
  }

  summary(): ResponseSummary {
    return summaryOf(this.rules, this.state, () => this.outputText());
  }

  /** A chunk of bytes begins. */
  protected begin(chunk: Buffer): void {
    this.chunk = chunk;
    this.#continuedAfterFinish = false;
    this.#keptBefore = this.scanner?.pendingBytes() ?? 0;
    if (this.hasStopped) this.#bytesToEnd = 0;
  }

  /**
   * The first error ends the stream: nothing behind it is read. Behind a terminal event it is not read either, but some
   * servers pass on a further response there.
   */
  protected get hasStopped(): boolean {
    return this.#bytesToEnd !== undefined;
  }

  /** It is the word that ends a stream, and no JSON. */
  protected isDone({ data }: StreamEvent): boolean {
    return data.trim() === this.rules.doneWord;
  }

  /** A finish may be followed by more, and one has come. */
  protected get behindFinish(): boolean {
    return this.state.finished && this.#awaitsMore;
  }

  /** Reads one event that stands in these bytes up to `next`, and answers with the objects in it; none where it is no event of the protocol's. */
  protected read(event: StreamEvent, buffer: Buffer, start: number, next: number): readonly JsonObject[] {
    // An event that began in an earlier chunk was joined, and has none before it in this one; items of an array are parted by commas.
    const isApart = buffer === this.chunk;
    if (this.nothingFollows && this.started && this.#isError(event)) {
      this.#errorBehindEnd = true;
      this.#bytesToEnd = isApart ? start : 0;
      return [];
    }
    const isFirst = this.state.opening === undefined;
    const bodies = this.#note(event);
    const { error, failed, opening } = this.state;
    if (isFirst && opening !== undefined) this.#openingBytes = next - start;
    const isError = error !== undefined || failed;
    const isFrame = this.scanner?.form === "sse";
    if (isError && isFrame && !PLAIN_FRAME.test(buffer.toString("latin1", start, next)))
      this.state.errorInForm = false;
    if (isError) this.#bytesBeforeError = isApart && isFrame ? start : 0;
    if (isError) this.#bytesToEnd = isApart ? next : next - this.#keptBefore;
    return bodies;
  }

  #note(event: StreamEvent): readonly JsonObject[] {
    const { state, rules } = this;
    if (this.isDone(event)) {
      state.finished = true;
      this.#sawDoneWord = true;
      return [];
    }
    const bodies = bodiesIn(event);
    for (const body of bodies) {
      if (state.error !== undefined || state.failed) break;
      this.events += 1;
      if (this.behindFinish) this.#readBehindFinish(body, event.name);
      else rules.readEvent(body, state, event.name);
    }
    return bodies;
  }

  /** True if an event tells of an error; nothing of it is noted. */
  #isError(event: StreamEvent): boolean {
    const state = emptyStreamState(this.state.responses);
    for (const body of bodiesIn(event)) this.rules.readEvent(body, state, event.name);
    return state.error !== undefined || state.failed;
  }

  /** Reads an event behind a finish, which was none where the event holds output; it may state one again. */
  #readBehindFinish(event: JsonObject, name: string): void {
    const { state } = this;
    const { output } = state;
    state.output = false;
    state.finished = false;
    this.rules.readEvent(event, state, name);
    if (state.output) this.#continuedAfterFinish = true;
    else state.finished = true;
    state.output ||= output;
  }

  get #awaitsMore(): boolean {
    return this.rules.openEnded === true && !this.#sawDoneWord;
  }
}

/**
 * One line of data with an object in it, and at most the event's name before it: the only form in which all clients read an
 * error. Google's pass over a frame that begins with another line.
 */
const PLAIN_FRAME = /^(?:event:[^\r\n]*(?:\r\n|\n|\r))?data: ?\{[^\r\n]*[\r\n]*$/;

/**
 * The meter of a stream that is forwarded. Every frame is decoded until the first output has been seen (two or three of
 * them); after that only those whose bytes can matter.
 */
export class ByteMeter extends EventReading {
  readonly #matters: ByteFilter;
  readonly #isOrdinary = openOrdinaryFilter();
  readonly #text: TextKeeper;
  #mayHoldVendorWords = false;

  constructor(rules: MeteringRules, responses: number) {
    super(rules, responses);
    this.#matters = rules.openByteFilter();
    this.#text = new TextKeeper(rules);
  }

  write(bytes: Uint8Array): number {
    const chunk = asBuffer(bytes);
    if (chunk.length === 0) return 0;
    this.begin(chunk);
    if (this.hasStopped) return 0;
    this.scanner ??= openEventScanner(chunk, (...told) => this.#readFrame(...told), {
      stray: () => {
        this.#mayHoldVendorWords = true;
      },
    });
    if (this.scanner === undefined) return chunk.length;
    const end = this.scanner.write(chunk);
    const hasStopped = this.hasStopped;
    const whole = hasStopped ? this.bytesToEnd : end;
    if (whole > 0 || !this.midFrame) this.midFrame = !hasStopped && whole < chunk.length;
    this.#text.keep(hasStopped ? chunk.subarray(0, whole) : chunk);
    return whole;
  }

  override end(): void {
    super.end();
    if (!this.errorBehindEnd) this.#text.end();
  }

  takeWords(): boolean {
    const had = this.#mayHoldVendorWords;
    this.#mayHoldVendorWords = false;
    return had;
  }

  protected outputText(): OutputText {
    return this.#text.text();
  }

  #readFrame(buffer: Buffer, start: number, end: number, next: number, readEvent: ReadEvent): void {
    if (this.hasStopped) return;
    const { state } = this;
    const isOrdinary = readEvent !== readFrameAt || this.#isOrdinary(buffer, start, end);
    if (!isOrdinary) this.#mayHoldVendorWords = true;
    // With several responses, each chunk names the one that it belongs to. An unusual frame may be a list of events.
    const isPiece = isOrdinary && state.responses === 1 && state.output && state.started;
    if (isPiece && !this.behindFinish && !this.#matters(buffer, start, end)) {
      this.events += 1;
      return;
    }
    const event = readEvent(buffer, start, end);
    if (event.data === "") return;
    const bodies = this.read(event, buffer, start, next);
    const isForeign = bodies.length === 0 && !this.isDone(event);
    if (isForeign || bodies.some((body) => hasVendorWords(body, event.name))) this.#mayHoldVendorWords = true;
  }
}

/**
 * Keeps the stream's bytes by reference and reads text off them only when asked: nearly every stream
 * states its usage, and for those nothing is ever decoded.
 */
class TextKeeper {
  readonly #rules: MeteringRules;
  #sink: TextSink | undefined;
  #scanner: EventScanner | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #hasEnded = false;

  constructor(rules: MeteringRules) {
    this.#rules = rules;
  }

  /** No more bytes: what was begun of an event is one. */
  end(): void {
    this.#hasEnded = true;
  }

  keep(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#keptBytes > MAX_KEPT_BYTES) this.#fold();
  }

  text(): OutputText {
    return this.#fold().text();
  }

  #fold(): TextSink {
    this.#sink ??= openTextSink();
    const sink = this.#sink;
    for (const chunk of this.#kept) {
      this.#scanner ??= openEventScanner(chunk, (buffer, start, end, _, readEvent) => {
        keepText(this.#rules, readEvent(buffer, start, end), sink);
      });
      this.#scanner?.write(chunk);
    }
    this.#kept = [];
    this.#keptBytes = 0;
    if (this.#hasEnded) this.#scanner?.end();
    return sink;
  }
}

/** Gathers the generated text of one event. */
export function keepText(rules: MeteringRules, event: StreamEvent, sink: TextSink): void {
  // A comment: to find that it is no JSON takes a thousand times as long as to read it.
  if (event.data === "") return;
  for (const body of bodiesIn(event)) rules.eventText(body, sink, event.name);
}

/** Returns the JSON objects of an event, for counting. */
function bodiesIn({ parts }: StreamEvent): readonly JsonObject[] {
  return parts.flatMap(({ body }) => (body === undefined ? [] : [body]));
}

/** Some five hundred events: most streams end before their text is ever read. */
const MAX_KEPT_BYTES = 128 * 1024;
