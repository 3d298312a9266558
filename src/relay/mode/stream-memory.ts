import type { ChatEvent } from "../../conversation/event.ts";
import { OversizedResponse } from "../../protocols/streams/stream-frames.ts";
import type { WireFrame } from "../../protocols/translation.ts";
import { PLAIN_RESPONSE_BYTES } from "../response/buffered-response.ts";

/** Responses have some dozens of texts, thoughts and calls. Each costs memory, and its callers' clients work. */
const MAX_BLOCKS = 10_000;

/** Nearly all streams keep less, and never count against the memory that all share. */
export const ORDINARY_BYTES = 1024 * 1024;

/** What a piece takes beside its letters, however few they are. */
const PIECE_BYTES = 64;

/**
 * What a translated stream makes the gateway keep until its end: arguments until they are whole, blocks that wait for
 * their turn, all words for protocols that state them once more. Bounded as a plain response is.
 */
export class StreamMemory {
  /** About; what is kept in several places counts once. */
  bytes = 0;
  #blocks = 0;

  /** Of one frame and the events that it was read as. Throws OversizedResponse. */
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
