import { watchMasterKey } from "./accounts/master-key-rotation.ts";
import type { Lifecycle } from "./base/async/lifecycle.ts";
import { systemClock } from "./base/clock.ts";
import { type ConnectThrough, createSafeFetch, type SafeFetch } from "./base/fetch/safe-fetch.ts";
import { createLargeJson, type LargeJson } from "./base/json/large-json.ts";
import type { Seals } from "./base/seal.ts";
import { type CatalogCache, createCatalogCache } from "./catalog/catalog-cache.ts";
import { vocabularyOf } from "./catalog/vocabulary.ts";
import type { Config } from "./config.ts";
import { serveMetrics } from "./http/core/metrics-server.ts";
import { type AllLimits, createLimits } from "./limits/limits.ts";
import { createMirror, type Mirror } from "./mirror/mirror.ts";
import type { Log } from "./observe/log.ts";
import type { Metrics, TextOfAll } from "./observe/metrics.ts";
import { createRouting, type Routing } from "./routing/routing.ts";
import { type Database, databaseNowMs } from "./storage/database.ts";
import { migrationStatus } from "./storage/migrator.ts";
import type { Transport } from "./upstreams/call.ts";
import { kindOf } from "./upstreams/kinds.ts";
import { createTransport } from "./upstreams/transport/transport.ts";

export interface ProcessOptions {
  readonly config: Config;
  readonly database: Database;
  readonly seals: Seals;
  readonly log: Log;
  /** Every part that the gateway starts is entered here, and is stopped with it. */
  readonly lifecycle: Lifecycle;
  /** Set if this is one of several processes. */
  readonly textOfAll?: TextOfAll;
}

/** The state of a process that has stopped. */
export interface Process {
  /** True if every charge of this process has reached the database. */
  isPosted(): boolean;
}

/** Interval at which connections to upstreams that left the catalog are closed. */
const RETAIN_EVERY_MS = 10_000;

/** Parts that processes of every role need. */
export interface Base {
  readonly catalog: CatalogCache;
  readonly limits: AllLimits;
  readonly transport: Transport;
  readonly routing: Routing;
  readonly guarded: SafeFetch;
  /** Returns the connection settings of the upstream that made a file. */
  readonly through: (upstreamId: bigint | undefined) => ConnectThrough | undefined;
  readonly largeJson: LargeJson;
}

export async function startBase({ config, database, seals, log, lifecycle }: ProcessOptions): Promise<Base> {
  const clock = systemClock;
  await lifecycle.start(
    "master key watch",
    () => watchMasterKey(database, seals),
    (unwatch) => unwatch(),
  );
  const catalog = await lifecycle.start(
    "catalog",
    () => createCatalogCache({ database, seals, kindOf, clock }),
    (each) => each.close(),
  );
  const limits = await lifecycle.start(
    "limits",
    () => createLimits({ redisUrl: config.redisUrl, clock, log }),
    (each) => each.close(),
  );
  const largeJson = await lifecycle.start("JSON worker", createLargeJson, (each) => each.close());
  const transport = await lifecycle.start(
    "transport",
    () => createTransport({ clock, log, environment: config.environment }),
    (each) => each.close(),
  );
  await lifecycle.start(
    "connections of removed upstreams",
    () => setInterval(() => transport.retain(catalog.current().upstreams), RETAIN_EVERY_MS),
    clearInterval,
  );
  const guarded = createSafeFetch({ allow: () => catalog.current().settings.egressAllow });
  const through: Base["through"] = (upstreamId) => {
    const upstream = catalog.current().allUpstreams.find(({ id }) => id === upstreamId);
    return upstream && transport.through(upstream);
  };
  const routing = createRouting({
    clock,
    log,
    inFlight: transport.inFlight,
    limitedSeconds: limits.upstreams.waitSeconds,
  });
  return { catalog, limits, transport, routing, guarded, through, largeJson };
}

export function startMetricsServer(
  { config, log, lifecycle }: ProcessOptions,
  { catalog }: Base,
  sources: { readonly metrics: Metrics; readonly notReady: () => Promise<string | undefined> },
): Promise<unknown> {
  const { errorType } = vocabularyOf(config.vocabulary);
  const address = (): string | null => catalog.current().settings.metricsAddress;
  return lifecycle.start(
    "metrics server",
    () => serveMetrics({ address, ...sources, log, errorType }),
    (each) => each.close(),
  );
}

/** Links lead to FAREGATE_PUBLIC_URL, else to where this process listens. */
export function startMirror(
  { config, database, log, lifecycle }: ProcessOptions,
  { catalog, guarded, through }: Base,
  address: Promise<string>,
): Promise<Mirror> {
  return lifecycle.start(
    "mirror",
    () =>
      createMirror({
        dataDir: config.dataDir,
        s3Keys: config.s3Keys,
        guarded,
        through,
        clock: systemClock,
        log,
        settings: () => catalog.current().settings,
        databaseNowMs: () => databaseNowMs(database),
        publicUrl: async () => config.publicUrl ?? (await address),
      }),
    (each) => each.close(),
  );
}

/** Why a process of any role should get no work now; undefined where nothing is wrong. */
export async function reasonToWait(stopping: AbortSignal, database: Database): Promise<string | undefined> {
  if (stopping.aborted) return "the gateway is shutting down";
  try {
    await database.ping();
    const status = await migrationStatus(database);
    return status.state === "behind" || status.state === "changed" ? status.reason : undefined;
  } catch {
    return "the database is unreachable";
  }
}

export function describeLimits(metrics: Metrics, catalog: Base["catalog"], { upstreams }: AllLimits): void {
  metrics.gauges(
    "upstream_limited_seconds",
    "Seconds until an upstream at its limit per minute gets requests again; 0 = not limited",
    "upstream",
    () =>
      catalog
        .current()
        .upstreams.filter(({ options }) => options?.rates !== undefined)
        .map((upstream) => [upstream.name, upstreams.waitSeconds(upstream)] as const),
  );
}

export function describeTransport(metrics: Metrics, transport: Transport): void {
  metrics.gauges("upstream_requests_running", "Running requests by upstream", "upstream", () =>
    transport.stats().map(({ upstream, inFlight }) => [upstream, inFlight] as const),
  );
  metrics.gauges("upstream_connections", "Open connections by upstream", "upstream", () =>
    transport.stats().map(({ upstream, connections }) => [upstream, connections] as const),
  );
}
