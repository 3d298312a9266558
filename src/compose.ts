import { createAuthenticator } from "./accounts/authenticator.ts";
import { isKeptToken, openKeyHasher } from "./accounts/key-hasher.ts";
import { runAllInOrder } from "./base/async/lifecycle.ts";
import { systemTimers } from "./base/async/timers.ts";
import { systemClock } from "./base/clock.ts";
import { createFailedRequests } from "./billing/failed-requests/failed-requests.ts";
import { watchMoney } from "./billing/ledger/alerts.ts";
import { verifyLedger } from "./billing/ledger/verify.ts";
import { createTextBilling, PROCESS_LABEL } from "./billing/text-billing.ts";
import { createReceiptReader } from "./billing/usage-log/receipts.ts";
import { createUsageRetention } from "./billing/usage-log/usage-retention.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { vocabularyOf } from "./catalog/vocabulary.ts";
import {
  describeLimits,
  describeTransport,
  type Process,
  type ProcessOptions,
  reasonToWait,
  startBase,
  startMetricsServer,
  startMirror,
} from "./compose-base.ts";
import { composeTasks } from "./compose-tasks.ts";
import { type Config, originOf } from "./config.ts";
import { createConsole } from "./console/console.ts";
import type { Runtime } from "./console/deps.ts";
import { createTrafficWatch } from "./console/traffic/traffic.ts";
import { BodyMemory } from "./http/body/body-memory.ts";
import { recordRefusal } from "./http/core/record-refusal.ts";
import { createHttpServer } from "./http/server.ts";
import { createMetrics, type Metrics } from "./observe/metrics.ts";
import { ConversationKeys } from "./relay/admit/conversation-key.ts";
import { createEntrance } from "./relay/admit/entrance.ts";
import { createInlineMedia } from "./relay/admit/inline-media.ts";
import { EndUsers } from "./relay/mode/end-users.ts";
import { createResponseReader } from "./relay/mode/response-reader.ts";
import { createTranslator } from "./relay/mode/translator.ts";
import { createRelay } from "./relay/relay.ts";
import { PLAIN_RESPONSE_BYTES } from "./relay/response/buffered-response.ts";
import { ResponseMemory } from "./relay/response/response-memory.ts";
import { createStoredResponses } from "./relay/response/stored-responses.ts";
import { createTokenCounts } from "./relay/settle/token-counts.ts";
import { watchIdleUpstreams } from "./routing/idle-probes.ts";
import type { Routing } from "./routing/routing.ts";
import { createCallStates } from "./upstreams/memory/call-states.ts";
import { createIssuedIds } from "./upstreams/memory/issued-ids.ts";
import { openMovedConversations } from "./upstreams/memory/moved-conversations.ts";
import { tryUpstream } from "./upstreams/probe.ts";
import { createUsers } from "./users/users.ts";

export interface GatewayOptions extends ProcessOptions {
  readonly version: string;
  /** True if this process also makes images and videos, or only accepts and shows them. */
  readonly works: boolean;
}

/** A process of the gateway. Its lifecycle stops it: running requests get the grace, are then cut and charged as aborts. */
export interface Gateway extends Process {
  /** Opens the port; gives the address that answers. */
  listen(): Promise<string>;
}

/** Large plain responses are rare, embeddings of many texts nearly all of them; they are let go as soon as they are read. */
const RESPONSE_MEMORY_SHARE = 0.25;

/**
 * Builds one gateway process by hand, leaf first; nothing else in the program constructs anything big. It stops in the
 * reverse order: requests and tasks end, then the journal is posted, then what they stood on is closed.
 */
