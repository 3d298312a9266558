import { createHash } from "node:crypto";
import { type Catalog, type Credential, type Model, protocolsAt, type Upstream } from "../catalog/catalog.ts";
import { expectedCost } from "../catalog/upstream-cost.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import type { Origin } from "../conversation/state/opaque.ts";
import { chooseProtocol } from "../protocols/table.ts";
import type { Candidate } from "../upstreams/call.ts";
import { weightOf } from "./choose.ts";
import { type ConversationKey, type Place, type Seed, seedOf } from "./conversation.ts";
import { type Condition, conditionOf, isHealthy, type UnhealthyTarget } from "./health/condition.ts";
import { createFailedPlaces } from "./health/failed-places.ts";
import { Health, type HealthTarget } from "./health/health.ts";
import { Latency } from "./latency.ts";
import { Load } from "./load.ts";
import { RetryBudget } from "./retry-budget.ts";

export interface RouteOrder {
  /** Our id of the model. */
  readonly model: string;
  readonly group: string;
  readonly protocol: ProtocolName;
}

/** A request that wants candidates. */
export interface CandidateOrder extends RouteOrder {
  readonly account: bigint;
  /** Undefined = of no conversation: any place by weight. */
  readonly conversation?: ConversationKey | undefined;
  /** The place to which the conversation moved when its own could not serve it; it stays there, whatever the priorities. */
  readonly moved?: Place | undefined;
  /** The issuer of the state in the request is tried before others of its priority. */
  readonly issuer?: Origin | undefined;
  /** The places that store what the request names: one of them must serve it. */
  readonly pins?: readonly Pin[] | undefined;
}

/** An upstream, and the one credential of it that will do; null = any. */
export interface Pin {
  readonly upstreamId: bigint;
  readonly credentialId: bigint | null;
}

/** A candidate with what is known of it; made once for each state of the catalog, used by all requests. */
export interface CredentialTarget {
  readonly candidate: Candidate;
  readonly health: Health;
  /** Our id of the model. */
  readonly model: string;
  /** The credential's part of the upstream's weight. */
  readonly weight: number;
  readonly seed: Seed;
  readonly load: Load;
  /** Latency of its upstream, if the model's upstreams are ordered by it. */
  readonly latency: Latency | undefined;
}

/** One upstream on a route, with its credentials in rotation. */
export interface UpstreamTarget {
  readonly upstream: Upstream;
  readonly targets: readonly CredentialTarget[];
  readonly budget: RetryBudget;
  readonly latency: Latency | undefined;
  /** Number of lower cost levels among the model's upstreams, if they are ordered by cost; otherwise 0. */
  readonly costRank: number;
}

/** Upstreams of one priority. */
export type PriorityLevel = readonly UpstreamTarget[];

/** The ways to a model: tiers by rising priority, within one first those that need no translation. */
export type Route = readonly PriorityLevel[];

export interface Routes {
  find(catalog: Catalog, order: RouteOrder): Route;
  /** Returns the target of a candidate, which may come from an earlier state of the catalog. */
  targetOf(candidate: Candidate): CredentialTarget | undefined;
  /** Returns the health of a model under a credential, also for models that no text request uses. */
  healthAt(site: HealthTarget): Health;
  /** Breakers that are open now, to all or to some accounts, by the name of their upstream. */
  openBreakers(): ReadonlyMap<string, number>;
  /** The targets that are unhealthy now. */
  unhealthyTargets(nowMs: number): readonly UnhealthyTarget[];
}

/**
 * Routes are worked out once for each state of the catalog, while health and budgets outlive it: a
 * price change must not make a broken upstream look well.
 */
