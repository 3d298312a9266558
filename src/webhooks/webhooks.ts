import { runAllInOrder } from "../base/async/lifecycle.ts";
import { systemTimers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import { failpoint } from "../base/failpoint.ts";
import type { Log } from "../observe/log.ts";
import { createDurableQueue } from "../queue/durable-queue.ts";
import { type Held, overShare } from "../queue/held.ts";
import type { Database } from "../storage/database.ts";
import { slackMessage, teamsMessage } from "./channel-message.ts";
import { signatureHeader, type WebhookSecretOf } from "./secrets.ts";
import {
  type AttemptFacts,
  createDeliveryStore,
  type DeliveryClaim,
  dropDelivery,
  recordAttempt,
  type WantedDeliveries,
} from "./webhooks-store.ts";

/**
 * Sends one POST to a URL that a caller gave, guarded. Rejects if there is no response, with a sentence that the caller
 * may see.
 */
export type SendWebhook = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<{ readonly status: number }>;

/** What became of one attempt, before it is known when the next one is. */
export type Outcome = Pick<AttemptFacts, "status" | "failure"> & {
  /** Another attempt would be in vain. */
  readonly isFinal: boolean;
};

export interface WebhooksOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly send: SendWebhook;
  /** Writes and sends a delivery that is an e-mail; undefined = there is nobody to tell. */
  readonly sendMail: (claim: DeliveryClaim) => Promise<Outcome | undefined>;
  readonly secretOf: WebhookSecretOf;
  /** Returns a task's record as its endpoint does; undefined = it is past retention. */
  readonly recordOf: (accountId: bigint, taskId: string) => Promise<object | undefined>;
}

export interface Webhooks {
  /** Takes no further deliveries. Those under way end within their own time limit. */
  stop(): Promise<void>;
}

/** Pauses after each attempt, 21 hours in all: a receiver that was down over night gets the event in the morning. */
const RETRY_DELAY_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000];
/** Longer than a send may take, so that claims need not be extended. */
const CLAIM_MS = 60_000;
/** A slow receiver must not delay others, and many slow ones must not fill the memory. */
const MAX_AT_ONCE = 32;
/**
 * Maximum of concurrent deliveries per account and of a claim. Otherwise an account's slow receivers could occupy all
 * places.
 */
const ACCOUNT_SHARE = 8;
const INTERVAL_MS = 2_000;
const SHORTEST_INTERVAL_MS = 100;
const CLAMP_INTERVAL_MS = 60_000;
/** HTTP status Gone: the receiver wants no further deliveries. */
const GONE = 410;

/**
 * Notifies callers that a task has ended, the balance runs low or a budget is reached, and sends e-mail to people. Each event is
 * delivered at least once, until the receiver responds with 2xx or the attempts are used up. Receivers recognise repetitions
 * by `x-faregate-delivery`.
 */
export async function createWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { database, clock, log } = options;
  const wanted = (held: ReadonlySet<Held<DeliveryClaim>>): WantedDeliveries => ({
    max: Math.min(ACCOUNT_SHARE, MAX_AT_ONCE - held.size),
    busy: overShare(
      ACCOUNT_SHARE,
      Array.from(held, ({ claim }) => claim.accountId),
    ),
  });
  const send = async (held: Held<DeliveryClaim>): Promise<void> => {
    await queue.work([held], () => deliver(held.claim, options));
    queue.wake();
  };
  const queue = createDurableQueue<DeliveryClaim, WantedDeliveries>({
    name: "webhook deliveries",
    clock,
    timers: systemTimers,
    log,
    wanted,
    store: createDeliveryStore(database, RETRY_DELAY_MS, CLAIM_MS),
    claimMs: CLAIM_MS,
    keepIntervalMs: null,
    clampIntervalMs: CLAMP_INTERVAL_MS,
    intervalMs: INTERVAL_MS,
    shortestIntervalMs: SHORTEST_INTERVAL_MS,
    brokenOffMs: CLAIM_MS,
    begin(claimed) {
      for (const held of claimed) void send(held);
    },
    brokeOff(error, claims) {
      const deliveries = claims.map(({ id }) => String(id));
      log.warn({ err: error, deliveries }, "webhook delivery failed; retrying");
    },
  });
  const unlisten = await database.listen({ channel: "webhooks", onMessage: queue.wake });

  return {
    async stop() {
      await runAllInOrder(() => queue.stop(Number.POSITIVE_INFINITY), unlisten);
    },
  };
}

async function deliver(claim: DeliveryClaim, options: WebhooksOptions): Promise<void> {
  const { database, clock } = options;
  const sinceMs = clock.monotonicMs();
  const outcome = claim.format === "email" ? await options.sendMail(claim) : await post(claim, options);
  if (outcome === undefined) return claim.taskId === null ? dropDelivery(database, claim) : undefined;
  failpoint("task.webhook.after-response");
  await recordAttempt(database, claim, factsOf(claim, outcome, clock.monotonicMs() - sinceMs));
  failpoint("task.webhook.after-statement");
}

/** Undefined = the record is past retention, and its delivery goes with it. */
async function post(claim: DeliveryClaim, options: WebhooksOptions): Promise<Outcome | undefined> {
  const { clock, secretOf, recordOf, send } = options;
  const data = claim.taskId === null ? claim.data : await recordOf(claim.accountId, claim.taskId);
  if (data == null) return undefined;
  const body = JSON.stringify(bodyOf(claim, data));
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (claim.format === "signed") {
    const secret = await secretOf(claim.accountId);
    headers["x-faregate-delivery"] = `delivery-${claim.id}`;
    headers["x-faregate-signature"] = signatureHeader(secret, Math.floor(clock.nowMs() / 1000), body);
  }
  try {
    const { status } = await send(claim.url, headers, body);
    return { status, failure: null, isFinal: status === GONE };
  } catch (error) {
    const failure = error instanceof Error ? error.message : "it could not be sent";
    return { status: null, failure, isFinal: false };
  }
}

function bodyOf({ id, event, createdAt, format }: DeliveryClaim, data: object): object {
  if (format === "slack") return slackMessage(event, data);
  if (format === "teams") return teamsMessage(event, data);
  return { id: `delivery-${id}`, type: event, created_at: createdAt, data };
}

function factsOf(
  { attempts }: DeliveryClaim,
  { status, failure, isFinal }: Outcome,
  durationMs: number,
): AttemptFacts {
  const delivered = status !== null && status >= 200 && status < 300;
  return {
    status,
    failure: failure?.slice(0, 500) ?? null,
    durationMs,
    delivered,
    againMs: delivered || isFinal ? null : (RETRY_DELAY_MS[attempts] ?? null),
  };
}
