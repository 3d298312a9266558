import type { Clock } from "../base/clock.ts";
import { randomBelow } from "../base/random.ts";
import type { Catalog, Credential, Upstream } from "../catalog/catalog.ts";
import type { Log } from "../observe/log.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { TrialResult } from "../upstreams/probe.ts";
import { CandidateIterator, type Candidates } from "./candidate-iterator.ts";
import { choosePlace, type Grade, gradeOf, seedOfTarget } from "./choose.ts";
import { randomKey } from "./conversation.ts";
import { type Condition, conditionOf, logChange, type UnhealthyTarget } from "./health/condition.ts";
import type { Health, HealthTarget } from "./health/health.ts";
import { AttemptCounter, type AttemptCounts, type AttemptOutcome, type Requester } from "./health/outcome.ts";
import {
  type CandidateOrder,
  createRoutes,
  type InspectedUpstream,
  inspectRoute,
  type RouteOrder,
} from "./routes.ts";
import { createConversationSample, type SeenConversations } from "./seen-conversations.ts";

export interface RoutingOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Requests running at an upstream. */
  readonly inFlight: (upstreamId: bigint) => number;
  /** Until an upstream at its limit per minute gets requests again, 0 = now; by default none has such limits. */
  readonly limitedSeconds?: (upstream: Pick<Upstream, "id" | "options">) => number;
  /** From 0 up to, not including, 1; by default drawn from the machine's randomness. */
  readonly random?: () => number;
}

export interface Routing {
  /**
   * The candidates in order, at most three. Take the next one only after the outcome of the one before is reported, since the
   * choice depends on it. Never throws; may be empty.
   */
  candidates(catalog: Catalog, order: CandidateOrder): Candidates;
  /**
   * Reports the outcome of an attempt for this account. It may be called twice for one attempt (answering, then broken
   * off).
   */
  report(candidate: Candidate, outcome: AttemptOutcome, account: bigint): void;
  /** How many breakers are open, by upstream; 0 for the healthy. */
  openBreakers(): ReadonlyMap<string, number>;
  /** The models under credentials that are not well, as this process has learnt. */
  unhealthyTargets(): readonly UnhealthyTarget[];
  /** Outcomes of attempts at an upstream in the last ten minutes, in this process. */
  attempts(upstreamId: bigint): AttemptCounts;
  /** The way that requests of this order take, without taking it. */
  inspect(catalog: Catalog, order: RouteOrder): readonly InspectedUpstream[];
  /** How many requests named each conversation of a model in the last one to two hours, in this process. */
  seenConversations(model: string): SeenConversations;
  /** Conversations of every model that has any. */
  allSeenConversations(): Iterable<readonly [string, SeenConversations]>;
  /** Condition of a model under a credential, also if no text request uses it. */
  condition(site: HealthTarget): Condition;
  /** The choice and health of places for tasks and assets, which have a few places each. */
  readonly places: PlaceHealth;
  /** Seconds until an upstream at its limit per minute gets requests again, in this process; 0 = it is not. */
  limitedSeconds(upstream: Pick<Upstream, "id" | "options">): number;
  /** Milliseconds since an attempt at the upstream was reported; Infinity = none was. */
  idleMs(upstreamId: bigint): number;
  /** Reports the result of a probe of an idle upstream with this credential, for all of its models. */
  reportTrial(upstream: Upstream, credential: Credential, found: TrialResult["found"]): void;
}

export interface PlaceHealth {
  /**
   * Chooses the next of these places for a request of the account, by the rules of text requests; `isSetBack`: tried
   * like a cooling one.
   */
  choose<Site extends HealthTarget>(
    sites: readonly Site[],
    account: bigint,
    isSetBack: (site: Site) => boolean,
  ): Site | undefined;
  /** A higher one comes after all lower ones. */
  rank(site: HealthTarget, account: bigint): Grade;
  /** A request of the account is about to go there. */
  claim(site: HealthTarget, account: bigint): void;
  /** Outcome of the attempt. */
  report(site: HealthTarget, outcome: AttemptOutcome, requester: Requester): void;
}

/** Chooses upstreams and remembers how they do. Per process: each learns for itself within seconds. */
export function createRouting(options: RoutingOptions): Routing {
  const { clock, log, inFlight } = options;
  const routes = createRoutes();
  const tally = new AttemptCounter();
  const seen = createConversationSample();
  /** Time of the last report by upstream; as many as an installation has ever had. */
  const reportedMs = new Map<bigint, number>();
  const nowMs = (): number => clock.monotonicMs();
  const limitedSeconds = options.limitedSeconds ?? unlimited;
  const iteratorDeps = { nowMs, inFlight, limitedSeconds, random: options.random ?? drawFraction };

  return {
    candidates(catalog, order) {
      if (order.conversation !== undefined) seen.see(order.model, order.conversation, nowMs());
      return new CandidateIterator(routes.find(catalog, order), order, iteratorDeps);
    },
    seenConversations: (model) => seen.of(model, nowMs()),
    allSeenConversations: () => seen.all(nowMs()),
    openBreakers: () => routes.openBreakers(),
    unhealthyTargets: () => routes.unhealthyTargets(nowMs()),
    inspect: (catalog, order) =>
      inspectRoute(routes.find(catalog, order), { nowMs: nowMs(), inFlight, limitedSeconds }),
    attempts: (upstreamId) => tally.of(upstreamId, nowMs()),
    report(candidate, outcome, account) {
      const target = routes.targetOf(candidate);
      if (outcome.kind !== "answering") target?.load.release();
      else if (outcome.firstByteMs !== undefined) target?.latency?.learn(outcome.firstByteMs);
      learn(candidate, target?.health, outcome, { account, model: target?.model ?? "" });
    },
    condition: (site) => conditionOf(routes.healthAt(site), nowMs()),
    places: {
      choose: (sites, account, isDeprioritized) =>
        choosePlace(sites, {
          routingKey: { account, key: randomKey(iteratorDeps.random) },
          nowMs: nowMs(),
          healthOf: routes.healthAt,
          isDeprioritized,
        }),
      rank: (site, account) => gradeOf(routes.healthAt(site), seedOfTarget(site), { account }, nowMs()),
      claim: (site, account) => routes.healthAt(site).claim(account, nowMs()),
      report: (site, outcome, requester) => learn(site, routes.healthAt(site), outcome, requester),
    },
    limitedSeconds,
    idleMs: (upstreamId) => nowMs() - (reportedMs.get(upstreamId) ?? Number.NEGATIVE_INFINITY),
    reportTrial(upstream, credential, found) {
      for (const model of new Set(upstream.models.values())) {
        const site = { upstream, credential, model };
        const change = routes.healthAt(site).reportTrial(found, nowMs());
        if (change !== undefined) logChange(log, change, site);
      }
    },
  };

  function learn(
    site: HealthTarget,
    health: Health | undefined,
    outcome: AttemptOutcome,
    requester: Requester,
  ): void {
    const { id } = site.upstream;
    tally.count(id, outcome, nowMs());
    reportedMs.set(id, nowMs());
    const change = health?.report(outcome, requester, nowMs());
    if (change !== undefined) logChange(log, change, site, requester.account);
  }
}

function unlimited(): number {
  return 0;
}

const FRACTIONS = 2 ** 30;

function drawFraction(): number {
  return randomBelow(FRACTIONS) / FRACTIONS;
}