export async function composeGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, database, seals, log, lifecycle } = options;
  const clock = systemClock;
  const vocabulary = vocabularyOf(config.vocabulary);
  const metrics = createMetrics(options.textOfAll);
  const base = await startBase(options);
  const { catalog, limits, transport, routing, guarded, largeJson } = base;
  metrics.beginAtZero({
    upstreams: () => catalog.current().upstreams.map(({ name }) => name),
    models: () => textModels(catalog.current()),
  });
  const hasher = await openKeyHasher(database, seals);
  const authenticator = await lifecycle.start(
    "authenticator",
    () => createAuthenticator({ database, hasher, clock }),
    (each) => each.close(),
  );
  const moneyAlerts = await lifecycle.start(
    "balance and budget alerts",
    () => watchMoney({ database, timers: systemTimers, log }),
    (each) => each.stop(),
  );
  await lifecycle.start(
    "usage retention",
    () =>
      createUsageRetention({
        database,
        clock,
        log,
        days: () => catalog.current().settings.usageRetentionDays,
      }),
    (each) => each.close(),
  );
  const failedRequests = await lifecycle.start(
    "failed requests",
    () => {
      const settings = (): Catalog["settings"] => catalog.current().settings;
      return createFailedRequests({
        database,
        clock,
        timers: systemTimers,
        log,
        days: () => settings().refusalRetentionDays,
        countDays: () => settings().usageRetentionDays,
      });
    },
    (each) => each.close(),
  );
  const translator = await lifecycle.start("translator", createTranslator, (each) => each.close());
  const responseReader = await lifecycle.start(
    "response reader",
    () => createResponseReader(PLAIN_RESPONSE_BYTES),
    (each) => each.close(),
  );
  await lifecycle.start(
    "idle probes",
    () =>
      watchIdleUpstreams({
        catalog,
        routing,
        clock,
        timers: systemTimers,
        tryUpstream: (upstream, credential) =>
          tryUpstream(upstream, credential, { clock, environment: config.environment }),
      }),
    (each) => each.stop(),
  );
  const moves = await lifecycle.start(
    "moved conversations",
    () => openMovedConversations(database, clock, log),
    (each) => each.close(),
  );
  const callStates = await lifecycle.start(
    "call states",
    () => createCallStates(database, seals, log),
    (each) => each.close(),
  );
  const issuedIds = await lifecycle.start(
    "issued ids",
    () => createIssuedIds(database, log, moves),
    (each) => each.close(),
  );
  const tokenCounts = await lifecycle.start(
    "token counts",
    () => createTokenCounts({ catalog, transport, issuedIds, clock }),
    (each) => each.close(),
  );
  let isPosted = false;
  const billing = await lifecycle.start(
    "journal",
    () =>
      createTextBilling({
        database,
        dataDir: config.dataDir,
        clock,
        log,
        waitLimits: () => catalog.current().settings.queues,
        onInsufficient: moneyAlerts.refused,
      }),
    async (each) => {
      isPosted = await each.drain();
    },
  );
  let listening = (_url: string): void => undefined;
  const address = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const mirror = await startMirror(options, base, address);
  const stopping = new AbortController();
  const notReady = async (): Promise<string | undefined> =>
    (await reasonToWait(stopping.signal, database)) ?? billing.notReady();
  await startMetricsServer(options, base, { metrics, notReady });
  const tasks = await composeTasks({
    ...options,
    ...base,
    address,
    clock,
    metrics,
    mirror,
    health: routing.places,
    onInsufficient: moneyAlerts.refused,
  });
  const bodies = new BodyMemory({
    limitBytes: () => catalog.current().settings.bodyMemoryMb * 1024 * 1024,
    clock,
    timers: systemTimers,
  });
  bodies.describe(metrics);
  const responseMemory = new ResponseMemory(
    () => RESPONSE_MEMORY_SHARE * catalog.current().settings.bodyMemoryMb * 1024 * 1024,
  );
  metrics.gauge(
    "response_memory_bytes",
    "Memory held by large plain responses and long streams, in bytes",
    () => responseMemory.heldBytes(),
  );
  metrics.counters(
    "response_memory_refused_total",
    "Long streams ended by a memory limit, by reason",
    "reason",
    () => responseMemory.refused(),
  );
  const relay = createRelay({
    tokenCounts,
    failedRequests,
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
    responseReader,
    moves,
    upstreamLimits: limits.upstreams,
    endUsers: new EndUsers(hasher.hash("faregate end user ids")),
    conversationKeys: new ConversationKeys(hasher.hash("faregate conversation keys")),
    metrics,
    log,
    errorType: vocabulary.errorType,
  });

  metrics.gauge("holds_open", "Requests with an unsettled hold", () => billing.counts().open);
  metrics.gauge(
    "journal_records_unposted",
    "Settled requests not yet posted to the database",
    () => billing.counts().unposted,
  );
  metrics.gauge(
    "holds_waiting",
    "Requests waiting for funds of their account",
    () => billing.counts().waiting,
  );
  metrics.gauge("requests_running", "Running text requests", () => relay.running());
  describeTransport(metrics, transport);
  describeLimits(metrics, catalog, limits);
  metrics.gauges("breakers_open", "Models with an open circuit breaker, by upstream", "upstream", () =>
    routing.openBreakers(),
  );
  describeConversations(metrics, routing);
  const readReceipt = createReceiptReader(database, billing);
  const publicUrl = async (): Promise<string> => config.publicUrl ?? (await address);
  const console = createConsole({
    database,
    seals,
    hasher,
    catalog,
    readReceipt,
    clock,
    log,
    publicUrl,
    version: options.version,
    users: createUsers({ database, hasher, seals, clock, log }),
    environment: config.environment,
    clientSecret: (name) => config.environment[name] || undefined,
    authenticator,
    verifyLedger: (limitMs) => verifyLedger(database, config.dataDir, limitMs),
    assets: tasks.assets,
    routing,
    transport,
    runtime: runtimeOf(config),
    traffic: createTrafficWatch({ database, label: PROCESS_LABEL, running: () => relay.running() }),
  });
  const http = createHttpServer({
    clock,
    log,
    metrics,
    authenticator,
    catalog,
    vocabulary,
    errorType: vocabulary.errorType,
    recordRefusal: (request, about, error) =>
      recordRefusal(
        { failedRequests, clock, catalog, errorType: vocabulary.errorType },
        request,
        about,
        error,
      ),
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
  lifecycle.drain("requests", async (graceMs) => {
    stopping.abort();
    const closed = http.close();
    const deadline = clock.monotonicMs() + graceMs;
    while (relay.running() + http.running() > 0 && clock.monotonicMs() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    if (relay.running() > 0)
      log.warn({ running: relay.running() }, "shutdown grace period exceeded: aborting running requests");
    await runAllInOrder(
      () => relay.abortAll(),
      () => http.cut(),
      () => closed,
    );
  });

  return {
    async listen() {
      const url = originOf(config.host, await http.listen(config.host, config.port));
      listening(url);
      return url;
    },
    isPosted: () => isPosted,
  };
}

/** A process that makes images and videos and serves no callers. */
export async function composeWorker(options: ProcessOptions): Promise<Process> {
  const { config, database, lifecycle } = options;
  const metrics = createMetrics(options.textOfAll);
  const base = await startBase(options);
  const { transport, routing } = base;
  const stopping = new AbortController();
  const notReady = (): Promise<string | undefined> => reasonToWait(stopping.signal, database);
  await startMetricsServer(options, base, { metrics, notReady });
  const address = Promise.resolve(originOf(config.host, config.port));
  const mirror = await startMirror(options, base, address);
  await composeTasks({
    ...options,
    ...base,
    address,
    clock: systemClock,
    metrics,
    works: true,
    mirror,
    health: routing.places,
  });
  lifecycle.drain("readiness", () => stopping.abort());
  describeTransport(metrics, transport);
  return { isPosted: () => true };
}

/** Without the aliases: usage is counted under the model that they stand for. */
function textModels({ models }: Catalog): string[] {
  return [...models.values()]
    .filter(({ family, aliasOf }) => family === null && aliasOf === undefined)
    .map(({ id }) => id);
}

function runtimeOf({ variables, dataDir, configFile }: Config): Runtime {
  return { label: PROCESS_LABEL, variables, dataDir, configFile };
}

function describeConversations(metrics: Metrics, routing: Routing): void {
  metrics.gauges(
    "conversations_sampled",
    "Sampled conversations of the last hours, at most 256",
    "model",
    () => Array.from(routing.allSeenConversations(), ([model, { sampled }]) => [model, sampled] as const),
  );
  metrics.gauges("conversations_seen_once", "Sampled conversations with a single request", "model", () =>
    Array.from(routing.allSeenConversations(), ([model, { once }]) => [model, once] as const),
  );
}
