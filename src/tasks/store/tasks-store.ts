import type { LargeJson } from "../../base/json/large-json.ts";
import { writeMediaRates } from "../../billing/pricing/media-rates.ts";
import type { HoldShortage } from "../../billing/task-billing.ts";
import type { MediaOrder } from "../../families/family.ts";
import type { Queryable } from "../../storage/database.ts";
import {
  CLAIM_COLUMNS,
  type ClaimRow,
  FOUND_COLUMNS,
  type FoundRow,
  readClaim,
  readFound,
  storableJson,
  storableResult,
  storableText,
} from "./task-rows.ts";
import type { Acceptance, Claim, Cooling, FoundTask, NewTask, PollResult, TaskStore } from "./task-store.ts";

/** The queue in PostgreSQL. Each function calls one SQL function of migrations/functions/tasks. */
export function createTasksStore(db: Queryable, largeJson: LargeJson): TaskStore {
  return {
    accept: async (task) => accept(db, task, await largeJson.write(task.order)),
    async find(accountId, id) {
      const row = await db.maybeOne<FoundRow>(
        `select ${FOUND_COLUMNS} from tasks where id = $1 and account_id = $2`,
        [id, accountId],
      );
      return row && readFound(row);
    },
    async findByIdempotencyKey(accountId, key): Promise<FoundTask | undefined> {
      const row = await db.maybeOne<FoundRow>(
        `select ${FOUND_COLUMNS} from tasks where account_id = $1 and idempotency_key = $2`,
        [accountId, key],
      );
      return row && readFound(row);
    },

    // "is true" keeps the planner from using the account's index, which has all its tasks, while only few are due.
    async claim({ fresh, submitted, busy, lastAccounts }, claimMs) {
      const rows = await db.query<ClaimRow>(
        `with fresh as materialized (
           select id from tasks where due_at <= now() and upstream_id is null and account_id <> all($5)
            order by due_at limit $1 for update skip locked
         ), last as materialized (
           select id from tasks where due_at <= now() and upstream_id is null and (account_id = any($5)) is true
            order by due_at limit $1 - (select count(*) from fresh) for update skip locked
         ), submitted as materialized (
           select id from tasks where due_at <= now() and upstream_id is not null and upstream_id <> all($3)
            order by due_at limit $2 for update skip locked
         )
         update tasks t set fence = t.fence + 1, due_at = now() + $4 * interval '1 ms'
          where t.id in (select id from fresh union all select id from last union all select id from submitted)
         returning ${CLAIM_COLUMNS}`,
        [fresh, submitted, busy, claimMs, lastAccounts],
      );
      return rows.map(readClaim);
    },
    async keep(claims, claimMs) {
      const rows = await db.query<{ id: string }>(
        `update tasks t set due_at = now() + $3 * interval '1 ms'
           from unnest($1::text[], $2::int8[]) as c (id, fence) where t.id = c.id and t.fence = c.fence
         returning t.id`,
        [...idsAndFences(claims), claimMs],
      );
      return new Set(rows.map(({ id }) => id));
    },
    async release(claims, dueMs = 0) {
      await db.execute(
        `update tasks t set due_at = ${dueBy("$3 * interval '1 ms'")}, fence = t.fence + 1
           from unnest($1::text[], $2::int8[]) as c (id, fence) where t.id = c.id and t.fence = c.fence`,
        [...idsAndFences(claims), dueMs],
      );
    },
    async order(id) {
      const row = await db.one<{ order: string }>(`select order_json as "order" from tasks where id = $1`, [
        id,
      ]);
      return (await largeJson.parse(row.order)) as MediaOrder;
    },

    async intend(claim, { upstreamId, upstreamName, credentialId, model }) {
      const touched = await db.execute(
        `update tasks set upstream_id = $3, upstream_name = $4, credential_id = $5, upstream_model = $6, intended_at = now()
          where id = $1 and fence = $2 and finished_at is null and upstream_task is null and immediate_result is null`,
        [claim.id, claim.fence, upstreamId, upstreamName, credentialId, model],
      );
      return touched > 0;
    },
    async requeue(claim, dueMs, refused) {
      await db.execute(
        `update tasks set upstream_id = null, upstream_name = null, credential_id = null, upstream_model = null,
                intended_at = null, submit_attempts = submit_attempts + $4::int4, due_at = ${dueBy("$3 * interval '1 ms'")}, fence = fence + 1
          where id = $1 and fence = $2 and upstream_task is null and immediate_result is null`,
        [claim.id, claim.fence, dueMs, refused ? 1 : 0],
      );
    },
    async submitted(id, upstreamId, response, dueMs) {
      const upstreamTask = "upstreamTask" in response ? storableText(response.upstreamTask) : null;
      const immediateResult = "immediateResult" in response ? storableResult(response.immediateResult) : null;
      await db.execute(
        `update tasks set upstream_task = $3, immediate_result = case when finished_at is null then $4 end,
                late_result = case when finished_at is null then late_result else $4 end,
                state = case when state = 'NOT_START' then 'SUBMITTED' else state end,
                due_at = case when finished_at is null or $4::text is null then now() + $5 * interval '1 ms' end,
                fence = fence + 1
          where id = $1 and upstream_id = $2 and upstream_task is null and immediate_result is null`,
        [id, upstreamId, upstreamTask, immediateResult, dueMs],
      );
    },
    polled: (polls) => polled(db, polls),
    async finish(claim, ending) {
      const { state, failReason, reason, chargeNanos, used, estimated, result, latePollMs } = ending;
      const facts = {
        state,
        fail_reason: storableText(failReason),
        reason,
        charge: String(chargeNanos),
        media: used,
        estimated,
        raw: storableJson(result?.usage),
        late_ms: latePollMs === null ? null : Math.round(latePollMs),
      };
      const { finished } = await db.one<{ finished: boolean }>(
        "select finish_task($1, $2, $3, $4) as finished",
        [claim.id, claim.fence, JSON.stringify(facts), result && storableResult(result)],
      );
      return finished;
    },
    async keepLateResult(claim, result) {
      await db.execute(
        `update tasks set late_result = $3, due_at = null, fence = fence + 1 where id = $1 and fence = $2`,
        [claim.id, claim.fence, storableResult(result)],
      );
    },

    async cool({ upstreamId, credentialId, model }, forMs) {
      await db.execute(
        `insert into task_coolings as c (upstream_id, credential_id, upstream_model, until)
         values ($1, $2, $3, now() + $4 * interval '1 ms')
         on conflict (upstream_id, credential_id, upstream_model) do update set until = greatest(c.until, excluded.until)`,
        [upstreamId, credentialId, model, Math.round(forMs)],
      );
    },
    coolings: () =>
      db.query<Cooling>(
        `select upstream_id as "upstreamId", credential_id as "credentialId", upstream_model as "model",
                (extract(epoch from until - now()) * 1000)::float8 as "leftMs"
           from task_coolings where until between now() and now() + ${MAX_WAIT}`,
      ),
    async nextDueMs(maxMs) {
      const { dueMs } = await db.one<{ dueMs: number | null }>(
        `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as "dueMs" from tasks where due_at is not null`,
      );
      return Math.min(maxMs, Math.max(0, dueMs ?? maxMs));
    },

    clampDueTimes: () =>
      db.execute(
        `update tasks set due_at = now() where due_at > now() + ${MAX_WAIT} and finished_at is null`,
      ),

    async countOpen() {
      const rows = await db.query<{ state: string; open: bigint }>(
        `select state, count(*) as open from tasks where due_at is not null and finished_at is null group by state`,
      );
      return new Map(rows.map(({ state, open }) => [state, Number(open)]));
    },
    dropOld: (days, nowMs, max) =>
      db.execute(
        `delete from tasks where id in (
           select id from tasks
            where finished_at < least(now(), to_timestamp($2 / 1000.0)) - $1 * interval '1 day' and due_at is null
            limit $3 for update skip locked)`,
        [days, nowMs, max],
      ),
  };
}

