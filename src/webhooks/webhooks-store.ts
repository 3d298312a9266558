import type { QueueStore } from "../queue/durable-queue.ts";
import type { QueueClaim } from "../queue/held.ts";
import type { Queryable } from "../storage/database.ts";

/** Format of a delivery: a signed webhook, a message to a channel of Slack or Teams, or an e-mail. */
export type DeliveryFormat = "signed" | "slack" | "teams" | "email";

/** Stands in place of an account for e-mail to people, such as invitations. */
export const NO_ACCOUNT = 0n;

/** A worker's right to a delivery. */
export interface DeliveryClaim extends QueueClaim {
  readonly id: bigint;
  /** `task.finished`, `balance.low`, `budget.reached`; of people `invitation`, `password.reset`; tests. */
  readonly event: string;
  /** The task whose record is sent; null = the delivery has its own data. */
  readonly taskId: string | null;
  readonly data: object | null;
  readonly accountId: bigint;
  /** Of an e-mail `mailto:` and one address. */
  readonly url: string;
  readonly format: DeliveryFormat;
  /** Unix seconds of the event. */
  readonly createdAt: number;
  /** Number of attempts before this one. */
  readonly attempts: number;
}

/** Outcome of one attempt; `status` null = there was no response. */
export interface AttemptFacts {
  readonly status: number | null;
  readonly failure: string | null;
  readonly durationMs: number;
  readonly delivered: boolean;
  /** Time until the next attempt; null = there is none. */
  readonly againMs: number | null;
}

export interface WantedDeliveries {
  readonly max: number;
  /** Accounts that have as many deliveries under way as they may. */
  readonly busy: readonly bigint[];
}

/**
 * Deliveries as a queue. `waitsMs` has the pause after each attempt. A delivery that would wait for longer than that
 * and a claim was scheduled before the server's clock went back.
 */
export function createDeliveryStore(
  db: Queryable,
  waitsMs: readonly number[],
  claimMs: number,
): QueueStore<DeliveryClaim, WantedDeliveries> {
  return {
    claim: ({ max, busy }, forMs) =>
      db.query<DeliveryClaim>(
        `update webhook_deliveries d set fence = d.fence + 1, due_at = now() + $2 * interval '1 ms'
          where d.id in (select id from webhook_deliveries where due_at <= now() and account_id <> all($3)
                          order by due_at limit $1 for update skip locked)
        returning d.id, d.fence, d.event, d.task_id as "taskId", d.data, d.account_id as "accountId", d.url, d.format,
                  d.attempts,
                  extract(epoch from d.created_at)::int4 as "createdAt"`,
        [max, forMs, busy],
      ),
    async keep(claims, forMs) {
      const rows = await db.query<{ id: bigint }>(
        `update webhook_deliveries d set due_at = now() + $3 * interval '1 ms'
           from unnest($1::int8[], $2::int8[]) as c (id, fence) where d.id = c.id and d.fence = c.fence returning d.id`,
        [...idsAndFences(claims), forMs],
      );
      return new Set(rows.map(({ id }) => id));
    },
    async release(claims, dueMs = 0) {
      await db.execute(
        `update webhook_deliveries d set due_at = now() + $3 * interval '1 ms', fence = d.fence + 1
           from unnest($1::int8[], $2::int8[]) as c (id, fence) where d.id = c.id and d.fence = c.fence`,
        [...idsAndFences(claims), dueMs],
      );
    },
    async nextDueMs(maxMs, { busy }) {
      const { dueMs } = await db.one<{ dueMs: number | null }>(
        `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as "dueMs"
           from webhook_deliveries where due_at is not null and account_id <> all($1)`,
        [busy],
      );
      return Math.min(maxMs, Math.max(0, dueMs ?? maxMs));
    },
    clampDueTimes: () =>
      db.execute(
        `update webhook_deliveries set due_at = now()
          where due_at > now() + greatest($2, ($1::float8[])[attempts]) * interval '1 ms'`,
        [waitsMs, claimMs],
      ),
  };
}

/** Forgets a delivery without an attempt: there is nobody to tell. */
export async function dropDelivery(db: Queryable, { id, fence }: DeliveryClaim): Promise<void> {
  await db.execute("delete from webhook_deliveries where id = $1 and fence = $2", [id, fence]);
}

function idsAndFences(claims: readonly DeliveryClaim[]): [bigint[], bigint[]] {
  return [claims.map(({ id }) => id), claims.map(({ fence }) => fence)];
}

/** Records the attempt in the log and schedules the next one. Changes nothing once the claim is over. */
export async function recordAttempt(db: Queryable, claim: DeliveryClaim, facts: AttemptFacts): Promise<void> {
  await db.execute(
    `with changed as (
       update webhook_deliveries set attempts = attempts + 1, fence = fence + 1,
              due_at = now() + $3 * interval '1 ms', delivered_at = case when $4 then now() end
        where id = $1 and fence = $2 returning id, attempts
     )
     insert into webhook_attempts (delivery_id, attempt, status, failure, duration_ms)
     select id, attempts, $5, $6, $7 from changed`,
    [
      claim.id,
      claim.fence,
      facts.againMs,
      facts.delivered,
      facts.status,
      facts.failure,
      Math.round(facts.durationMs),
    ],
  );
}