export function createRoutes(): Routes {
  let version: Catalog | undefined;
  let routes = new Map<string, Route>();
  const targets = new WeakMap<Candidate, CredentialTarget>();
  const known = new Map<string, { readonly site: HealthTarget; readonly health: Health }>();
  const failedPlaces = createFailedPlaces();
  const budgets = new Map<bigint, RetryBudget>();
  /** Keyed by upstream and our model id; only for models whose upstreams are ordered by latency. */
  const latencies = new Map<string, Latency>();
  /** Running requests by upstream and credential, independent of the catalog's state. */
  const loads = new Map<string, Load>();

  return {
    find(catalog, order) {
      if (catalog !== version) {
        version = catalog;
        routes = new Map();
        forget(catalog);
      }
      const key = `${order.protocol} ${order.group} ${order.model}`;
      let route = routes.get(key);
      if (route === undefined) {
        route = buildRoute(catalog, order);
        // Unknown names are not cached, or callers could fill the memory with them.
        if (route.length > 0) routes.set(key, route);
      }
      return route;
    },
    targetOf: (candidate) => targets.get(candidate),
    healthAt,
    openBreakers() {
      const counts = new Map((version?.upstreams ?? []).map(({ name }) => [name, 0]));
      for (const { site, health } of known.values()) {
        const { name } = site.upstream;
        counts.set(name, (counts.get(name) ?? 0) + Number(isOpen(health)));
      }
      return counts;
    },
    unhealthyTargets: (nowMs) =>
      [...known.values()].flatMap(({ site: { upstream, credential, model }, health }) => {
        const condition = conditionOf(health, nowMs);
        if (isHealthy(condition)) return [];
        return [{ upstreamId: upstream.id, credentialId: credential.id, model, ...condition }];
      }),
  };

  function buildRoute(catalog: Catalog, { model, group, protocol }: RouteOrder): Route {
    // Within one priority those that speak the caller's protocol come first: forwarding loses nothing.
    const tiers = new Map<
      string,
      { readonly priority: number; readonly translates: boolean; readonly upstreamTargets: UpstreamTarget[] }
    >();
    const serving = catalog.serving(model, group, protocol);
    const declared = catalog.models.get(model);
    const costRankOf = rankByCost(declared, serving);
    for (const upstream of serving) {
      const name = upstream.models.get(model);
      const spoken = chooseProtocol(protocolsAt(upstream, model), protocol);
      if (name === undefined || spoken === undefined) continue;
      const latency = declared?.order === "latency" ? latencyAt(upstream.id, model) : undefined;
      const upstreamTarget = {
        upstream,
        targets: upstream.credentials.map((credential) =>
          targetAt(model, { upstream, credential, model: name, protocol: spoken }, latency),
        ),
        budget: budgetOf(upstream.id),
        latency,
        costRank: costRankOf(upstream),
      };
      const translates = spoken !== protocol;
      const { priority } = upstream;
      const tier = tiers.get(`${priority} ${translates}`) ?? { priority, translates, upstreamTargets: [] };
      tier.upstreamTargets.push(upstreamTarget);
      tiers.set(`${priority} ${translates}`, tier);
    }
    return [...tiers.values()]
      .sort((a, b) => a.priority - b.priority || Number(a.translates) - Number(b.translates))
      .map(({ upstreamTargets }) => upstreamTargets);
  }

  function targetAt(model: string, candidate: Candidate, latency: Latency | undefined): CredentialTarget {
    const health = healthAt(candidate);
    const { upstream, credential } = candidate;
    const place = { upstreamId: upstream.id, credentialId: credential.id };
    const target: CredentialTarget = {
      candidate: Object.freeze(candidate),
      health,
      model,
      weight: weightOf(candidate),
      seed: seedOf(place),
      load: loadAt(place),
      latency,
    };
    targets.set(candidate, target);
    return target;
  }

  function healthAt(site: HealthTarget): Health {
    const { upstream, credential, model } = site;
    const key = healthKey(upstream.id, credential, model);
    let found = known.get(key);
    if (found === undefined) {
      found = { site, health: new Health(`${upstream.id} ${credential.id}`, failedPlaces) };
      known.set(key, found);
    }
    return found.health;
  }

  function loadAt({ upstreamId, credentialId }: Place): Load {
    const key = `${upstreamId} ${credentialId}`;
    const load = loads.get(key) ?? new Load();
    loads.set(key, load);
    return load;
  }

  function latencyAt(upstreamId: bigint, model: string): Latency {
    const key = latencyKey(upstreamId, model);
    const latency = latencies.get(key) ?? new Latency();
    latencies.set(key, latency);
    return latency;
  }

  function budgetOf(upstreamId: bigint): RetryBudget {
    let budget = budgets.get(upstreamId);
    if (budget === undefined) {
      budget = new RetryBudget();
      budgets.set(upstreamId, budget);
    }
    return budget;
  }

  /** Drops what belongs to nothing in the catalog any more. */
  function forget(catalog: Catalog): void {
    const keys = new Set(
      catalog.upstreams.flatMap(({ id, credentials, models }) =>
        credentials.flatMap((credential) => [...modelKeys(id, credential, models)]),
      ),
    );
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    const ids = new Set(catalog.upstreams.map(({ id }) => id));
    for (const id of budgets.keys()) if (!ids.has(id)) budgets.delete(id);
    const served = new Set(
      catalog.upstreams.flatMap(({ id, models }) => [...models.keys()].map((model) => latencyKey(id, model))),
    );
    for (const key of latencies.keys()) if (!served.has(key)) latencies.delete(key);
    const places = new Set(
      catalog.upstreams.flatMap(({ id, credentials }) => credentials.map((each) => `${id} ${each.id}`)),
    );
    for (const key of loads.keys()) if (!places.has(key)) loads.delete(key);
  }
}

