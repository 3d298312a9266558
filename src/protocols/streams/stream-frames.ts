import { hasMoreValues } from "../../base/json/json-values.ts";
import { type FrameText, isComment, openFrameScanner, readFrame, writeFrame } from "../../base/sse.ts";
import { statesError } from "../errors/error-body.ts";
import type { WireFrame } from "../translation.ts";
import { openArrayScanner } from "./array-scanner.ts";
import { StreamEvent } from "./stream-event.ts";

/** More than any response is, of which nothing can be left out: the caller would miss it without a word. */
export class OversizedResponse extends RangeError {
  override readonly name = "OversizedResponse";
}

/** The limit of a plain response: images of the largest kind come to 25 MB in one event. */
const MAX_EVENT_BYTES = 96 * 1024 * 1024;

/** Values of one event: they take a tenth of a second to parse, in which nobody else is served. Responses with log probabilities have fewer. */
const MAX_VALUES = 1_000_000;

/** Lines of one event, which take as long: only JSON that is printed over data lines has more than a few. */
const MAX_LINES = 100_000;

/** Too small to have so many. */
const SMALL_EVENT_BYTES = MAX_VALUES;

/** Cuts a stream into events: server-sent ones, or the items of a JSON array. Bytes may be cut anywhere. */
export interface EventScanner {
  readonly form: "sse" | "array";
  /** Bytes that are kept of an event that has begun. */
  pendingBytes(): number;
  /** How many bytes of the chunk close whole events; the rest begins an unfinished one. */
  write(chunk: Buffer): number;
  /** No more bytes: what was begun of a server-sent event counts as one. */
  end(): void;
}

/** Called with each event: its bytes from `start` to `end`, its terminator from there to `next`, and how to read it. */
export type EventSink = (
  buffer: Buffer,
  start: number,
  end: number,
  next: number,
  readEvent: ReadEvent,
) => void;

/** Decodes these bytes, which are one event. */
export type ReadEvent = (buffer: Buffer, start: number, end: number) => StreamEvent;

export interface EventScannerOptions {
  /** Something stands between the items of an array that is no part of it. */
  readonly stray?: (() => void) | undefined;
  /** No event may be left out: one beyond the bounds throws OversizedResponse. Else it is not told. */
  readonly isWhole?: boolean;
}

/** For both meters, of bytes and of a decoder's events. undefined until a first byte tells the form. */
export function openEventScanner(
  first: Buffer,
  sink: EventSink,
  { stray, isWhole = false }: EventScannerOptions = {},
): EventScanner | undefined {
  let at = 0;
  while (at < first.length && (first[at] ?? 0) <= SPACE) at += 1;
  if (at === first.length) return undefined;
  const bounds = openBounds(isWhole);
  if (first[at] === OPENING_BRACKET || first[at] === OPENING_BRACE) {
    const item = (buffer: Buffer, start: number, end: number): void => {
      if (bounds.admit(buffer, start, end)) sink(buffer, start, end, end, readItemAt);
    };
    const oversized = bounds.oversized;
    return {
      form: "array",
      ...openArrayScanner(item, { stray, oversized, maxItemBytes: MAX_EVENT_BYTES }),
    };
  }
  const frame = (buffer: Buffer, start: number, end: number, next: number): void => {
    if (bounds.admitLines(buffer, start, end) && bounds.admit(buffer, start, end))
      sink(buffer, start, end, next, readFrameAt);
  };
  return { form: "sse", ...openFrameScanner({ frame, oversized: bounds.oversized }, MAX_EVENT_BYTES) };
}

/** Decides which bytes may be an event: others are left out, or rejected where every frame must be one. */
interface EventBounds {
  /** True if this one is to be read, by its values. */
  admit(buffer: Buffer, start: number, end: number): boolean;
  /** Checks the lines of an event, of which an item of an array may have any number. */
  admitLines(buffer: Buffer, start: number, end: number): boolean;
  /** One is larger than any response. */
  oversized(): void;
}

