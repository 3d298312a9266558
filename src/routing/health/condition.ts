import type { Log } from "../../observe/log.ts";
import type { Health, HealthChange, HealthTarget } from "./health.ts";

/** Condition of a model under one credential, as observed by this process. */
export interface Condition {
  /** Requests stay away but for a probe now and then, and for those that have no other choice. */
  readonly open: boolean;
  /** It is asked after all others. */
  readonly cooling: boolean;
  /** Until the next probe, or until it has cooled; 0 = now. */
  readonly waitMs: number;
  /** Accounts that are kept away, as their own last requests there failed. */
  readonly closedTo: number;
  /** The part of its requests that it gets while it comes back; 1 = all. */
  readonly share: number;
}

/** A model under a credential that is not well. */
export interface UnhealthyTarget extends Condition {
  readonly upstreamId: bigint;
  readonly credentialId: bigint;
  /** The upstream's name of the model. */
  readonly model: string;
}

export function conditionOf(health: Health, nowMs: number): Condition {
  return {
    open: health.open,
    cooling: health.cooling(nowMs),
    waitMs: Math.max(health.probeMs(nowMs), health.coolMs(nowMs)),
    closedTo: health.closedTo(),
    share: health.shareOfAll(nowMs),
  };
}

export function isHealthy({ open, cooling, closedTo, share }: Condition): boolean {
  return !open && !cooling && closedTo === 0 && share === 1;
}

/** The one word for it, of several the gravest. */
export function conditionLabel({
  open,
  cooling,
  share,
}: Condition): "ready" | "returning" | "cooling" | "open" {
  if (open) return "open";
  if (cooling) return "cooling";
  return share < 1 ? "returning" : "ready";
}

type Change = NonNullable<HealthChange>;

const WORDS: Readonly<Record<Change, string>> = {
  unreachable: "circuit breaker opened: five connections in a row failed; probing every 30 s",
  outvoted: "circuit breaker opened: requests of several accounts failed; probing every 30 s",
  "closed-to-account":
    "circuit breaker opened for one account: its last five requests failed; probing every 30 s",
  closed: "circuit breaker closed: the upstream responds again and regains its share within a minute",
  withdrawn: "circuit breaker closed: the upstream serves others, or those accounts fail elsewhere too",
  "rate-limited": "rate limit (429) reported by an upstream; trying this credential last for a while",
  refused: "credential refused by an upstream; check key, credit and model name",
};

/** Writes what has changed at a place; what a person must mend is an alarm. */
export function logChange(
  log: Log,
  change: Change,
  { upstream, credential, model }: HealthTarget,
  account?: bigint,
): void {
  const where = { upstream: upstream.name, credential: credential.name, model };
  if (change === "refused") log.error({ ...where, alarm: true }, WORDS[change]);
  else if (change === "closed" || change === "withdrawn") log.info(where, WORDS[change]);
  else if (change === "closed-to-account") log.warn({ ...where, account: String(account) }, WORDS[change]);
  else log.warn(where, WORDS[change]);
}