/**
 * Longer than any planned wait (claims, polls, submits, coolings of up to five minutes) except that for late successes.
 * A due time further ahead was written before the server's clock went back.
 */
const MAX_WAIT = "interval '10 minutes'";

/** `orderJson` is sent as bytes, because the driver would convert a text on the event loop. */
async function accept(
  db: Queryable,
  task: NewTask,
  orderJson: Uint8Array,
): Promise<Acceptance | HoldShortage> {
  const { caller, price, ledgers } = task;
  const facts = {
    id: task.id,
    request: task.requestId,
    account: String(caller.accountId),
    key: String(caller.keyId),
    group_name: caller.group,
    medium: task.order.medium,
    family: task.order.family,
    model: task.model,
    action: task.action,
    units: task.units,
    violation: task.violation && storableText(task.violation),
    open_ended: task.order.medium === "video" && task.order.durationSeconds === -1,
    deadline_ms: task.deadlineMs,
    price: String(price.priceId),
    rates: writeMediaRates(price.rates),
    factor: String(price.factorPpm),
    hold: String(task.holdNanos),
    max_waiting: task.maxWaiting,
    idempotency_key: task.idempotency?.key,
    body_digest: task.idempotency?.bodyDigest,
    webhook_url: task.webhookUrl,
    tags: task.tags,
  };
  const { outcome, taskId, acceptedAt } = await db.one<AcceptRow>(
    `select outcome, task_id as "taskId", extract(epoch from now())::float8 as "acceptedAt" from accept_task($1, $2, $3, $4)`,
    [
      JSON.stringify(facts),
      orderJson,
      ledgers.map(({ id }) => id),
      ledgers.map(({ allowanceNanos }) => allowanceNanos),
    ],
  );
  if (outcome === "accepted") return { outcome, acceptedAt: Math.floor(acceptedAt) };
  if (outcome === "full" || outcome === "reclaiming") return { outcome };
  if (outcome === "existing" && taskId !== null) return { outcome, taskId };
  const [word, ledger] = outcome.split(" ");
  if (word === "insufficient" && ledger !== undefined) return { outcome: word, ledger };
  throw new Error(`accept_task answered ${outcome}`);
}

