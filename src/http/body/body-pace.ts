import type { Socket } from "node:net";
import type { Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";

/**
 * At this speed a body of the largest size takes a quarter of an hour. Connections that carry such bodies are faster.
 */
const LEAST_BYTES_PER_SECOND = 32 * 1024;

/** Connections and senders pause now and then, so the speed is an average over this time. */
const WINDOW_MS = 5_000;

const LOOK_MS = 1_000;

/**
 * If this process was blocked for this long, data waited in the kernel, so the period says nothing about the sender.
 */
const HELD_UP_MS = 1_000;

/** A request whose body is being read. */
export interface PacedBody {
  readonly socket: Pick<Socket, "bytesRead">;
  /**
   * Bytes that arrived and are not processed yet: as long as there are any, it is the gateway or the decoder that is
   * slow.
   */
  readonly readableLength: number;
}

interface Watched {
  readonly body: PacedBody;
  readonly onSlow: () => void;
  fromMs: number;
  fromBytes: number;
}

/**
 * Watches the speed of bodies that are being read. One timer serves them all, and none runs if all bodies come with
 * their heads.
 */
export class BodyPace {
  private readonly clock: Clock;
  private readonly timers: Timers;
  private readonly watched = new Set<Watched>();
  private lookedAtMs = 0;
  private looksAgain = false;

  constructor(clock: Clock, timers: Timers) {
    this.clock = clock;
    this.timers = timers;
  }

  /**
   * Calls `onSlow` once if less than 32 KB a second of a body arrive over five seconds. Returns a function that ends
   * the watch, to be called when the body is complete.
   */
  watch(body: PacedBody, onSlow: () => void): () => void {
    const nowMs = this.clock.monotonicMs();
    const watched: Watched = { body, onSlow, fromMs: nowMs, fromBytes: body.socket.bytesRead };
    this.watched.add(watched);
    if (!this.looksAgain) this.lookSoon(nowMs);
    return () => this.watched.delete(watched);
  }

  private lookSoon(nowMs: number): void {
    this.lookedAtMs = nowMs;
    this.looksAgain = true;
    this.timers.after(LOOK_MS, () => this.checkPace());
  }

  private checkPace(): void {
    this.looksAgain = false;
    const nowMs = this.clock.monotonicMs();
    const heldUp = nowMs - this.lookedAtMs > LOOK_MS + HELD_UP_MS;
    for (const watched of this.watched) {
      const { body, fromMs, fromBytes, onSlow } = watched;
      const excused = heldUp || body.readableLength > 0;
      if (!excused && nowMs - fromMs < WINDOW_MS) continue;
      const { bytesRead } = body.socket;
      const isSlow = bytesRead - fromBytes < (LEAST_BYTES_PER_SECOND * (nowMs - fromMs)) / 1_000;
      watched.fromMs = nowMs;
      watched.fromBytes = bytesRead;
      if (excused || !isSlow) continue;
      this.watched.delete(watched);
      onSlow();
    }
    if (this.watched.size > 0) this.lookSoon(nowMs);
  }
}

/** This number of chunks may have any size. */
const FEW_CHUNKS = 1_000;

/** Minimum average size of a body's chunks, including their framing if that is known. */
const LEAST_CHUNK_BYTES = 64;

/**
 * True if a body comes in chunks of a few bytes. Each costs the parser as much as one of many kilobytes, so that a
 * sender without a key could slow everybody down. Regular clients send what they have buffered.
 */
export function hasTinyChunks(chunks: number, bytes: number): boolean {
  return chunks > FEW_CHUNKS && bytes < chunks * LEAST_CHUNK_BYTES;
}
