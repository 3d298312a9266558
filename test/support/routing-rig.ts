import type { Clock } from "../../src/base/clock.ts";
import type { Catalog, Upstream } from "../../src/catalog/catalog.ts";
import { decodeSettings } from "../../src/catalog/settings.ts";
import { silentLog } from "../../src/observe/log.ts";
import type { AttemptOutcome } from "../../src/routing/health/outcome.ts";
import { createRouting, type Routing, type RoutingOptions } from "../../src/routing/routing.ts";
import type { Candidate } from "../../src/upstreams/call.ts";
import { bareUpstream } from "./bare-upstream.ts";

/** A request of the first account. */
export const ORDER = { model: "ours", group: "default", protocol: "messages", account: 1n } as const;

/** Routing with a clock that stands still until it is told to go on, and chance that is the same in every run. */
export function rig(
  inFlight: (id: bigint) => number = () => 0,
  limitedSeconds: RoutingOptions["limitedSeconds"] = () => 0,
): {
  routing: Routing;
  clock: Clock;
  wait: (ms: number) => void;
} {
  let nowMs = 1_000;
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  // A small generator of its own, so that a failure can be run again.
  let seed = 42;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  return {
    clock,
    routing: createRouting({ clock, log: silentLog, inFlight, limitedSeconds, random }),
    wait: (ms) => {
      nowMs += ms;
    },
  };
}

/** Runs one request in which every attempt ends in this way; gives whom it asked. */
export function attempts(
  routing: Routing,
  catalog: Catalog,
  outcome: AttemptOutcome,
  order: Parameters<Routing["candidates"]>[1] = ORDER,
): string[] {
  const asked: string[] = [];
  for (const candidate of routing.candidates(catalog, order)) {
    asked.push(label(candidate));
    routing.report(candidate, outcome, order.account);
    if (outcome.kind === "ok") break;
  }
  return asked;
}

export function label({ upstream, credential }: Candidate): string {
  return `${upstream.name}/${credential.name}`;
}

export function credentials(...names: string[]): Upstream["credentials"] {
  return names.map((name, index) => ({ id: BigInt(index), name, secret: "s" }));
}

export function upstreamOf(id: bigint, over: Partial<Upstream> = {}): Upstream {
  const upstream = bareUpstream({
    id,
    name: `u${id}`,
    protocols: ["messages"] as const,
    models: new Map([["ours", "theirs"]]),
    maxConcurrency: 10,
    configuredCredentials: over.credentials?.length ?? 1,
    credentials: credentials("a"),
    ...over,
  });
  // Ids of credentials are unique over all upstreams: 10, 11 for the first, 20 for the second ...
  return {
    ...upstream,
    credentials: upstream.credentials.map((credential) => ({ ...credential, id: id * 10n + credential.id })),
  };
}

/** A catalog whose `serving` looks only at names and groups, so that routing's own checks are tested. */
export function catalogOf(upstreams: readonly Upstream[]): Catalog {
  return {
    version: 1n,
    groups: new Map(),
    models: new Map(),
    upstreams,
    allUpstreams: upstreams,
    bodyFields: [],
    settings: decodeSettings({}),
    serving: (_model, group) => upstreams.filter(({ groups }) => groups === null || groups.has(group)),
    endpointsOf: () => [],
    callable: () => undefined,
    listed: () => [],
    placed: () => undefined,
    refusesForeignIds: () => false,
  };
}
