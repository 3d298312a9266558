import type { Socket } from "node:net";
import type { Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";

/** A body of the largest size then takes a quarter of an hour; slower is no line that such bodies are sent on. */
const LEAST_BYTES_PER_SECOND = 32 * 1024;

/** Lines falter, and so do senders. */
const WINDOW_MS = 5_000;

const LOOK_MS = 1_000;

/** What arrives while this process is held up lies in the kernel: nobody's fault is read from such a time. */
const HELD_UP_MS = 1_000;

/** A request whose body is being read. */
export interface PacedBody {
  readonly socket: Pick<Socket, "bytesRead">;
  /** What has come and is not taken yet: while there is any it is us who are slow, or what unpacks it. */
  readonly readableLength: number;
}

interface Watched {
  readonly body: PacedBody;
  readonly onSlow: () => void;
  fromMs: number;
  fromBytes: number;
}

/** Looks after bodies that are being read: one timer for all of them, and none where all bodies come with their heads. */
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
   * Calls back once where less than 32 KB a second of a body come over five seconds. Gives what ends the watch, to be called when
   * the body is there.
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

/** So many chunks of a body may be as small as they like. */
const FEW_CHUNKS = 1_000;

/** Bytes that its chunks must have on average, their framing included where that is known. */
const LEAST_CHUNK_BYTES = 64;

/**
 * True if a body comes in chunks of a few bytes. Each costs the parser as much as one of many kilobytes, so that a sender
 * without a key could hold up everybody; clients send what they have buffered.
 */
export function hasTinyChunks(chunks: number, bytes: number): boolean {
  return chunks > FEW_CHUNKS && bytes < chunks * LEAST_CHUNK_BYTES;
}