/** The account's webhook secret, sealed; undefined = it has none yet. */
export async function readWebhookSecret(db: Queryable, accountId: bigint): Promise<string | undefined> {
  const row = await db.maybeOne<{ sealed: string }>("select sealed from webhook_secrets where id = $1", [
    accountId,
  ]);
  return row?.sealed;
}

/** Does nothing if there is a secret already. */
export async function insertWebhookSecret(db: Queryable, accountId: bigint, sealed: string): Promise<void> {
  await db.execute("insert into webhook_secrets (id, sealed) values ($1, $2) on conflict do nothing", [
    accountId,
    sealed,
  ]);
}

/** Replaces the secret, if there is one. */
export async function replaceWebhookSecret(db: Queryable, accountId: bigint, sealed: string): Promise<void> {
  await db.execute(
    `insert into webhook_secrets (id, sealed) values ($1, $2)
     on conflict (id) do update set sealed = excluded.sealed`,
    [accountId, sealed],
  );
}

/** One attempt as the account sees it. */
export interface LoggedAttempt {
  readonly attempt: number;
  readonly at: Date;
  readonly status: number | null;
  readonly failure: string | null;
  readonly durationMs: number;
}

export interface LoggedDelivery {
  readonly id: bigint;
  readonly url: string;
  readonly deliveredAt: Date | null;
  /** Null = delivered or given up. */
  readonly nextAt: Date | null;
  readonly attempts: readonly LoggedAttempt[];
}

/** Returns the delivery of a task's end, with its attempts; undefined = the account's task has none. */
export async function findDelivery(
  db: Queryable,
  accountId: bigint,
  taskId: string,
): Promise<LoggedDelivery | undefined> {
  const found = await db.maybeOne<Omit<LoggedDelivery, "attempts">>(
    `select id, url, delivered_at as "deliveredAt", due_at as "nextAt"
       from webhook_deliveries where account_id = $1 and task_id = $2`,
    [accountId, taskId],
  );
  if (found === undefined) return undefined;
  const attempts = await db.query<LoggedAttempt>(
    `select attempt, at, status, failure, duration_ms as "durationMs"
       from webhook_attempts where delivery_id = $1 order by attempt`,
    [found.id],
  );
  return { ...found, attempts };
}

export interface LoggedAlert extends Omit<LoggedDelivery, "attempts"> {
  readonly event: string;
  readonly createdAt: Date;
  /** Comes from JSON, so the time is text. */
  readonly attempts: readonly (Omit<LoggedAttempt, "at"> & { readonly at: string })[];
}

/** The account's latest deliveries other than those of tasks, newest first, each with its attempts. */
export function listAlertDeliveries(db: Queryable, accountId: bigint, max: number): Promise<LoggedAlert[]> {
  return db.query<LoggedAlert>(
    `select d.id, d.event, d.url, d.created_at as "createdAt", d.delivered_at as "deliveredAt", d.due_at as "nextAt",
            array(select jsonb_build_object('attempt', t.attempt, 'at', t.at, 'status', t.status, 'failure', t.failure,
                                            'durationMs', t.duration_ms)
                    from webhook_attempts t where t.delivery_id = d.id order by t.attempt) as attempts
       from webhook_deliveries d where d.account_id = $1 and d.task_id is null
      order by d.id desc limit $2`,
    [accountId, max],
  );
}

/** Sends an event that is not about a task; `data` is its whole content. The account's latest ones are kept. */
export async function insertDelivery(
  tx: Queryable,
  { accountId, url, event, data, format = "signed" }: NewDelivery,
): Promise<void> {
  await tx.execute(
    "insert into webhook_deliveries (account_id, url, format, event, data) values ($1, $2, $3, $4, $5)",
    [accountId, url, format, event, JSON.stringify(data)],
  );
  await tx.execute("select trim_deliveries($1, $2), pg_notify('webhooks', 'due')", [
    accountId,
    accountId === NO_ACCOUNT ? MAIL_DELIVERIES_KEPT : ALERT_DELIVERIES_KEPT,
  ]);
}

export interface NewDelivery {
  readonly accountId: bigint;
  readonly url: string;
  readonly event: string;
  readonly data: object;
  /** Absent = signed. */
  readonly format?: DeliveryFormat | undefined;
}

/** Kept per account. This covers months of a balance that runs out every other day. */
export const ALERT_DELIVERIES_KEPT = 50;

/** Of all people: far more than are under way at once, so that no wave of requests pushes out what is not sent yet. */
const MAIL_DELIVERIES_KEPT = 10_000;