/** Refuses once: whoever ends the stream for it is not told again. */
function openBounds(isWhole: boolean): EventBounds {
  let isRefused = false;
  const refuse = (what: string): void => {
    if (!isWhole || isRefused) return;
    isRefused = true;
    throw new OversizedResponse(`an event of more than ${what}`);
  };
  return {
    admit(buffer, start, end) {
      if (end - start <= SMALL_EVENT_BYTES || !hasMoreValues(buffer, start, end, MAX_VALUES))
        return !isRefused;
      refuse(`${MAX_VALUES} values`);
      return false;
    },
    admitLines(buffer, start, end) {
      if (end - start <= MAX_LINES || !hasMoreLines(buffer, start, end)) return !isRefused;
      refuse(`${MAX_LINES} lines`);
      return false;
    },
    oversized: () => refuse(`${MAX_EVENT_BYTES} bytes`),
  };
}

function hasMoreLines(buffer: Buffer, start: number, end: number): boolean {
  let lines = 0;
  for (let at = start; at < end && lines <= MAX_LINES; at += 1) {
    if (buffer[at] === LF || (buffer[at] === CR && buffer[at + 1] !== LF)) lines += 1;
  }
  return lines > MAX_LINES;
}

/** A comment alone costs nothing to read: an upstream that floods a stream with them must not hold up the others. */
export const readFrameAt: ReadEvent = (buffer, start, end) => {
  if (isComment(buffer, start, end)) return NO_EVENT;
  const frame = readFrame(buffer.toString("utf8", start, end));
  if (frame.rest !== undefined) return bareError(frame, frame.rest) ?? new StreamEvent(frame);
  const event = new StreamEvent(frame);
  return frame.name === "error" && frame.data !== "" && event.body === undefined
    ? errorInWords(event)
    : event;
};

const NO_EVENT = new StreamEvent({ data: "" });

/**
 * An error in place of an event: a server that fails amid its stream may write it as it writes a plain one, which Google's
 * clients look for, behind a field's name of its own, as llama.cpp did, or over several lines of which only the first is data.
 * https://github.com/googleapis/js-genai/blob/main/src/_api_client.ts
 */
function bareError({ data }: FrameText, rest: string): StreamEvent | undefined {
  for (const text of [rest.replace(ERROR_FIELD, ""), `${data}\n${rest}`]) {
    if (!OPENING.test(text)) continue;
    const event = new StreamEvent({ name: "error", data: text });
    if (event.body !== undefined && statesError(event.body)) return event;
  }
  return undefined;
}

const ERROR_FIELD = /^error:/;
const OPENING = /^\s*[{[]/;

/** An event that is called an error and says it in words, where its protocol's clients expect an object. */
function errorInWords({ name, data, value }: StreamEvent): StreamEvent {
  const error = typeof value === "string" ? value : data;
  return new StreamEvent({ name, data: JSON.stringify({ error }) });
}

const readItemAt: ReadEvent = (buffer, start, end) =>
  new StreamEvent({ data: buffer.toString("utf8", start, end) });

/** Cuts an upstream's bytes, as they come, into the frames that `decodeStream` reads. */
export interface FrameReader {
  write(chunk: Buffer): readonly StreamEvent[];
  /** No more bytes: what was begun counts as a frame. */
  end(): readonly StreamEvent[];
}

/** Reads server-sent events alone, without a meter. `write` throws OversizedResponse. */
export function openFrameReader(): FrameReader {
  let events: StreamEvent[] = [];
  const bounds = openBounds(true);
  const frame = (buffer: Buffer, start: number, end: number): void => {
    if (!bounds.admitLines(buffer, start, end) || !bounds.admit(buffer, start, end)) return;
    const event = readFrameAt(buffer, start, end);
    if (event.data !== "") events.push(event);
  };
  const scanner = openFrameScanner({ frame, oversized: bounds.oversized }, MAX_EVENT_BYTES);
  function take(): readonly StreamEvent[] {
    const taken = events;
    events = [];
    return taken;
  }
  return {
    write(chunk) {
      scanner.write(chunk);
      return take();
    },
    end() {
      scanner.end();
      return take();
    },
  };
}

/** Frames as a caller's bytes. */
export function writeFrames(frames: readonly WireFrame[]): string {
  return frames.map(({ name, data }) => writeFrame(data, name)).join("");
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
