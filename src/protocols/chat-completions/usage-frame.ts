import { asBuffer, openFrameScanner, readFrame } from "../../base/sse.ts";
import { asArray, asObject, parseLoosely } from "../json.ts";
import { keyLook } from "../look.ts";
import { statedFailure } from "./failure.ts";

/**
 * Removes the frame that exists only because the gateway asked for usage and the caller did not: no
 * choices, only usage. Every other byte passes as it came, as views of the chunks it came in; only a
 * frame that was cut apart is held until it is whole.
 */
export function openUsageFrameFilter(): UsageFrameFilter {
  const holdsUsage = openUsageLook();
  let kept: Buffer[] = [];
  // Neighbouring frames of one buffer leave as one piece.
  let piece: { readonly buffer: Buffer; readonly start: number; end: number } | undefined;

  function cut(): void {
    if (piece !== undefined) kept.push(piece.buffer.subarray(piece.start, piece.end));
    piece = undefined;
  }

  const scanner = openFrameScanner(
    {
      frame(buffer, start, end, next) {
        if (holdsUsage(buffer, start, end) && isUsageOnly(buffer.toString("utf8", start, end))) return;
        if (piece?.buffer === buffer && piece.end === start) {
          piece.end = next;
          return;
        }
        cut();
        piece = { buffer, start, end: next };
      },
      oversized(part) {
        cut();
        kept.push(part);
      },
    },
    MAX_HELD_BYTES,
  );

  function take(): readonly Uint8Array[] {
    cut();
    const pieces = kept;
    kept = [];
    return pieces;
  }

  return {
    write(chunk) {
      scanner.write(asBuffer(chunk));
      return take();
    },
    end() {
      scanner.end();
      return take();
    },
  };
}

export interface UsageFrameFilter {
  /** The bytes to pass on now. */
  write(chunk: Uint8Array): readonly Uint8Array[];
  /** No more bytes: what was held. */
  end(): readonly Uint8Array[];
}

/** Vendors whose usage rides on a chunk with choices sent it unasked: it is the caller's (rule 5). */
function isUsageOnly(frame: string): boolean {
  const chunk = asObject(parseLoosely(readFrame(frame).data));
  if (chunk === undefined || asObject(chunk["usage"]) === undefined || statedFailure(chunk)) return false;
  return asArray(chunk["choices"] ?? []).length === 0;
}

/** A usage frame has a few hundred bytes; a larger one is content and flows on unheld. */
const MAX_HELD_BYTES = 64 * 1024;

const openUsageLook = keyLook("usage");
