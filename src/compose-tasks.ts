import type { Assets } from "./assets/assets.ts";
import { createAssets } from "./assets/create-assets.ts";
import type { Lifecycle } from "./base/async/lifecycle.ts";
import { systemTimers } from "./base/async/timers.ts";
import type { Clock } from "./base/clock.ts";
import type { SafeFetch } from "./base/fetch/safe-fetch.ts";
import type { LargeJson } from "./base/json/large-json.ts";
import { randomBelow } from "./base/random.ts";
import type { Seals } from "./base/seal.ts";
import type { LedgerRef } from "./billing/leases/ledger-ref.ts";
import { openTaskBilling } from "./billing/task-billing.ts";
import type { CatalogCache } from "./catalog/catalog-cache.ts";
import { composeMail } from "./compose-mail.ts";
import type { Config } from "./config.ts";
import type { WebhookQueries } from "./http/deps.ts";
import { imageRecord, videoRecord } from "./http/media/task-records.ts";
import type { Limits } from "./limits/limits.ts";
import type { Mirror } from "./mirror/mirror.ts";
import type { Log } from "./observe/log.ts";
import { fromZero, type Metrics } from "./observe/metrics.ts";
import type { PlaceHealth } from "./routing/routing.ts";
import type { Database } from "./storage/database.ts";
import { createTaskEngine, type TaskEngine } from "./tasks/engine.ts";
import { createDurationReader, type ThroughOf } from "./tasks/work/video-duration.ts";
import type { Transport } from "./upstreams/call.ts";
import { kindOf } from "./upstreams/kinds.ts";
import { isKeyOfOwner } from "./users/members/members-store.ts";
import { createWebhookSecrets } from "./webhooks/secrets.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";
import { findDelivery } from "./webhooks/webhooks-store.ts";

export interface TaskParts {
  readonly config: Pick<Config, "environment" | "publicUrl">;
  /** Where this process listens: links lead there without FAREGATE_PUBLIC_URL. */
  readonly address: Promise<string>;
  readonly seals: Seals;
  readonly database: Database;
  readonly catalog: CatalogCache;
  readonly limits: Limits;
  readonly transport: Transport;
  /** Health of upstreams as observed by this process, shared with text requests. */
  readonly health: PlaceHealth;
  /** Called with the ledger whose balance was too low for a refused task; absent in processes that accept none. */
  readonly onInsufficient?: ((ledger: LedgerRef) => void) | undefined;
  /** Fetches what a caller or a vendor named. */
  readonly guarded: SafeFetch;
  readonly through: ThroughOf;
  /** Copies results. */
  readonly mirror: Mirror;
  readonly largeJson: LargeJson;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** True if this process makes tasks, or only accepts and shows them. */
  readonly works: boolean;
  readonly lifecycle: Lifecycle;
}

/** Images and videos of one process, the assets they are made from, and what is told to webhooks. */
export interface ComposedTasks extends Omit<TaskEngine, "stop"> {
  readonly assets: Assets;
  readonly webhooks: WebhookQueries;
}

/** A receiver of webhooks is not waited for longer; it has the next attempt. */
const WEBHOOK_MS = 15_000;

export async function composeTasks(parts: TaskParts): Promise<ComposedTasks> {
  const { seals, database, catalog, limits, transport, guarded, through, mirror } = parts;
  const { largeJson, clock, log, metrics, works, lifecycle } = parts;
  const assets = createAssets({ database, catalog, ask: transport.ask, health: parts.health, clock, log });
  const engine = await createTaskEngine({
    database,
    catalog,
    limits,
    largeJson,
    clock,
    log,
    works,
    timers: systemTimers,
    random: drawFraction,
    ask: transport.ask,
    apiOf: ({ kind }) => kindOf(kind)?.taskApi ?? undefined,
    billing: openTaskBilling(database, {
      clock,
      timers: systemTimers,
      waitLimits: () => catalog.current().settings.queues,
      onInsufficient: parts.onInsufficient,
    }),
    assets,
    health: parts.health,
    readFile: (url, options) => guarded.read(url, options),
    keepFiles: mirror.keep,
    probe: createDurationReader(guarded, through),
  });
  lifecycle.drain("tasks", engine.stop);
  metrics.gauge("mirror_running", "Task results being copied", () => mirror.counts().running);
  metrics.gauge(
    "mirror_failed",
    "Task results that could not be copied since the start",
    () => mirror.counts().failed,
  );
  metrics.gauge("tasks_in_flight", "Image and video tasks in progress in this process", () =>
    engine.inFlight(),
  );
  metrics.gauges("tasks_open", "Open image and video tasks of all processes", "state", () =>
    engine.openByState(),
  );
  metrics.counters(
    "tasks_fate_unknown_total",
    "Tasks that failed because the response to the submit was lost; the vendor may have run them",
    "upstream",
    () =>
      works
        ? fromZero(
            catalog.current().upstreams.map(({ name }) => name),
            engine.unknownFates(),
          )
        : [],
  );
  metrics.counters(
    "tasks_unusable_polls_total",
    "Responses to polls that can't be read or are about another task",
    "upstream",
    () =>
      works
        ? fromZero(
            catalog.current().upstreams.map(({ name }) => name),
            engine.unusablePolls(),
          )
        : [],
  );
  const secretOf = createWebhookSecrets(database, seals);
  if (works) {
    const webhooks = await createWebhooks({
      database,
      clock,
      log,
      secretOf,
      sendMail: await composeMail(parts),
      send: (url, headers, body) => guarded.post(url, { headers, body, limits: { totalMs: WEBHOOK_MS } }),
      async recordOf(accountId, taskId) {
        const found = await engine.read(accountId, taskId);
        return found && (found.medium === "image" ? imageRecord(found.task) : videoRecord(found.task));
      },
    });
    lifecycle.drain("webhooks", webhooks.stop);
  }
  return {
    ...engine,
    assets,
    webhooks: {
      secretOf,
      isKeyOfOwner: (keyId) => isKeyOfOwner(database, keyId),
      deliveryOf: (accountId, taskId) => findDelivery(database, accountId, taskId),
    },
  };
}

const FINENESS = 2 ** 32;

function drawFraction(): number {
  return randomBelow(FINENESS) / FINENESS;
}
