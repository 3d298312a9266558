import type { AddressInfo } from "node:net";
import { createAuthenticator } from "./accounts/authenticator.ts";
import { isKeptToken } from "./accounts/kept-token.ts";
import { openKeyHasher } from "./accounts/key-hasher.ts";
import { watchMasterKey } from "./accounts/master-key-rotation.ts";
import { systemClock } from "./base/clock.ts";
import { createLargeJson } from "./base/large-json.ts";
import { originOf } from "./base/origin.ts";
import { createSafeFetch, type SafeFetch } from "./base/safe-fetch.ts";
import type { Seals } from "./base/seal.ts";
import { systemTimers } from "./base/timers.ts";
import { watchBalances } from "./billing/alerts.ts";
import { createReceiptReader } from "./billing/receipts.ts";
import { createTextBilling, PROCESS_LABEL } from "./billing/text-billing.ts";
import { createUsageRetention } from "./billing/usage-retention.ts";
import { verifyLedger } from "./billing/verify.ts";
import { type CatalogCache, createCatalogCache } from "./catalog/catalog-cache.ts";
import { vocabularyOf } from "./catalog/vocabulary.ts";
import { composeTasks } from "./compose-tasks.ts";
import type { Config } from "./config.ts";
import { createConsole } from "./console/console.ts";
import type { Runtime } from "./console/settings/runtime.ts";
import { createTrafficWatch } from "./console/traffic/traffic.ts";
import { BodyMemory } from "./http/body-memory.ts";
import { serveMetrics } from "./http/metrics-server.ts";
import { createHttpServer } from "./http/server.ts";
import { createLimits } from "./limits/limits.ts";
import { createMirror, type Mirror } from "./mirror/mirror.ts";
import type { Log } from "./observe/log.ts";
import { createMetrics, type Metrics, type TextOfAll } from "./observe/metrics.ts";
import { createPeople } from "./people/people.ts";
import { ConversationKeys } from "./relay/conversation-key.ts";
import { createEntrance } from "./relay/entrance.ts";
import { createInlineMedia } from "./relay/inline-media.ts";
import { createRelay } from "./relay/relay.ts";
import { ResponseMemory } from "./relay/response-memory.ts";
import { createStoredResponses } from "./relay/stored-responses.ts";
import { createTokenCounts } from "./relay/token-counts.ts";
import { createTranslator } from "./relay/translator.ts";
import { watchIdleUpstreams } from "./routing/idle-probes.ts";
import { createRouting, type Routing } from "./routing/routing.ts";
import type { Database } from "./storage/database.ts";
import { databaseNowMs } from "./storage/database-clock.ts";
import { migrationStatus } from "./storage/migrator.ts";
import type { Transport } from "./upstreams/call.ts";
import { createCallStates } from "./upstreams/call-states.ts";
import { createIssuedIds } from "./upstreams/issued-ids.ts";
import { kindOf } from "./upstreams/kinds.ts";
import { openMovedConversations } from "./upstreams/moved-conversations.ts";
import { tryUpstream } from "./upstreams/probe.ts";
import { createTransport } from "./upstreams/transport.ts";

export interface GatewayOptions {
  readonly config: Config;
  readonly database: Database;
  readonly seals: Seals;
  readonly log: Log;
  readonly version: string;
  /** Whether this process also makes pictures and videos, or only accepts and shows them. */
  readonly works: boolean;
  /** Where this is one of several processes. */
  readonly textOfAll?: TextOfAll;
}

/** A process of the gateway. */
export interface Gateway {
  /** Opens the port; gives the address that answers. */
  listen(): Promise<string>;
  /**
   * Stops: not ready at once, no new connections, running requests finish within `graceMs` and are
   * then cut and charged as aborts, money is posted. True when everything reached the database.
   */
  stop(graceMs: number): Promise<boolean>;
}

/** Large plain answers are rare, embeddings of many texts nearly all of them; they are let go as soon as they are read. */
const RESPONSE_MEMORY_SHARE = 0.25;

/** How soon connections to an upstream that left the catalog are closed. */
const RETAIN_EVERY_MS = 10_000;

