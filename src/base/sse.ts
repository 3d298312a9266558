import { packChunk } from "./pack-chunk.ts";

/**
 * Cuts a stream of server-sent events into frames without decoding it. Frames are told apart by their
 * bytes alone, because decoding every chunk to a string was what made streams slow: half the rate of a
 * bare proxy. Line ends may be LF, CRLF or CR, mixed, and chunks may be cut anywhere.
 */
export function openFrameScanner(sink: FrameSink, maxFrameBytes = MAX_FRAME_BYTES): FrameScanner {
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  let oversized = false;
  let lineHasBytes = false;
  // A CR at the end of a chunk ends its line, and may be half of a CRLF: nothing says whether another byte will come.
  let openCr = false;

  function close(chunk: Buffer, start: number, end: number, next: number): void {
    if (oversized) {
      sink.oversized?.(chunk.subarray(start, next));
    } else if (carriedBytes === 0) {
      sink.frame(chunk, start, end, next);
      return;
    } else {
      const joined = Buffer.concat([...carried, chunk.subarray(start, next)]);
      sink.frame(joined, 0, joined.length - (next - end), joined.length);
    }
    carried = [];
    carriedBytes = 0;
    oversized = false;
  }

  function carry(piece: Buffer): void {
    if (!oversized && carriedBytes + piece.length > maxFrameBytes) {
      oversized = true;
      for (const earlier of carried) sink.oversized?.(earlier);
      carried = [];
    }
    carriedBytes += piece.length;
    if (oversized) sink.oversized?.(piece);
    else packChunk(carried, piece, carriedBytes);
  }

  return {
    write(chunk) {
      let frameStart = 0;
      let lineStart = 0;
      let lf = chunk.indexOf(LF);
      let cr = chunk.indexOf(CR);
      if (openCr && chunk.length > 0) {
        openCr = false;
        if (lf === 0) {
          lineStart = 1;
          lf = chunk.indexOf(LF, 1);
          // The CR has closed the frame, behind which the other half of the line end is nobody's.
          if (carriedBytes === 0) {
            sink.frame(chunk, 0, 0, 1);
            frameStart = 1;
          }
        }
      }
      while (lf !== -1 || cr !== -1) {
        // Nearly every frame is one line and a second LF: one search, no bookkeeping.
        if (cr === -1 && lf > lineStart && chunk[lf + 1] === LF) {
          close(chunk, frameStart, lf + 1, lf + 2);
          frameStart = lf + 2;
          lineStart = frameStart;
          lineHasBytes = false;
          lf = chunk.indexOf(LF, frameStart);
          continue;
        }
        const at = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
        let next = at + 1;
        if (at > lineStart) lineHasBytes = true;
        if (at === cr) {
          if (next === chunk.length) openCr = true;
          else if (chunk[next] === LF) next += 1;
        }
        if (!lineHasBytes) {
          close(chunk, frameStart, lineStart, next);
          frameStart = next;
        }
        lineHasBytes = false;
        lineStart = next;
        if (cr !== -1 && cr < next) cr = chunk.indexOf(CR, next);
        if (lf !== -1 && lf < next) lf = chunk.indexOf(LF, next);
      }
      if (lineStart < chunk.length) lineHasBytes = true;
      if (frameStart < chunk.length) carry(chunk.subarray(frameStart));
      return frameStart;
    },
    pendingBytes: () => (oversized ? 0 : carriedBytes),
    end() {
      if (carriedBytes > 0) close(EMPTY, 0, 0, 0);
      openCr = false;
      lineHasBytes = false;
    },
  };
}

/** The receiver of a scanner's frames. It may keep the buffers. */
export interface FrameSink {
  /**
   * One frame: its lines are the bytes `start` to `end`, its closing blank line `end` to `next`. A frame
   * may hold only comments, or nothing, as where a blank line's CRLF comes in two chunks.
   */
  frame(buffer: Buffer, start: number, end: number, next: number): void;
  /** Bytes of a frame too large to be looked at, piece by piece, in order. */
  oversized?(piece: Buffer): void;
}

export interface FrameScanner {
  /** Answers how many bytes of the chunk close whole frames; the rest begins an unfinished one. */
  write(chunk: Buffer): number;
  /** Bytes that are kept of a frame that has begun. */
  pendingBytes(): number;
  /** No more bytes: what is left counts as a frame, since some vendors omit the last blank line. */
  end(): void;
}

/** One event as text. */
export interface FrameText {
  /** "" where it has none. */
  readonly name: string;
  /** Its data lines joined by LF. */
  readonly data: string;
  /** Lines that are neither a field nor a comment, joined by LF: readers of the standard pass over them. Absent = there are none. */
  readonly rest?: string | undefined;
}