interface AcceptRow {
  readonly outcome: string;
  readonly taskId: string | null;
  readonly acceptedAt: number;
}

async function polled(db: Queryable, polls: readonly PollResult[]): Promise<void> {
  await db.execute(
    `update tasks t set state = l.state, progress = l.progress, due_at = ${dueBy("l.due_ms * interval '1 ms'")},
            started_at = case when l.state = 'IN_PROGRESS' then coalesce(t.started_at, now()) else t.started_at end,
            polls = t.polls + 1, fence = t.fence + 1
       from unnest($1::text[], $2::int8[], $3::text[], $4::int4[], $5::int4[]) as l (id, fence, state, progress, due_ms)
      where t.id = l.id and t.fence = l.fence`,
    [
      ...idsAndFences(polls.map(({ claim }) => claim)),
      polls.map(({ state }) => state),
      polls.map(({ progressPercent }) => progressPercent),
      polls.map(({ dueMs }) => dueMs),
    ],
  );
}

/**
 * Returns when an open task is due again, at its deadline at the latest. The wait was computed some time ago, and a
 * process may have been paused since. null stays null.
 */
function dueBy(wait: string): string {
  return `case when finished_at is null and ${wait} is not null
               then least(now() + ${wait}, greatest(deadline_at, now())) else now() + ${wait} end`;
}

function idsAndFences(claims: readonly Claim[]): [string[], bigint[]] {
  return [claims.map(({ id }) => id), claims.map(({ fence }) => fence)];
}
