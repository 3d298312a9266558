import type { ChatEvent } from "../../conversation/event.ts";
import { OversizedResponse } from "../../protocols/streams/stream-frames.ts";
import type { WireFrame } from "../../protocols/translation.ts";
import { PLAIN_RESPONSE_BYTES } from "../response/buffered-response.ts";

/** Responses have some dozens of texts, thoughts and calls. Each costs memory, and its callers' clients work. */
const MAX_BLOCKS = 10_000;

/** Nearly all streams keep less and never count against the shared memory. */
export const ORDINARY_BYTES = 1024 * 1024;

/** Overhead of a piece, however short it is. */
const PIECE_BYTES = 64;

/**
 * Bounds the memory that a translated stream keeps until its end: arguments until they are complete, blocks that wait for
 * their turn, and all text for protocols that repeat it at the end. The bound is that of a plain response.
 */
export class StreamMemory {
  /** Approximate; data that is kept in several places counts once. */
  bytes = 0;
  #blocks = 0;

  /** Counts one frame and the events decoded from it. Throws OversizedResponse. */
  count({ data }: WireFrame, events: readonly ChatEvent[]): void {
    // Pieces of words are kept without their framing; what made no event may be kept as it is.
    let bytes = 0;
    for (const event of events) {
      if (event.type === "text-delta" || event.type === "reasoning-delta")
        bytes += event.text.length + PIECE_BYTES;
      else if (event.type === "tool-call-delta") bytes += event.arguments.length + PIECE_BYTES;
      else bytes += data.length / events.length;
      if ("block" in event && "choice" in event) this.#blocks += 1;
    }
    this.bytes += events.length === 0 ? data.length : bytes;
    if (this.#blocks > MAX_BLOCKS)
      throw new OversizedResponse(`a response with more than ${MAX_BLOCKS} content blocks`);
    if (this.bytes > PLAIN_RESPONSE_BYTES)
      throw new OversizedResponse(`a response of more than ${PLAIN_RESPONSE_BYTES} bytes`);
  }
}