export function readFrame(frame: string): FrameText {
  // Nearly every frame is one data line.
  const cr = frame.indexOf("\r");
  if (frame.startsWith("data:")) {
    const lf = frame.indexOf("\n");
    const lineEnd = cr !== -1 && (cr < lf || lf === -1) ? cr : lf;
    const isOneLine = lineEnd === -1 || lineEnd === frame.length - 1 || frame.slice(lineEnd) === "\r\n";
    if (isOneLine) {
      return { name: "", data: frame.slice(frame[5] === " " ? 6 : 5, lineEnd === -1 ? undefined : lineEnd) };
    }
  }
  let name = "";
  let data: string | undefined;
  let rest: string | undefined;
  for (const line of frame.split(cr === -1 ? "\n" : LINE_END)) {
    const text = line.charCodeAt(0) === BYTE_ORDER_MARK ? line.slice(1) : line;
    if (text.startsWith("data:")) {
      const value = text.slice(text[5] === " " ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (text.startsWith("event:")) {
      name = text.slice(6).trim();
    } else if (text !== "" && !OTHER_LINE.test(text)) {
      rest = rest === undefined ? text : `${rest}\n${text}`;
    }
  }
  return { name, data: data ?? "", rest };
}

/** True if a frame is one comment and nothing else: signs of life, of which an upstream may send any number. */
export function isComment(buffer: Buffer, start: number, end: number): boolean {
  if (buffer[start] !== COLON) return false;
  for (let at = start + 1; at < end; at += 1) {
    const byte = buffer[at];
    // Only a line end at the frame's end is no beginning of another line.
    if (byte === LF) return at + 1 === end;
    if (byte === CR) return at + 1 === end || (buffer[at + 1] === LF && at + 2 === end);
  }
  return true;
}

/** The lines of a frame's data; a frame without data has none. */
export function dataLines(buffer: Buffer, start: number, end: number): readonly DataLine[] {
  const frame = buffer.subarray(start, end);
  const lines: DataLine[] = [];
  let lf = frame.indexOf(LF);
  let cr = frame.indexOf(CR);
  for (let at = 0; at < frame.length; ) {
    const stop = Math.min(lf === -1 ? frame.length : lf, cr === -1 ? frame.length : cr);
    const next = Math.min(frame[stop] === CR && frame[stop + 1] === LF ? stop + 2 : stop + 1, frame.length);
    const name = at === 0 && frame.toString("utf8", 0, 3) === "\ufeff" ? 3 : at;
    if (frame.toString("latin1", name, name + 5) === "data:") {
      const value = name + (frame[name + 5] === SPACE ? 6 : 5);
      lines.push({ from: start + at, start: start + value, end: start + stop, next: start + next });
    }
    at = next;
    if (lf !== -1 && lf < at) lf = frame.indexOf(LF, at);
    if (cr !== -1 && cr < at) cr = frame.indexOf(CR, at);
  }
  return lines;
}

/** One line of data: `start` to `end` is its value, `from` to `next` the whole line with its end. */
export interface DataLine {
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** A frame on the wire; `data` holds no line end (JSON text never does). */
export function writeFrame(data: string, name?: string): string {
  return name === undefined ? `data: ${data}\n\n` : `event: ${name}\ndata: ${data}\n\n`;
}

/**
 * Looks for the same ASCII text in one frame after the other. The next hit is remembered for its buffer, so
 * that a chunk of many frames is searched once, not once a frame to the chunk's end.
 */
export function openFinder(needle: string): Finder {
  let buffer: Buffer | undefined;
  let from = 0;
  let hit = -1;
  return (where, start, end) => {
    if (where !== buffer || start < from || (hit !== -1 && hit < start)) {
      buffer = where;
      from = start;
      hit = indexIn(where, needle, start);
    }
    return hit !== -1 && hit + needle.length <= end ? hit : -1;
  };
}

/** Offset of the first hit from `start` that lies before `end`, else -1. */
export type Finder = (buffer: Buffer, start: number, end: number) => number;

/**
 * The position of this ASCII text in a chunk, else -1. A stream's chunks are small and each is searched for half a
 * dozen texts: to search the bytes costs as much for each of them as to decode the chunk, so the chunk is decoded once.
 */
export function indexIn(chunk: Buffer, needle: string, start: number): number {
  if (chunk.length > LARGEST_DECODED) return chunk.indexOf(needle, start, "latin1");
  if (chunk !== decoded) {
    decoded = chunk;
    decodedText = chunk.toString("latin1");
  }
  return decodedText.indexOf(needle, start);
}

/** The chunk that was searched last: its meter and its rewriter look at the same one. */
let decoded: Buffer | undefined;
let decodedText = "";
/** The decoded text is kept until the next chunk comes, of whatever stream. */
const LARGEST_DECODED = 64 * 1024;

/** The same bytes as a Buffer, uncopied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Images travel inside one frame as base64; beyond this it is no event but a runaway upstream. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const BYTE_ORDER_MARK = 0xfeff;
/** A comment, or a field that is neither a name nor data; fields may stand without a value. */
const OTHER_LINE = /^(?::|(?:data|event)$|(?:id|retry)(?::|$))/;
const LINE_END = /\r\n|\n|\r/;
const EMPTY = Buffer.alloc(0);
