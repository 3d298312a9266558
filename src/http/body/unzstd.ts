import * as zlib from "node:zlib";
import { Decompress } from "fzstd";

/** Result of decoding a whole body. */
export type DecodeResponse =
  | { readonly body: Uint8Array<ArrayBuffer> }
  | { readonly fault: "broken" | "too-large" };

/** RFC 8878 recommends that every decoder supports this size, and encoders stay within it by default. */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;

/**
 * The decoder moves its window once per block. A regular body of 32 MB has 256 blocks. One of many tiny blocks would
 * keep the thread busy for minutes, and is refused before decoding begins.
 */
const MAX_MOVED_BYTES = 2 ** 34;

/** Decodes frame by frame, so that each is measured before memory is allocated for it. */
export function unzstd(body: Uint8Array, limitBytes: number): DecodeResponse {
  const blocks: Uint8Array[] = [];
  let bytes = 0;
  let moved = 0;
  try {
    for (let at = 0; at < body.length; ) {
      const frame = measure(body, at);
      if (frame.isWhole && frame.windowBytes > limitBytes) return { fault: "too-large" };
      if (frame.windowBytes > MAX_WINDOW_BYTES) return { fault: "broken" };
      moved += frame.blocks * frame.windowBytes;
      if (moved > MAX_MOVED_BYTES) return { fault: "broken" };
      if (frame.blocks > 0) {
        decodeFrame(body.subarray(at, frame.end), limitBytes - bytes, (block) => {
          bytes += block.length;
          if (bytes > limitBytes) throw new RangeError("too large");
          blocks.push(block);
        });
      }
      at = frame.end;
    }
  } catch (error) {
    const isTooLarge = bytes > limitBytes || (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return { fault: isTooLarge ? "too-large" : "broken" };
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return { body: whole };
}

type FrameDecoder = (frame: Uint8Array, limitBytes: number, take: (block: Uint8Array) => void) => void;

/** Node's own decoder if it has one (22.15 and later), which is much faster and verifies checksums. */
const decodeFrame: FrameDecoder = nativeDecoder() ?? decodeInJavaScript;

function nativeDecoder(): FrameDecoder | undefined {
  const { zstdDecompressSync: decompress } = zlib as Partial<{
    zstdDecompressSync(frame: Uint8Array, options: { maxOutputLength: number }): Buffer;
  }>;
  if (decompress === undefined) return undefined;
  return (frame, limitBytes, take) => take(decompress(frame, { maxOutputLength: Math.max(1, limitBytes) }));
}

function decodeInJavaScript(frame: Uint8Array, _limitBytes: number, take: (block: Uint8Array) => void): void {
  new Decompress((block) => take(block)).push(frame, true);
}

interface Frame {
  readonly end: number;
  readonly blocks: number;
  readonly windowBytes: number;
  /** True if the window is the whole content, whose size the frame states. */
  readonly isWhole: boolean;
}

const SKIPPED: Pick<Frame, "blocks" | "windowBytes" | "isWhole"> = {
  blocks: 0,
  windowBytes: 0,
  isWhole: false,
};

/** Walks one frame by the sizes that it states (RFC 8878, 3.1); throws RangeError if it is truncated or invalid. */
function measure(body: Uint8Array, start: number): Frame {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const magic = view.getUint32(start, true);
  if (magic >>> 4 === 0x184d2a5)
    return { ...SKIPPED, end: within(body, start + 8 + view.getUint32(start + 4, true)) };
  const flags = view.getUint8(start + 4);
  if (magic !== 0xfd2fb528 || (flags & 3) !== 0) throw new RangeError("no frame without a dictionary");
  const isWhole = (flags & 0x20) !== 0;
  const descriptor = isWhole ? 0 : view.getUint8(start + 5);
  const base = 2 ** (10 + (descriptor >> 3));
  const sizeAt = start + (isWhole ? 5 : 6);
  const sizeBytes = flags >> 6 === 0 ? Number(isWhole) : 2 ** (flags >> 6);
  const windowBytes = isWhole ? sizeOf(view, sizeAt, sizeBytes) : base + (base / 8) * (descriptor & 7);
  let at = sizeAt + sizeBytes;
  for (let blocks = 1; ; blocks += 1) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    // A block of one repeated byte contains only that byte.
    at += 3 + (((header >> 1) & 3) === 1 ? 1 : header >> 3);
    if ((header & 1) === 1) {
      const end = within(body, at + ((flags & 4) === 0 ? 0 : 4));
      return { end, blocks, windowBytes, isWhole };
    }
  }
}

function sizeOf(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

function within(body: Uint8Array, end: number): number {
  if (end > body.length) throw new RangeError("cut off");
  return end;
}
