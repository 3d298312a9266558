/**
 * Cuts a streamed JSON array into its objects, as `openFrameScanner` cuts events into frames: bytes may
 * be cut anywhere, nothing is decoded. A lone object counts as one item.
 */
export function openArrayScanner(
  item: (buffer: Buffer, start: number, end: number) => void,
  { maxItemBytes, stray, oversized }: ArrayScannerOptions,
): ArrayScanner {
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;

  function close(chunk: Buffer, start: number, end: number): void {
    if (carriedBytes === 0) item(chunk, start, end);
    else if (carriedBytes <= maxItemBytes) {
      const joined = Buffer.concat([...carried, chunk.subarray(start, end)]);
      item(joined, 0, joined.length);
    }
    carried = [];
    carriedBytes = 0;
  }

  return {
    write(chunk) {
      let itemStart = 0;
      let whole = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inString = false;
        } else if (byte === QUOTE) {
          inString = depth > 0;
          if (depth === 0) stray?.();
        } else if (byte === OPENING_BRACE || (byte === OPENING_BRACKET && depth > 0)) {
          if (depth === 0) itemStart = at;
          depth += 1;
        } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
          if (depth === 1) close(chunk, itemStart, at + 1);
          if (depth <= 1) whole = at + 1;
          depth = Math.max(0, depth - 1);
        } else if (depth === 0 && byte !== undefined && byte > SPACE && byte !== COMMA) {
          if (byte !== OPENING_BRACKET) stray?.();
        }
      }
      if (depth > 0) {
        const piece = chunk.subarray(carriedBytes > 0 ? 0 : itemStart);
        carriedBytes += piece.length;
        if (carriedBytes <= maxItemBytes) carried.push(piece);
        else {
          carried = [];
          oversized?.();
        }
      }
      return whole;
    },
    pendingBytes: () => (carriedBytes <= maxItemBytes ? carriedBytes : 0),
    end() {
      carried = [];
    },
  };
}

export interface ArrayScannerOptions {
  readonly maxItemBytes: number;
  /** An item is larger, and so is not told; called at each piece of it that comes. */
  readonly oversized?: (() => void) | undefined;
  /** Something stands between the items that is no part of an array. */
  readonly stray?: (() => void) | undefined;
}

export interface ArrayScanner {
  /** Bytes that are kept of an item that has begun. */
  pendingBytes(): number;
  /** Answers how many bytes of the chunk end whole items (or the array). */
  write(chunk: Buffer): number;
  /** No more bytes; an unfinished item is dropped. */
  end(): void;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
