import type { Clock } from "../clock.ts";
import { SlotList, type Slotted } from "./slot-list.ts";

/** The interval of checking deadlines: the promise is one second, and ten thousand checks take under a millisecond. */
const SWEEP_EVERY_MS = 200;

/** Something with deadlines of its own. */
export interface Timed extends Slotted {
  /** Asks it to end itself if one of its deadlines has passed. */
  expire(nowMs: number): void;
}

/**
 * All attempts under way, and one timer for their deadlines. An attempt costs one slot, and a chunk that moves
 * an idle deadline costs one assignment: no timer is made, moved or cleared while bytes flow.
 */
export class Deadlines<T extends Timed> {
  /** The steady time of the last sweep, good to SWEEP_EVERY_MS: free to read for every chunk. */
  nowMs: number;
  readonly #clock: Clock;
  readonly #timed = new SlotList<T>();
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.nowMs = clock.monotonicMs();
  }

  /** Those under way now. */
  running(): readonly T[] {
    return this.#timed.members();
  }

  add(timed: T): void {
    this.#timed.add(timed);
    if (this.#timer !== undefined) return;
    this.nowMs = this.#clock.monotonicMs();
    this.#timer = setInterval(() => this.#tick(), SWEEP_EVERY_MS);
    // A deadline alone keeps no process alive; the sockets it watches do.
    this.#timer.unref();
  }

  delete(timed: T): void {
    this.#timed.delete(timed);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#timed.clear();
  }

  #tick(): void {
    this.nowMs = this.#clock.monotonicMs();
    if (this.#timed.size === 0) {
      // An idle gateway sleeps.
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    // Bytes that arrived while the event loop was busy are read first: they are no silence of the upstream.
    setImmediate(() => {
      for (const timed of this.#timed.members()) timed.expire(this.nowMs);
    });
  }
}
