import type { Health } from "./health.ts";

/** How a model does under one credential, as this process has learnt it. */
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
export interface Trouble extends Condition {
  readonly upstreamId: bigint;
  readonly credentialId: bigint;
  /** What the upstream calls it. */
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

export function isWell({ open, cooling, closedTo, share }: Condition): boolean {
  return !open && !cooling && closedTo === 0 && share === 1;
}

/** The one word for it, of several the gravest. */
export function conditionWord({
  open,
  cooling,
  share,
}: Condition): "ready" | "returning" | "cooling" | "open" {
  if (open) return "open";
  if (cooling) return "cooling";
  return share < 1 ? "returning" : "ready";
}
