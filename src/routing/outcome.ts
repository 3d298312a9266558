/**
 * What an attempt taught about where it was sent.
 * - `answering`: its answer has begun; how it ends is reported too.
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
      readonly kind:
        | "answering"
        | "ok"
        | "client-error"
        | "unreachable"
        | "failed"
        | "refused-account"
        | "neutral";
    }
  | { readonly kind: "rate-limited"; readonly retryAfterSeconds?: number | undefined };

/** Whose request it was, and which model it asked for. */
export interface Requester {
  readonly account: bigint;
  /** Our id of the model. */
  readonly model: string;
}

export type CountedOutcome = "answering" | "ok" | "failed" | "refused-account" | "neutral" | "rate-limited";

/** As counts and metrics have it: an upstream that refuses a wrong request has answered, one that is away has failed. */
export function countedAs({ kind }: AttemptOutcome): CountedOutcome {
  if (kind === "client-error") return "ok";
  return kind === "unreachable" ? "failed" : kind;
}