function latencyKey(upstreamId: bigint, model: string): string {
  return `${upstreamId} ${model}`;
}

/** Upstreams of equal cost have one rank, in which their weights decide. */
function rankByCost(
  model: Model | undefined,
  upstreams: readonly Upstream[],
): (upstream: Upstream) => number {
  if (model?.order !== "cost") return () => 0;
  const costs = [...new Set(upstreams.map((upstream) => expectedCost(model, upstream)))];
  const rising = costs.sort((a, b) => (a < b ? -1 : 1));
  return (upstream) => rising.indexOf(expectedCost(model, upstream));
}

function isOpen(health: Health): boolean {
  return health.open || health.closedTo() > 0;
}

/** A credential whose secret was replaced is another one: what was learnt of the old secret says nothing about it. */
function healthKey(upstreamId: bigint, credential: Credential, model: string): string {
  return `${upstreamId} ${credential.id} ${fingerprintOf(credential)} ${model}`;
}

const fingerprints = new WeakMap<Credential, string>();

function fingerprintOf(credential: Credential): string {
  let fingerprint = fingerprints.get(credential);
  if (fingerprint === undefined) {
    fingerprint = createHash("sha256").update(credential.secret).digest("base64url");
    fingerprints.set(credential, fingerprint);
  }
  return fingerprint;
}

/** The keys of all models of an upstream under one credential; two of our ids may mean one of theirs. */
function modelKeys(id: bigint, credential: Credential, models: Upstream["models"]): ReadonlySet<string> {
  return new Set(Array.from(models.values(), (model) => healthKey(id, credential, model)));
}

/** An upstream on the way to a model, as a person looks at it. */
export interface InspectedUpstream {
  /** Counts from 1: upstreams of one tier share the requests by weight, the next is asked when none of them can. */
  readonly tier: number;
  readonly upstream: Upstream;
  /** The upstream's name of the model. */
  readonly model: string;
  /** The protocol in which it is asked. */
  readonly protocol: ProtocolName;
  /** It has as many requests running as it may, in this process. */
  readonly full: boolean;
  /** Until it gets requests again, as it is at its limit per minute; 0 = it is not. */
  readonly limitedSeconds: number;
  readonly credentials: readonly CredentialCondition[];
}

export interface CredentialCondition extends Condition {
  readonly id: bigint;
  readonly name: string;
}

/** Describes a route without choosing anything on it. */
export function inspectRoute(
  route: Route,
  {
    nowMs,
    inFlight,
    limitedSeconds,
  }: {
    readonly nowMs: number;
    readonly inFlight: (upstreamId: bigint) => number;
    readonly limitedSeconds: (upstream: Upstream) => number;
  },
): InspectedUpstream[] {
  return route.flatMap((tier, index) =>
    tier.flatMap(({ upstream, targets }) => {
      const [first] = targets;
      if (first === undefined) return [];
      return [
        {
          tier: index + 1,
          upstream,
          full: inFlight(upstream.id) >= upstream.maxConcurrency,
          limitedSeconds: limitedSeconds(upstream),
          model: first.candidate.model,
          protocol: first.candidate.protocol,
          credentials: targets.map(({ candidate, health }) => ({
            id: candidate.credential.id,
            name: candidate.credential.name,
            ...conditionOf(health, nowMs),
          })),
        },
      ];
    }),
  );
}
