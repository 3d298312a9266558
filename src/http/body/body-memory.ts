import type { Caller } from "../../accounts/caller.ts";
import { MemoryBudget, type MemoryGrant, type MemoryRefusal } from "../../base/async/memory-budget.ts";
import type { Held, MemoryOwner } from "../../base/async/memory-pool.ts";
import type { Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import { createLru, type Lru } from "../../base/lru.ts";
import { GatewayError } from "../../errors.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { decoderBytes } from "./body-codings.ts";
import { BodyPace } from "./body-pace.ts";

/**
 * Maximum number of keys that are tracked. A forgotten key's memory still counts for all, but no longer for its own
 * share.
 */
const MAX_OWNERS = 50_000;

/** Other bodies are released within about this time. */
const RETRY_AFTER_SECONDS = 2;

export interface BodyMemoryOptions {
  /** For all bodies together; see settings.body_memory_mb. */
  readonly limitBytes: () => number;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** The memory of all request bodies of this process, from their first byte until the end of the request. */
export class BodyMemory {
  readonly pace: BodyPace;
  private readonly budget: MemoryBudget;
  private readonly keys: Lru<string, Held> = createLru(MAX_OWNERS);
  private readonly accounts: Lru<string, Held> = createLru(MAX_OWNERS);
  /** Keyed by caller, because many requests share one. */
  private readonly owners = new WeakMap<Caller, MemoryOwner>();

  constructor({ limitBytes, clock, timers }: BodyMemoryOptions) {
    this.budget = new MemoryBudget(() => limitBytes() - decoderBytes(), timers);
    this.pace = new BodyPace(clock, timers);
  }

  /** Returns a grant for a body of this caller. It holds nothing yet, and must be released. */
  grantOf(caller: Caller): MemoryGrant {
    let owner = this.owners.get(caller);
    if (owner === undefined) {
      owner = this.owner(`account ${caller.accountId}`, `key ${caller.keyId}`);
      this.owners.set(caller, owner);
    }
    return this.budget.grant(owner);
  }

  /** The same for senders without an API key: `group` is counted as an account is, `one` as a key. */
  grantOfOther(group: string, one: string): MemoryGrant {
    return this.budget.grant(this.owner(group, `${group} ${one}`));
  }

  describe(metrics: Metrics): void {
    metrics.gauges("body_memory_bytes", "Memory held by request bodies", "pool", () => this.heldBytes());
    metrics.gauge("bodies_waiting", "Requests waiting for body memory", () => this.budget.waitingCount());
    metrics.counters(
      "body_memory_refused_total",
      "Request bodies refused by a memory limit, by reason",
      "reason",
      () => this.budget.refused(),
    );
  }

  /** Memory held by each pool; that of the decoder is part of the others' limit. */
  private heldBytes(): readonly (readonly [pool: string, bytes: number])[] {
    return [...this.budget.heldBytes(), ["decoder", decoderBytes()]];
  }

  private owner(account: string, key: string): MemoryOwner {
    return { account: heldOf(this.accounts, account), key: heldOf(this.keys, key) };
  }
}

/** Returns the error for a body for which there is no memory. */
export function memoryRefused(why: MemoryRefusal): GatewayError {
  return new GatewayError("service_unavailable", REFUSALS[why], { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const REFUSALS: Readonly<Record<MemoryRefusal, string>> = {
  key: "This key's request bodies use up its share of the gateway's memory. Send fewer or smaller requests at once.",
  account:
    "This account's request bodies use up its share of the gateway's memory. Send fewer or smaller requests at once.",
  total: "The gateway's memory for request bodies is used up. Try again in a moment.",
  queue: "Too many requests are waiting for memory. Try again in a moment.",
};

function heldOf(among: Lru<string, Held>, name: string): Held {
  let held = among.get(name);
  if (held === undefined) {
    held = { small: 0, large: 0 };
    among.set(name, held);
  }
  return held;
}
