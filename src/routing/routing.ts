import type { Clock } from "../base/clock.ts";
import { randomBelow } from "../base/random.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Log } from "../observe/log.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { Trouble } from "./condition.ts";
import { inspectRoute, type RouteStation } from "./inspect.ts";
import type { AttemptOutcome } from "./outcome.ts";
import { type CandidateOrder, createRoutes, type RouteOrder } from "./routes.ts";
import { type AttemptCounts, AttemptTally } from "./tally.ts";
import { tell } from "./tell.ts";
import { type Candidates, Walk } from "./walk.ts";

export interface RoutingOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Requests running at an upstream. */
  readonly inFlight: (upstreamId: bigint) => number;
  /** From 0 up to, not including, 1; by default drawn from the machine's randomness. */
  readonly random?: () => number;
}

export interface Routing {
  /**
   * Whom to ask, in order, at most three. Ask for the next one only after the outcome of the one before
   * is reported, since the choice depends on it. Never throws; may be empty.
   */
  candidates(catalog: Catalog, order: CandidateOrder): Candidates;
  /** How an attempt for a request of this account went. May be called twice for one attempt (answering, then broken off). */
  report(candidate: Candidate, outcome: AttemptOutcome, account: bigint): void;
  /** How many breakers are open, by upstream; 0 for the healthy. */
  openBreakers(): ReadonlyMap<string, number>;
  /** The models under credentials that are not well, as this process has learnt. */
  troubles(): readonly Trouble[];
  /** How attempts at an upstream ended in the last ten minutes, in this process. */
  attempts(upstreamId: bigint): AttemptCounts;
  /** The way that requests of this order take, without taking it. */
  inspect(catalog: Catalog, order: RouteOrder): readonly RouteStation[];
}

/** Chooses upstreams and remembers how they do. Per process: each learns for itself within seconds. */
export function createRouting(options: RoutingOptions): Routing {
  const { clock, log, inFlight } = options;
  const routes = createRoutes();
  const tally = new AttemptTally();
  const nowMs = (): number => clock.monotonicMs();
  const walkDeps = { nowMs, inFlight, random: options.random ?? drawFraction };

  return {
    candidates: (catalog, order) => new Walk(routes.find(catalog, order), order, walkDeps),
    openBreakers: () => routes.openBreakers(),
    troubles: () => routes.troubles(nowMs()),
    inspect: (catalog, order) => inspectRoute(routes.find(catalog, order), { nowMs: nowMs(), inFlight }),
    attempts: (upstreamId) => tally.of(upstreamId, nowMs()),
    report(candidate, outcome, account) {
      tally.count(candidate.upstream.id, outcome, nowMs());
      const stop = routes.stopOf(candidate);
      const change = stop?.health.report(outcome, { account, model: stop.model }, nowMs());
      if (change !== undefined) tell(log, change, candidate, account);
    },
  };
}

const FRACTIONS = 2 ** 30;

function drawFraction(): number {
  return randomBelow(FRACTIONS) / FRACTIONS;
}