/** Builds one gateway process by hand, leaf first; nothing else in the program constructs anything big. */
export async function composeGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, database, seals, log } = options;
  const clock = systemClock;
  const vocabulary = vocabularyOf(config.vocabulary);
  const metrics = createMetrics(options.textOfAll);
  const unwatchMasterKey = await watchMasterKey(database, seals);
  const catalog = await createCatalogCache({ database, seals, kindOf });
  const hasher = await openKeyHasher(database, seals);
  const authenticator = await createAuthenticator({ database, hasher, clock });
  const billing = await createTextBilling({ database, dataDir: config.dataDir, clock, log });
  const limits = await createLimits({ redisUrl: config.redisUrl, clock, log });
  const transport = createTransport({ clock, log });
  const routing = createRouting({ clock, log, inFlight: transport.inFlight });
  const moves = await openMovedConversations(database, clock, log);
  const issuedIds = createIssuedIds(database, log, moves);
  const callStates = createCallStates(database, seals, log);
  const retention = createUsageRetention({
    database,
    clock,
    log,
    days: () => catalog.current().settings.usageRetentionDays,
  });
  const balances = watchBalances({ database, timers: systemTimers, log });
  const guarded = createSafeFetch({ allow: () => catalog.current().settings.egressAllow });
  const translator = createTranslator();
  const largeJson = createLargeJson();
  let listening = (_url: string): void => undefined;
  const address = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const mirror = openMirror(options, catalog, guarded, address);
  const tasks = await composeTasks({
    ...{ database, seals, catalog, limits, transport, guarded, clock, log, metrics, works: options.works },
    ...{ mirror, largeJson, health: routing.places },
  });
  const bodies = new BodyMemory({
    limitBytes: () => catalog.current().settings.bodyMemoryMb * 1024 * 1024,
    ...{ clock, timers: systemTimers },
  });
  bodies.describe(metrics);
  const responseMemory = new ResponseMemory(
    () => RESPONSE_MEMORY_SHARE * catalog.current().settings.bodyMemoryMb * 1024 * 1024,
  );
  metrics.gauge("answer_memory_bytes", "Memory that large plain answers hold", () =>
    responseMemory.heldBytes(),
  );
  const tokenCounts = createTokenCounts({ catalog, transport, issuedIds, clock });
  const relay = createRelay({
    tokenCounts,
    catalog,
    billing,
    clock,
    transport,
    routing,
    issuedIds,
    callStates,
    inlineMedia: createInlineMedia(guarded),
    responseMemory,
    translator,
    moves,
    conversationKeys: new ConversationKeys(hasher.hash("faregate conversation keys")),
    metrics,
    log,
    errorType: vocabulary.errorType,
  });

  metrics.gauge("holds_open", "Requests whose hold is not settled yet", () => billing.counts().open);
  metrics.gauge(
    "journal_records_unposted",
    "Settled requests that the database does not have yet",
    () => billing.counts().unposted,
  );
  metrics.gauge(
    "holds_waiting",
    "Requests that wait for money of their account",
    () => billing.counts().waiting,
  );
  metrics.gauge("requests_running", "Text requests under way", () => relay.running());
  describeTransport(metrics, transport);
  metrics.gauges("breakers_open", "Models that an upstream is not asked for now", "upstream", () =>
    routing.openBreakers(),
  );
  describeConversations(metrics, routing);
  const retaining = setInterval(() => transport.retain(catalog.current().upstreams), RETAIN_EVERY_MS);
  const idleProbes = watchIdleUpstreams({
    ...{ catalog, routing, clock, timers: systemTimers },
    tryUpstream: (upstream, credential) => tryUpstream(upstream, credential, { clock }),
  });

  const stopping = new AbortController();
  const notReady = async (): Promise<string | undefined> =>
    (await reasonToWait(stopping.signal, database)) ?? billing.notReady();
  const readReceipt = createReceiptReader(database, billing);
  const publicUrl = async (): Promise<string> => config.publicUrl ?? (await address);
  const console = createConsole({
    ...{ database, seals, hasher, catalog, readReceipt, clock, log, publicUrl, version: options.version },
    people: createPeople({ database, hasher, seals, clock, log }),
    clientSecret: (name) => config.environment[name] || undefined,
    authenticator,
    verifyLedger: (limitMs) => verifyLedger(database, config.dataDir, limitMs),
    assets: tasks.assets,
    ...{ routing, transport, runtime: runtimeOf(config) },
    traffic: createTrafficWatch({ database, label: PROCESS_LABEL, running: () => relay.running() }),
  });
  const { app: http, running } = await createHttpServer({
    clock,
    log,
    metrics,
    authenticator,
    catalog,
    vocabulary,
    errorType: vocabulary.errorType,
    relay,
    tokenCounts,
    storedResponses: createStoredResponses({ catalog, transport, issuedIds, responseMemory }),
    entrance: createEntrance({ catalog, billing, limits }),
    bodies,
    largeJson,
    tasks,
    webhooks: tasks.webhooks,
    assets: tasks.assets,
    readReceipt,
    console,
    files: mirror,
    stopping: stopping.signal,
    isMetricsToken(given) {
      const { metricsToken } = catalog.current().settings;
      return metricsToken !== null && isKeptToken(hasher, metricsToken, given);
    },
    notReady,
    version: options.version,
  });
  const metricsServer = serveMetrics({
    address: () => catalog.current().settings.metricsAddress,
    ...{ metrics, notReady, log },
  });

  return {
    async listen() {
      await http.listen({ host: config.host, port: config.port });
      const { port } = http.server.address() as AddressInfo;
      const url = originOf(config.host, port);
      listening(url);
      return url;
    },
    async stop(graceMs) {
      stopping.abort();
      const closed = http.close();
      const tasksStopped = tasks.stop(graceMs);
      const deadline = clock.monotonicMs() + graceMs;
      while (relay.running() + running() > 0 && clock.monotonicMs() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 50));
      if (relay.running() > 0)
        log.warn({ running: relay.running() }, "requests outlived the grace of the stop and are cut");
      await relay.cutAll();
      http.server.closeAllConnections();
      await closed;
      await metricsServer.close();
      await tasksStopped;
      await mirror.close();
      const posted = await billing.drain();
      await issuedIds.close();
      await callStates.close();
      await moves.close();
      clearInterval(retaining);
      await idleProbes.stop();
      await transport.close();
      await translator.close();
      await tokenCounts.close();
      await largeJson.close();
      await limits.close();
      await retention.close();
      await balances.stop();
      await authenticator.close();
      await catalog.close();
      await unwatchMasterKey();
      return posted;
    },
  };
}

