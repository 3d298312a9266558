import type { Catalog, Credential, Upstream } from "../catalog/catalog.ts";
import type { Origin } from "../conversation/opaque.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import { spokenProtocol } from "../conversation/spoken-protocol.ts";
import type { Candidate } from "../upstreams/call.ts";
import { conditionOf, isWell, type Trouble } from "./condition.ts";
import { createFailedPlaces } from "./failed-places.ts";
import { Health } from "./health.ts";
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
  /** Whoever minted the state that the request carries is asked before others of its priority. */
  readonly minter?: Origin;
  /** Where what the request refers to is kept: one of these places, or nothing. */
  readonly pins?: readonly Pin[];
}

/** An upstream, and the one credential of it that will do; null = any. */
export interface Pin {
  readonly upstreamId: bigint;
  readonly credentialId: bigint | null;
}

/** A candidate with what is known of it; made once for each state of the catalog, used by all requests. */
export interface Stop {
  readonly candidate: Candidate;
  readonly health: Health;
  /** Our id of the model. */
  readonly model: string;
}

/** One upstream on a route, with its credentials in rotation. */
export interface Station {
  readonly upstream: Upstream;
  readonly stops: readonly Stop[];
  readonly budget: RetryBudget;
  /** Index of the credential whose turn it is. */
  turn: number;
}

/** Stations of one priority. */
export type Tier = readonly Station[];

/** The ways to a model: tiers by rising priority, within one first those that need no translation. */
export type Route = readonly Tier[];

/** Where a model is asked under one credential. */
export interface HealthSite {
  readonly upstream: Upstream;
  readonly credential: Credential;
  /** What the upstream calls it. */
  readonly model: string;
}

export interface Routes {
  find(catalog: Catalog, order: RouteOrder): Route;
  /** What is known of a candidate that came from a route of any state of the catalog. */
  stopOf(candidate: Candidate): Stop | undefined;
  /** What is known of a model under a credential, also one that no text request asks for. */
  healthAt(site: HealthSite): Health;
  /** Breakers that are open now, to all or to some accounts, by the name of their upstream. */
  openBreakers(): ReadonlyMap<string, number>;
  /** What is not well now. */
  troubles(nowMs: number): readonly Trouble[];
}

/**
 * Routes are worked out once for each state of the catalog, while health and budgets outlive it: a
 * price change must not make a broken upstream look well.
 */
export function createRoutes(): Routes {
  let version: Catalog | undefined;
  let routes = new Map<string, Route>();
  const stops = new WeakMap<Candidate, Stop>();
  const healths = new Map<string, Health>();
  const failedPlaces = createFailedPlaces();
  const budgets = new Map<bigint, RetryBudget>();

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
        route = workOut(catalog, order);
        // What is not in the catalog is not remembered, else callers could fill the memory with names.
        if (route.length > 0) routes.set(key, route);
      }
      return route;
    },
    stopOf: (candidate) => stops.get(candidate),
    healthAt,
    openBreakers() {
      const counts = new Map<string, number>();
      for (const { id, name, credentials, models } of version?.upstreams ?? []) {
        const keys = credentials.flatMap((credential) => [...modelKeys(id, credential, models)]);
        counts.set(name, keys.filter((key) => isOpen(healths.get(key))).length);
      }
      return counts;
    },
    troubles: (nowMs) =>
      (version?.upstreams ?? []).flatMap(({ id, credentials, models }) =>
        credentials.flatMap((credential) =>
          [...new Set(models.values())].flatMap((model) => {
            const health = healths.get(healthKey(id, credential, model));
            if (health === undefined) return [];
            const condition = conditionOf(health, nowMs);
            return isWell(condition)
              ? []
              : [{ upstreamId: id, credentialId: credential.id, model, ...condition }];
          }),
        ),
      ),
  };

  function workOut(catalog: Catalog, { model, group, protocol }: RouteOrder): Route {
    // Within one priority those that speak the caller's protocol come first: forwarding loses nothing.
    const tiers = new Map<
      string,
      { readonly priority: number; readonly translates: boolean; readonly stations: Station[] }
    >();
    for (const upstream of catalog.serving(model, group, protocol)) {
      const name = upstream.models.get(model);
      const spoken = spokenProtocol(upstream.protocols, protocol);
      if (name === undefined || spoken === undefined) continue;
      const station = {
        upstream,
        stops: upstream.credentials.map((credential) =>
          stopAt(model, { upstream, credential, model: name, protocol: spoken }),
        ),
        budget: budgetOf(upstream.id),
        turn: 0,
      };
      const translates = spoken !== protocol;
      const { priority } = upstream;
      const tier = tiers.get(`${priority} ${translates}`) ?? { priority, translates, stations: [] };
      tier.stations.push(station);
      tiers.set(`${priority} ${translates}`, tier);
    }
    return [...tiers.values()]
      .sort((a, b) => a.priority - b.priority || Number(a.translates) - Number(b.translates))
      .map(({ stations }) => stations);
  }

  function stopAt(model: string, candidate: Candidate): Stop {
    const health = healthAt(candidate);
    const stop: Stop = { candidate: Object.freeze(candidate), health, model };
    stops.set(candidate, stop);
    return stop;
  }

  function healthAt({ upstream, credential, model }: HealthSite): Health {
    const key = healthKey(upstream.id, credential, model);
    let health = healths.get(key);
    if (health === undefined) {
      health = new Health(`${upstream.id} ${credential.id}`, failedPlaces);
      healths.set(key, health);
    }
    return health;
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
    for (const key of healths.keys()) if (!keys.has(key)) healths.delete(key);
    const ids = new Set(catalog.upstreams.map(({ id }) => id));
    for (const id of budgets.keys()) if (!ids.has(id)) budgets.delete(id);
  }
}

function isOpen(health: Health | undefined): boolean {
  return health !== undefined && (health.open || health.closedTo() > 0);
}

function healthKey(upstreamId: bigint, credential: Credential, model: string): string {
  return `${upstreamId} ${credential.id} ${model}`;
}

/** The keys of all models of an upstream under one credential; two of our ids may mean one of theirs. */
function modelKeys(id: bigint, credential: Credential, models: Upstream["models"]): ReadonlySet<string> {
  return new Set(Array.from(models.values(), (model) => healthKey(id, credential, model)));
}
