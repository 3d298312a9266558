/**
 * What an attempt taught about where it was sent.
 * - `answering`: its response has begun; how it ends is reported too.
 * - `ok`: it answered.
 * - `client-error`: it refused the caller's own mistake, which says that it lives and not whether it works.
 * - `unreachable`: no connection to it could be made.
 * - `failed`: it broke off, timed out or answered 5xx.
 * - `rate-limited`: 429 for our account there.
 * - `refused-account`: our key, credit or model name is not accepted there.
 * - `neutral`: nothing (it was full, or we gave up ourselves).
 */
export type AttemptOutcome =
  | {
      readonly kind: "ok" | "client-error" | "unreachable" | "failed" | "refused-account" | "neutral";
    }
  /** `firstByteMs`: since it was sent. */
  | { readonly kind: "answering"; readonly firstByteMs?: number | undefined }
  | { readonly kind: "rate-limited"; readonly retryAfterSeconds?: number | undefined };

/** The account of a request and its requested model. */
export interface Requester {
  readonly account: bigint;
  /** Our id of the model. */
  readonly model: string;
}

export type CountedOutcome = "answering" | "ok" | "failed" | "refused-account" | "neutral" | "rate-limited";

/** The outcome as counted in metrics: an upstream that rejects a wrong request has responded, an unreachable one has failed. */
export function countedAs({ kind }: AttemptOutcome): CountedOutcome {
  if (kind === "client-error") return "ok";
  return kind === "unreachable" ? "failed" : kind;
}

/**
 * Outcomes of recent attempts at one upstream in this process, including failures that another upstream made up for.
 */
export interface AttemptCounts {
  readonly ok: number;
  readonly failed: number;
  readonly rateLimited: number;
  readonly refused: number;
}

/** Ten minutes, in slots that are forgotten one at a time. */
const SLOT_MS = 10_000;
const SLOTS = 60;

const NONE: Readonly<Record<keyof AttemptCounts, number>> = { ok: 0, failed: 0, rateLimited: 0, refused: 0 };

type Counted = keyof AttemptCounts;
const FIELD: Readonly<Record<CountedOutcome, Counted | undefined>> = {
  ok: "ok",
  // It is counted when it ends.
  answering: undefined,
  failed: "failed",
  "rate-limited": "rateLimited",
  "refused-account": "refused",
  neutral: undefined,
};

/** Counts the attempts of the last ten minutes by upstream. */
export class AttemptCounter {
  readonly #slots = new Map<bigint, Map<number, Record<Counted, number>>>();

  count(upstreamId: bigint, outcome: AttemptOutcome, nowMs: number): void {
    const field = FIELD[countedAs(outcome)];
    if (field === undefined) return;
    let slots = this.#slots.get(upstreamId);
    if (slots === undefined) {
      slots = new Map();
      this.#slots.set(upstreamId, slots);
    }
    const now = Math.floor(nowMs / SLOT_MS);
    let slot = slots.get(now);
    if (slot === undefined) {
      for (const old of slots.keys()) if (old <= now - SLOTS) slots.delete(old);
      slot = { ...NONE };
      slots.set(now, slot);
    }
    slot[field] += 1;
  }

  of(upstreamId: bigint, nowMs: number): AttemptCounts {
    const sum = { ...NONE };
    const oldest = Math.floor(nowMs / SLOT_MS) - SLOTS;
    for (const [at, slot] of this.#slots.get(upstreamId) ?? []) {
      if (at <= oldest) continue;
      for (const field of ["ok", "failed", "rateLimited", "refused"] as const) sum[field] += slot[field];
    }
    return sum;
  }
}
