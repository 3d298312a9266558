import type { AccountId, Budget, KeyId } from "../../accounts/caller.ts";
import type { Queryable } from "../../storage/database.ts";
import type { DeliveryFormat } from "../../webhooks/webhooks-store.ts";
import { budgetLedgerId, periodStart } from "../leases/ledger-ref.ts";

/** Where alerts of a budget go. */
export interface AlertTarget {
  readonly format: DeliveryFormat;
  readonly url: string;
}

/** What may be changed of a budget. */
export interface BudgetTerms extends Pick<Budget, "name" | "amountNanos" | "period" | "hard"> {
  /** Percentages of the amount. */
  readonly alertPercents: readonly number[];
  readonly alertTargets: readonly AlertTarget[];
}

/** Whose requests count: of the account; null = anybody's, any key's, any model's. */
export interface BudgetScope {
  readonly accountId: AccountId;
  readonly userId: bigint | null;
  readonly keyId: KeyId | null;
  readonly model: string | null;
}

export interface StoredBudget extends BudgetTerms, BudgetScope {
  readonly id: bigint;
  readonly createdAt: Date;
  readonly accountName: string;
  /** Name of the person whose keys count. */
  readonly userName: string | null;
  readonly keyName: string | null;
}

export interface BudgetFilter {
  /** null = of all accounts. */
  readonly accountId: AccountId | null;
  readonly afterId: bigint | null;
  readonly most: number;
}

const COLUMNS = `
  b.id, b.account_id as "accountId", a.name as "accountName", b.name, b.user_id as "userId", u.name as "userName",
  b.key_id as "keyId", k.name as "keyName", b.model, b.amount_nanos as "amountNanos", b.period, b.hard,
  b.alert_percents as "alertPercents", b.alert_targets as "alertTargets", b.created_at as "createdAt"`;
const FROM = `
  from budgets b join accounts a on a.id = b.account_id
  left join users u on u.id = b.user_id left join api_keys k on k.id = b.key_id`;

/** Budgets in the order of their ids. */
export function readBudgets(
  db: Queryable,
  { accountId, afterId, most }: BudgetFilter,
): Promise<StoredBudget[]> {
  return db.query<StoredBudget>(
    `select ${COLUMNS} ${FROM}
      where ($1::int8 is null or b.account_id = $1) and ($2::int8 is null or b.id > $2) order by b.id limit $3`,
    [accountId, afterId, most],
  );
}

/** The place of a budget among those of all accounts: millionths of its amount that are spent, and its id. */
export interface NearestPlace {
  readonly spentPpm: bigint;
  readonly id: bigint;
}

/** Budgets of all accounts, those nearest to their amount (or furthest beyond it) first; `after`: only those that follow it. */
export function readNearestBudgets(
  db: Queryable,
  {
    after,
    most,
    nowMs,
  }: { readonly after: NearestPlace | null; readonly most: number; readonly nowMs: number },
): Promise<(StoredBudget & NearestPlace)[]> {
  const starts = PERIODS.map((period) => periodStart(period, nowMs));
  return db.query<StoredBudget & NearestPlace>(
    `with placed as (
       select b.id, least(coalesce((l.allowance - l.wallet - l.leased - l.held)::numeric * 1000000 / b.amount_nanos, 0),
           1000000000000)::int8 as ppm
         from budgets b join unnest($4::text[], $5::text[]) as p (period, start) on p.period = b.period
         left join ledgers l on l.id = 'budget:' || b.id || ':' || b.period || ':' || p.start
     )
     select ${COLUMNS}, placed.ppm as "spentPpm" ${FROM} join placed on placed.id = b.id
      where $1::int8 is null or (placed.ppm, b.id) < ($1, $2::int8)
      order by placed.ppm desc, b.id desc limit $3`,
    [after?.spentPpm ?? null, after?.id ?? null, most, PERIODS, starts],
  );
}

const PERIODS = ["day", "week", "month"] as const;

export function findBudget(
  db: Queryable,
  accountId: AccountId,
  id: bigint,
): Promise<StoredBudget | undefined> {
  return db.maybeOne<StoredBudget>(`select ${COLUMNS} ${FROM} where b.account_id = $1 and b.id = $2`, [
    accountId,
    id,
  ]);
}

/** Keeps others from changing the budget until the transaction ends. */
export async function lockBudget(tx: Queryable, id: bigint): Promise<void> {
  await tx.execute("select from budgets where id = $1 for update", [id]);
}

/** The budgets of the account, and those of them that count the same requests. */
export function countBudgets(
  db: Queryable,
  { accountId, userId, keyId, model }: BudgetScope,
): Promise<{ readonly all: number; readonly alike: number }> {
  return db.one(
    `select count(*)::int4 as "all",
            (count(*) filter (where (user_id, key_id, model) is not distinct from ($2::int8, $3::int8, $4::text)))::int4 as alike
       from budgets where account_id = $1`,
    [accountId, userId, keyId, model],
  );
}

export async function insertBudget(tx: Queryable, budget: BudgetTerms & BudgetScope): Promise<bigint> {
  const { accountId, userId, keyId, model } = budget;
  const { id } = await tx.one<{ id: bigint }>(
    `insert into budgets (account_id, user_id, key_id, model, name, amount_nanos, period, hard, alert_percents, alert_targets)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [accountId, userId, keyId, model, ...valuesOf(budget)],
  );
  return id;
}

/** Another amount arms its alerts anew; another period begins to count anew. */
export async function updateBudget(tx: Queryable, id: bigint, terms: BudgetTerms): Promise<void> {
  await tx.execute(
    `delete from budget_alerts where budget_id = $1
        and exists (select from budgets where id = $1 and amount_nanos <> $2)`,
    [id, terms.amountNanos],
  );
  await tx.execute(
    `update budgets set name = $2, amount_nanos = $3, period = $4, hard = $5, alert_percents = $6, alert_targets = $7
      where id = $1`,
    [id, ...valuesOf(terms)],
  );
}

export async function deleteBudget(tx: Queryable, id: bigint): Promise<void> {
  await tx.execute("delete from budgets where id = $1", [id]);
}

/** What each of these budgets has counted in its running period, in nanos, by the budget's id; nothing = none yet. */
export async function spentOfBudgets(
  db: Queryable,
  budgets: readonly Pick<StoredBudget, "id" | "period">[],
  nowMs: number,
): Promise<Map<bigint, bigint>> {
  const ids = budgets.map((budget) => budgetLedgerId(budget, nowMs));
  const rows = await db.query<{ budget: bigint; spent: bigint }>(
    `select budget_id as budget, allowance - wallet - leased - held as spent from ledgers where id = any($1::text[])`,
    [ids],
  );
  return new Map(rows.map(({ budget, spent }) => [budget, spent]));
}

function valuesOf({ name, amountNanos, period, hard, alertPercents, alertTargets }: BudgetTerms): unknown[] {
  return [name, amountNanos, period, hard, alertPercents, JSON.stringify(alertTargets)];
}
