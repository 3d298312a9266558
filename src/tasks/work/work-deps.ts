import type { ResolvedOrder } from "../../assets/assets.ts";
import type { Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import type { LargeJson } from "../../base/json/large-json.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import type { MediaOrder } from "../../families/family.ts";
import type { Log } from "../../observe/log.ts";
import type { Held } from "../../queue/held.ts";
import type { PlaceHealth } from "../../routing/routing.ts";
import type { Transport } from "../../upstreams/call.ts";
import type { InlinedOrder } from "../../upstreams/task-apis/inline-images.ts";
import type { TaskApi } from "../../upstreams/task-apis/task-api.ts";
import type { Claim, TaskPlace, TaskStore } from "../store/task-store.ts";
import type { Finisher } from "./finish.ts";
import type { TaskCandidate } from "./places.ts";
import type { NamedCounter, RecentFailures } from "./recent-failures.ts";

/** A task that this worker has claimed. */
export type HeldTask = Held<Claim>;

/** Measured by this process's monotonic clock; negative = the deadline has passed. */
export function msToDeadline({ claim, ageMs }: HeldTask): number {
  return claim.msToDeadline - ageMs();
}

/** Dependencies of the worker's steps. */
export interface WorkDeps {
  readonly store: TaskStore;
  readonly finisher: Finisher;
  readonly ask: Transport["ask"];
  readonly apiOf: (upstream: Upstream) => TaskApi | undefined;
  /** Enabled upstreams that serve the task's model to its group. */
  readonly serving: (claim: Claim) => readonly Upstream[];
  /** This upstream and credential, enabled or not; undefined = they were removed. */
  readonly at: (place: TaskPlace) => TaskCandidate | undefined;
  /** Resolves the assets that an order names. */
  readonly resolveAssets: (claim: Claim, order: MediaOrder) => Promise<ResolvedOrder>;
  /** Returns the order for a vendor that requires files, with linked images fetched within this time. */
  readonly inline: (order: MediaOrder, withinMs: number) => Promise<InlinedOrder>;
  /** Places that recently refused a task for reasons of their own: others are asked first. */
  readonly faults: RecentFailures;
  /** Health of places, shared by requests and tasks of all accounts. */
  readonly health: PlaceHealth;
  /** Places whose batch responses had none of the requested tasks: each task is requested separately. */
  readonly batchless: RecentFailures;
  /** Number of polls by task in which the vendor reported success without a result. */
  readonly resultless: NamedCounter;
  /** Tasks by upstream that were failed because their submit has no known outcome. */
  readonly unknownFates: NamedCounter;
  /** Unusable poll responses by upstream. */
  readonly unusablePolls: NamedCounter;
  /** Number of alarms by task for such responses. */
  readonly pollAlarms: NamedCounter;
  /** Removes secrets and the operator's own data from a vendor's words. */
  readonly scrub: (text: string) => string;
  readonly largeJson: LargeJson;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** True if the process is about to end, so that nothing is waited for. */
  readonly stopped: () => boolean;
}
