/** Attempts are judged by the last half minute, in slots that are forgotten one at a time. */
const SLOT_MS = 5_000;
const SLOTS = 6;

/** Fewer attempts are no pattern. */
const ATTEMPTS_TO_JUDGE = 3;

/** This many failures in a row are no accident. */
const FAILURES_TO_CLOSE = 5;

/** A restart or a failover of a vendor takes about this long. */
export const OPEN_MS = 30_000;

/** An account's verdict on a place from its attempts of the last half minute: none, it responds, or it fails. */
export type AccountVote = "none" | "good" | "bad";

/** One account's record at one place: its vote on the place's health, and whether the place is closed to that account. */
export class AccountRecord {
  readonly #attempts: number[] = Array<number>(SLOTS).fill(0);
  readonly #failures: number[] = Array<number>(SLOTS).fill(0);
  /** Number of the newest slot. */
  #slot = Number.NEGATIVE_INFINITY;
  #failuresInRow = 0;
  /** When its next probe may go; counts while the place is closed to it. */
  #probeAtMs = 0;
  #probing = false;
  /** When the place was opened to it again. */
  reopenedMs = Number.NEGATIVE_INFINITY;
  /** The model of its last request that failed here. */
  failedModel = "";

  /** The account's last five attempts here failed. */
  get closed(): boolean {
    return this.#failuresInRow >= FAILURES_TO_CLOSE;
  }

  get probeAtMs(): number {
    return this.#probeAtMs;
  }

  /** A request is about to go there: if the place is closed to it, its next one is 30 s away whatever becomes of this. */
  claim(nowMs: number): void {
    if (!this.closed) return;
    this.#probeAtMs = nowMs + OPEN_MS;
    this.#probing = true;
  }

  /** True = the place is closed to it from now on. */
  failed(nowMs: number): boolean {
    const known = this.closed;
    this.#failuresInRow += 1;
    this.#probing = false;
    if (known || !this.closed) return false;
    this.#probeAtMs = nowMs + OPEN_MS;
    return true;
  }

  succeeded(nowMs: number): void {
    if (this.closed) this.reopenedMs = nowMs;
    this.#failuresInRow = 0;
    this.#probing = false;
  }

  /** An attempt that taught nothing: if it was the probe, the next request is it instead. */
  neutral(nowMs: number): void {
    if (this.#probing) this.#probeAtMs = nowMs;
    this.#probing = false;
  }

  /** Counts an attempt that a request of this account's has ended. */
  count(failed: boolean, nowMs: number): void {
    this.#turn(nowMs);
    const index = this.#slot % SLOTS;
    this.#attempts[index] = (this.#attempts[index] ?? 0) + 1;
    if (failed) this.#failures[index] = (this.#failures[index] ?? 0) + 1;
  }

  vote(nowMs: number): AccountVote {
    this.#turn(nowMs);
    const attempts = sum(this.#attempts);
    const failures = sum(this.#failures);
    if (attempts >= ATTEMPTS_TO_JUDGE && failures * 2 >= attempts) return "bad";
    return attempts > failures ? "good" : "none";
  }

  /** The place has recovered for all. */
  reset(): void {
    this.#attempts.fill(0);
    this.#failures.fill(0);
    this.#failuresInRow = 0;
    this.#probing = false;
  }

  /** Forgets the slots that are too old. */
  #turn(nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    const passed = Math.min(SLOTS, slot - this.#slot);
    for (let step = 0; step < passed; step += 1) {
      const index = (slot - step + SLOTS) % SLOTS;
      this.#attempts[index] = 0;
      this.#failures[index] = 0;
    }
    this.#slot = Math.max(this.#slot, slot);
  }
}

function sum(counts: readonly number[]): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
