import { isUtf8 } from "node:buffer";

/**
 * Checks UTF-8 that arrives in chunks cut anywhere. Nothing is decoded and only the cut sequence at a
 * chunk's end (at most 3 bytes) is kept; the rest is validated in place by the platform's own check.
 */
export class Utf8Check {
  /** The start of a sequence whose rest has not arrived. */
  private tail: Uint8Array = EMPTY;
  private offset = 0;

  /** Takes the next bytes; gives the absolute offset of the first bad sequence, or -1. */
  write(chunk: Uint8Array): number {
    const { offset } = this;
    const from = this.tail.length > 0 ? this.complete(chunk) : 0;
    if (from < 0) return offset - this.tail.length;
    this.offset += chunk.length;
    if (this.tail.length > 0) return -1;
    const cut = cutLength(chunk, chunk.length, from);
    // A view costs as much as the check of a small body.
    const whole = from + cut === 0 ? chunk : chunk.subarray(from, chunk.length - cut);
    if (!isUtf8(whole)) return offset + from + firstBad(whole);
    if (cut > 0) this.tail = Buffer.from(chunk.subarray(chunk.length - cut));
    return -1;
  }

  /** No more bytes: the offset of a sequence that was cut short, or -1 and the next text may follow. */
  end(): number {
    const { offset } = this;
    this.offset = 0;
    return this.tail.length > 0 ? offset - this.tail.length : -1;
  }

  /** Takes what the cut sequence lacks from the next chunk's start: gives how much, or -1 where it makes it no text. */
  private complete(chunk: Uint8Array): number {
    const missing = Math.min(sequenceLength(this.tail[0]) - this.tail.length, chunk.length);
    const joined = Buffer.concat([this.tail, chunk.subarray(0, missing)]);
    const isWhole = joined.length >= sequenceLength(joined[0]);
    if (isWhole && !isUtf8(joined)) return -1;
    this.tail = isWhole ? EMPTY : joined;
    return missing;
  }
}

const EMPTY = new Uint8Array(0);

/** Bytes of the sequence that begins with `lead`; 1 for ASCII and for what cannot begin one. */
function sequenceLength(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0 || lead > 0xf7) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Bytes before `end` that begin a sequence but do not complete it; never reaches below `from`. */
function cutLength(bytes: Uint8Array, end: number, from: number): number {
  for (let back = 1; back <= 3 && end - back >= from; back += 1) {
    const byte = bytes[end - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/**
 * The beginning of the first bad sequence of `bytes`, known to hold one. It bisects, because the platform only says yes
 * or no.
 */
function firstBad(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (isUtf8(bytes.subarray(0, middle - cutLength(bytes, middle, 0)))) good = middle;
    else bad = middle;
  }
  return good - cutLength(bytes, good, 0);
}