/** A process that makes pictures and videos and serves no callers. */
export async function composeWorker(options: Omit<GatewayOptions, "works" | "version">): Promise<TaskWorker> {
  const { config, database, seals, log } = options;
  const clock = systemClock;
  const metrics = createMetrics(options.textOfAll);
  const unwatchMasterKey = await watchMasterKey(database, seals);
  const catalog = await createCatalogCache({ database, seals, kindOf });
  const limits = await createLimits({ redisUrl: config.redisUrl, clock, log });
  const transport = createTransport({ clock, log });
  const guarded = createSafeFetch({ allow: () => catalog.current().settings.egressAllow });
  const largeJson = createLargeJson();
  const { places: health } = createRouting({ clock, log, inFlight: transport.inFlight });
  const mirror = openMirror(options, catalog, guarded, Promise.resolve(originOf(config.host, config.port)));
  const tasks = await composeTasks({
    ...{ database, seals, catalog, limits, transport, guarded, clock, log, metrics, works: true },
    ...{ mirror, largeJson, health },
  });
  describeTransport(metrics, transport);
  const retaining = setInterval(() => transport.retain(catalog.current().upstreams), RETAIN_EVERY_MS);
  const stopping = new AbortController();
  const metricsServer = serveMetrics({
    address: () => catalog.current().settings.metricsAddress,
    notReady: () => reasonToWait(stopping.signal, database),
    ...{ metrics, log },
  });
  return {
    async stop(graceMs) {
      stopping.abort();
      await tasks.stop(graceMs);
      await mirror.close();
      await metricsServer.close();
      clearInterval(retaining);
      await transport.close();
      await largeJson.close();
      await limits.close();
      await catalog.close();
      await unwatchMasterKey();
      return true;
    },
  };
}

/** Why a process of any role should get no work now; undefined where nothing is wrong. */
async function reasonToWait(stopping: AbortSignal, database: Database): Promise<string | undefined> {
  if (stopping.aborted) return "the gateway is shutting down";
  try {
    await database.ping();
    const status = await migrationStatus(database);
    return status.state === "behind" || status.state === "changed" ? status.reason : undefined;
  } catch {
    return "the database cannot be reached";
  }
}

function runtimeOf({ variables, dataDir, configFile }: Config): Runtime {
  return { label: PROCESS_LABEL, variables, dataDir, configFile };
}

/** Links lead to FAREGATE_PUBLIC_URL, else to where this process listens. */
function openMirror(
  { config, database, log }: Pick<GatewayOptions, "config" | "database" | "log">,
  catalog: CatalogCache,
  guarded: SafeFetch,
  address: Promise<string>,
): Mirror {
  return createMirror({
    ...{ dataDir: config.dataDir, s3Keys: config.s3Keys, guarded, clock: systemClock, log },
    settings: () => catalog.current().settings,
    databaseNowMs: () => databaseNowMs(database),
    publicUrl: async () => config.publicUrl ?? (await address),
  });
}

/** See Gateway.stop; what it holds is finished or left to other processes. */
export type TaskWorker = Pick<Gateway, "stop">;

function describeTransport(metrics: Metrics, transport: Transport): void {
  metrics.gauges("upstream_requests_running", "Requests under way by upstream", "upstream", () =>
    transport.stats().map(({ upstream, inFlight }) => [upstream, inFlight] as const),
  );
  metrics.gauges("upstream_connections", "Open connections by upstream", "upstream", () =>
    transport.stats().map(({ upstream, connections }) => [upstream, connections] as const),
  );
}

function describeConversations(metrics: Metrics, routing: Routing): void {
  metrics.gauges("conversations_sampled", "Conversations of the last hours, 256 at most", "model", () =>
    Array.from(routing.allSeenConversations(), ([model, { sampled }]) => [model, sampled] as const),
  );
  metrics.gauges("conversations_seen_once", "Of those sampled, the ones of one request", "model", () =>
    Array.from(routing.allSeenConversations(), ([model, { once }]) => [model, once] as const),
  );
}
