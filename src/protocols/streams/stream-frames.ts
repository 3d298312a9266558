import { type FrameSink, openFrameScanner, readFrame, writeFrame } from "../../base/sse.ts";
import type { WireFrame } from "../translation.ts";
import { openArrayScanner } from "./array-scanner.ts";
import { StreamEvent } from "./stream-event.ts";

/** More than any answer is, of which nothing can be left out: the caller would miss it without a word. */
export class OversizedResponse extends RangeError {
  override readonly name = "OversizedAnswer";
}

/** As a plain answer: images of the largest kind come to 25 MB in one event. */
const LARGEST_FRAME_BYTES = 96 * 1024 * 1024;

/** Cuts a stream into events: server-sent ones, or the items of a JSON array. Bytes may be cut anywhere. */
export interface EventScanner {
  readonly form: "sse" | "array";
  /** How many bytes of the chunk close whole events; the rest begins an unfinished one. */
  write(chunk: Buffer): number;
  /** No more bytes: what was begun of a server-sent event counts as one. */
  end(): void;
}

/** Told of each event: its bytes from `start` to `end`, what closes it from there to `next`, and how to read it. */
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
  /** No event may be left out: a larger one than any answer's throws OversizedResponse. Else those above 16 MB are. */
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
  if (first[at] === OPENING_BRACKET || first[at] === OPENING_BRACE) {
    const items = openArrayScanner((buffer, start, end) => sink(buffer, start, end, end, readItemAt), {
      stray,
    });
    return { form: "array", ...items };
  }
  const frame = (buffer: Buffer, start: number, end: number, next: number): void =>
    sink(buffer, start, end, next, readFrameAt);
  return {
    form: "sse",
    ...(isWhole ? openFrameScanner(...wholeFrames(frame)) : openFrameScanner({ frame })),
  };
}

/** Refuses an event beyond the bound, once: whoever ends the stream for it is not told again. */
function wholeFrames(frame: FrameSink["frame"]): [FrameSink, number] {
  let isRefused = false;
  const oversized = (): void => {
    if (isRefused) return;
    isRefused = true;
    throw new OversizedResponse(`an event of more than ${LARGEST_FRAME_BYTES} bytes`);
  };
  return [{ frame, oversized }, LARGEST_FRAME_BYTES];
}

export const readFrameAt: ReadEvent = (buffer, start, end) =>
  new StreamEvent(readFrame(buffer.toString("utf8", start, end)));

const readItemAt: ReadEvent = (buffer, start, end) =>
  new StreamEvent({ data: buffer.toString("utf8", start, end) });

/** Cuts an upstream's bytes, as they come, into the frames that `decodeStream` reads. */
export interface FrameReader {
  write(chunk: Buffer): readonly StreamEvent[];
  /** No more bytes: what was begun counts as a frame. */
  end(): readonly StreamEvent[];
}

/** Of server-sent events alone, without a meter. `write` throws OversizedResponse. */
export function openFrameReader(): FrameReader {
  let events: StreamEvent[] = [];
  const scanner = openFrameScanner(
    ...wholeFrames((buffer, start, end) => {
      const event = readFrameAt(buffer, start, end);
      if (event.data !== "") events.push(event);
    }),
  );
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

const SPACE = 0x20;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
