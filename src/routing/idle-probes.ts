import { runEvery, type Timers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import type { Catalog, Credential, Upstream } from "../catalog/catalog.ts";
import type { TrialResult } from "../upstreams/probe.ts";
import type { Routing } from "./routing.ts";

/** An upstream that nobody has asked for so long is tried, and again after as long. */
const IDLE_MS = 30_000;

/** One that was found away is tried this often until its breaker is open: five trials in a row tell. */
const RETRY_DELAY_MS = 5_000;
const TRIALS_TO_DECIDE = 5;

export interface IdleProbesOptions {
  readonly catalog: { current(): Catalog };
  readonly routing: Pick<Routing, "idleMs" | "reportTrial">;
  /** Costs nothing and never rejects. */
  readonly tryUpstream: (upstream: Upstream, credential: Credential) => Promise<TrialResult>;
  readonly timers: Timers;
  readonly clock: Clock;
}

interface Trials {
  nextMs: number;
  /** Times in a row that it was found away. */
  away: number;
}

/** Tries upstreams that want it (`probe: true`) while nobody asks them, so that the first caller after a pause meets no dead one. */
export function watchIdleUpstreams(options: IdleProbesOptions): { stop(): Promise<void> } {
  const { catalog, routing, clock, timers } = options;
  let trials = new Map<bigint, Trials>();

  const tryOne = async (upstream: Upstream, known: Trials): Promise<void> => {
    let away = false;
    for (const credential of upstream.credentials) {
      const { found } = await options.tryUpstream(upstream, credential);
      routing.reportTrial(upstream, credential, found);
      away ||= found === "away";
    }
    known.away = away ? known.away + 1 : 0;
    const soon = known.away > 0 && known.away < TRIALS_TO_DECIDE;
    known.nextMs = clock.monotonicMs() + (soon ? RETRY_DELAY_MS : IDLE_MS);
  };

  const schedule = runEvery(timers, RETRY_DELAY_MS, async () => {
    const wanted = catalog.current().upstreams.filter(({ probe }) => probe);
    trials = new Map(wanted.map(({ id }) => [id, trials.get(id) ?? { nextMs: 0, away: 0 }]));
    const nowMs = clock.monotonicMs();
    await Promise.all(
      wanted.map(async (upstream) => {
        const known = trials.get(upstream.id);
        if (known === undefined || nowMs < known.nextMs || routing.idleMs(upstream.id) < IDLE_MS) return;
        await tryOne(upstream, known);
      }),
    );
  });
  return { stop: schedule.stop };
}
