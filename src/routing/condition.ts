import type { Health } from "./health.ts";

/** How a model does under one credential, as this process has learnt it. */
export interface Condition {
  /** Requests stay away but for a probe now and then. */
  readonly open: boolean;
  /** It is asked after all others. */
  readonly cooling: boolean;
  /** Until the next probe, or until it has cooled; 0 = now. */
  readonly waitMs: number;
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
    waitMs: Math.max(health.waitMs(nowMs), health.coolMs(nowMs)),
  };
}
