import type { StreamMeter } from "../../protocols/protocol.ts";
import { HOLD_BACK_BYTES } from "./held-back.ts";
import type { Attempt } from "./receiver.ts";

/** Events that only announce a response are held back so long, and so many bytes of them: most failures come behind them. */
const OPENING_MS = 1_000;
const OPENING_BYTES = 64 * 1024;

/** The time before a stream's first output: comments, and events that carry nothing a caller needs. */
export class OpeningWindow {
  readonly #attempt: Attempt;
  readonly #openedMs: number;
  /** When its first event came. */
  #startedMs: number | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
    this.#openedMs = this.#nowMs;
  }

  /** Comments keep a connection alive and are no response, however many they are. */
  get isLate(): boolean {
    const { firstByteStreamMs } = this.#attempt.candidate.upstream.timeouts;
    return this.#nowMs - this.#openedMs >= firstByteStreamMs;
  }

  /** True while the received bytes are still held back. */
  isOpen(meter: StreamMeter, bytes: number): boolean {
    if (meter.hasOutput) return false;
    this.#startedMs ??= this.#nowMs;
    return meter.finished ? bytes <= HOLD_BACK_BYTES : bytes <= OPENING_BYTES && !this.isElapsed;
  }

  /** True once the time limit has passed. */
  get isElapsed(): boolean {
    return this.#startedMs !== undefined && this.#nowMs - this.#startedMs >= OPENING_MS;
  }

  get #nowMs(): number {
    return this.#attempt.exchange.clock.monotonicMs();
  }
}
