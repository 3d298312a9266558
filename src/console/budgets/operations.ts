import type { z } from "zod";
import type { AccountId, KeyId } from "../../accounts/caller.ts";
import { formatUsd } from "../../base/money.ts";
import { budgetLedgerId, periodEnd, periodStart } from "../../billing/leases/ledger-ref.ts";
import {
  type BudgetScope,
  type BudgetTerms,
  countBudgets,
  deleteBudget,
  findBudget,
  insertBudget,
  lockBudget,
  type NearestPlace,
  readBudgets,
  readNearestBudgets,
  type StoredBudget,
  spentOfBudgets,
  updateBudget,
} from "../../billing/ledger/budgets-store.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import { constraintOf } from "../../storage/failures.ts";
import type { SignedInUser, UserId } from "../../users/identity.ts";
import { readMember } from "../../users/members/members-store.ts";
import { lockAccount } from "../accounts/account-rows-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import {
  decodeCursor,
  encodeCursor,
  idOf,
  idOfMark,
  inputGain,
  inputMark,
  notFound,
  revisionOf,
} from "../input.ts";
import { findShownKey } from "../keys/key-rows-store.ts";
import { type Call, json, type Operation } from "../operation.ts";
import {
  type BudgetRow,
  budget,
  budgetChange,
  budgetsPage,
  budgetsQuery,
  deletedBudget,
  newBudget,
  testedBudget,
  USUAL_PERCENTS,
} from "./contract.ts";
import { insertTestDeliveries, shownTarget, storedTargets, targetInWords } from "./targets.ts";

/** Budgets: how much parts of an account may spend per period, and who is told. Viewers see them, owners set them. */
export function budgetsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [listAll(deps), list(deps), create(deps), show(deps), change(deps), remove(deps), tryOut(deps)];
}

const tag = "budgets";
const BUDGETS = "/accounts/{account}/budgets";
const BUDGET = "/accounts/{account}/budgets/{budget}";

function listAll(deps: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/operator/budgets",
    policy: "operator",
    tag,
    summary: "The budgets of all accounts, those nearest to their amount first, with what they have counted",
    query: budgetsQuery,
    response: budgetsPage,
    run: (call) => pageOfNearest(deps, call),
  });
}

function list(deps: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: BUDGETS,
    policy: "viewer",
    tag,
    summary: "The account's budgets, oldest first, with what they have counted",
    query: budgetsQuery,
    response: budgetsPage,
    run: (call) => pageOfBudgets(deps, call),
  });
}

function show({ database, clock }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: BUDGET,
    policy: "viewer",
    tag,
    summary: "One budget",
    response: budget,
    conditional: true,
    run: async (call) => responseOf(database, call, await foundBudget(database, call), clock.nowMs()),
  });
}

function create(deps: ConsoleDeps): Operation {
  const { clock } = deps;
  return json({
    method: "POST",
    path: BUDGETS,
    policy: "owner",
    tag,
    makes: true,
    summary: "Create a budget; it counts requests from now on",
    body: newBudget,
    response: budget,
    async run(call) {
      const { id: accountId } = call.account();
      const { body } = call;
      const terms: BudgetTerms = {
        name: body.name,
        amountNanos: inputGain(body),
        period: body.period,
        hard: body.hard,
        alertPercents: body.alerts?.percents ?? USUAL_PERCENTS,
        alertTargets: storedTargets(deps, body.alerts?.targets ?? []),
      };
      return changing(deps, accountId, async (tx) => {
        const scope = await scopeOf(tx, deps, accountId, body);
        await expectRoom(tx, scope);
        const id = await insertBudget(tx, { ...terms, ...scope });
        const stored = await storedBudget(tx, accountId, id);
        const note = { action: "budget.create", subject: stored.name, accountId };
        await call.audit(tx, { ...note, after: inWords(stored) });
        return responseOf(tx, call, stored, clock.nowMs());
      });
    },
  });
}

function change(deps: ConsoleDeps): Operation {
  const { clock } = deps;
  return json({
    method: "PATCH",
    path: BUDGET,
    policy: "owner",
    tag,
    summary: "Change a budget's name, amount, period, kind or alerts",
    body: budgetChange,
    response: budget,
    conditional: true,
    async run(call) {
      const { id: accountId } = call.account();
      const { body } = call;
      return changing(deps, accountId, async (tx) => {
        const before = await takeBudget(tx, call);
        const givesAmount = body.amount_usd !== undefined || body.amount_nanos !== undefined;
        await updateBudget(tx, before.id, {
          name: body.name ?? before.name,
          amountNanos: givesAmount ? inputGain(body) : before.amountNanos,
          period: body.period ?? before.period,
          hard: body.hard ?? before.hard,
          alertPercents: body.alerts?.percents ?? before.alertPercents,
          alertTargets: body.alerts ? storedTargets(deps, body.alerts.targets) : before.alertTargets,
        });
        const after = await storedBudget(tx, accountId, before.id);
        const note = { action: "budget.update", subject: after.name, accountId };
        await call.audit(tx, { ...note, before: inWords(before), after: inWords(after) });
        return responseOf(tx, call, after, clock.nowMs());
      });
    },
  });
}

function remove(deps: ConsoleDeps): Operation {
  return json({
    method: "DELETE",
    path: BUDGET,
    policy: "owner",
    tag,
    summary: "Delete a budget; it counts and refuses nothing any more",
    response: deletedBudget,
    conditional: true,
    async run(call) {
      const { id: accountId } = call.account();
      return changing(deps, accountId, async (tx) => {
        const before = await takeBudget(tx, call);
        await deleteBudget(tx, before.id);
        const note = { action: "budget.delete", subject: before.name, accountId };
        await call.audit(tx, { ...note, before: inWords(before) });
        return { deleted: String(before.id) };
      });
    },
  });
}

function tryOut({ database }: ConsoleDeps): Operation {
  return json({
    method: "POST",
    path: `${BUDGET}/test`,
    policy: "owner",
    tag,
    summary: "Send a test message to each target of a budget's alerts",
    response: testedBudget,
    unaudited: "it changes nothing; the deliveries are in the log of the low-balance alert",
    async run(call) {
      const stored = await foundBudget(database, call);
      await database.transaction((tx) => insertTestDeliveries(tx, stored));
      return { sent: stored.alertTargets.length };
    },
  });
}

type AnyCall = Call<unknown, unknown>;

/** Runs a change of the account's budgets. Once it is over, this process reads the account's keys anew. */
async function changing<Response>(
  { database, authenticator }: ConsoleDeps,
  accountId: AccountId,
  work: (tx: Queryable) => Promise<Response>,
): Promise<Response> {
  try {
    return await database.transaction(work);
  } catch (error) {
    if (constraintOf(error) !== "budgets_name_unique") throw error;
    throw new GatewayError("conflict", "The account already has a budget with this name.", { param: "name" });
  } finally {
    authenticator.forget({ accountId });
  }
}

type ListCall = Call<z.output<typeof budgetsQuery>, unknown>;

async function pageOfBudgets({ database, clock }: ConsoleDeps, call: ListCall) {
  const { limit, after } = call.query;
  const filter = { accountId: call.account().id, afterId: inputMark(after), most: limit + 1 };
  const found = await readBudgets(database, filter);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: await rowsOf(database, call, shown, clock.nowMs()),
    next: found.length > limit && last !== undefined ? String(last.id) : null,
  };
}

async function pageOfNearest({ database, clock }: ConsoleDeps, call: ListCall) {
  const { limit } = call.query;
  const nowMs = clock.nowMs();
  const after = nearestPlace(call.query.after);
  const found = await readNearestBudgets(database, { after, most: limit + 1, nowMs });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return {
    data: await rowsOf(database, call, shown, nowMs),
    next: isMore ? encodeCursor({ micros: last.spentPpm, id: String(last.id) }) : null,
  };
}

/** The share of a budget stands where lists by time have the time. */
function nearestPlace(after: string | undefined): NearestPlace | null {
  const place = decodeCursor(after);
  return place === undefined ? null : { spentPpm: place.micros, id: idOfMark(place.id) };
}

async function rowsOf(db: Queryable, call: AnyCall, shown: readonly StoredBudget[], nowMs: number) {
  const spent = await spentOfBudgets(db, shown, nowMs);
  return shown.map((each) => budgetResponse(each, spent.get(each.id) ?? 0n, { user: call.user(), nowMs }));
}

function foundBudget(db: Queryable, call: AnyCall): Promise<StoredBudget> {
  return storedBudget(db, call.account().id, idOf(call.params["budget"], NO_BUDGET));
}

/** The budget of the path, locked, in the revision that the call was made from. */
async function takeBudget(tx: Queryable, call: AnyCall): Promise<StoredBudget> {
  const { id } = await foundBudget(tx, call);
  await lockBudget(tx, id);
  const before = await foundBudget(tx, call);
  call.expectRevision(budgetRevision(before));
  return before;
}

const NO_BUDGET = notFound("budget").message;

async function storedBudget(db: Queryable, accountId: AccountId, id: bigint): Promise<StoredBudget> {
  const found = await findBudget(db, accountId, id);
  if (found === undefined) throw notFound("budget");
  return found;
}

/** Each budget that a request counts against costs it a ledger, so few may count the same requests. */
const MOST_ALIKE = 5;
/** Together they are read with the keys of an account. */
const MOST_OF_ACCOUNT = 1_000;

async function expectRoom(tx: Queryable, scope: BudgetScope): Promise<void> {
  await lockAccount(tx, scope.accountId);
  const { all, alike } = await countBudgets(tx, scope);
  if (all >= MOST_OF_ACCOUNT)
    throw new GatewayError("conflict", `An account may have at most ${MOST_OF_ACCOUNT} budgets.`);
  if (alike >= MOST_ALIKE)
    throw new GatewayError(
      "conflict",
      `At most ${MOST_ALIKE} budgets may count the same person, key and model.`,
    );
}

async function scopeOf(
  tx: Queryable,
  { catalog }: Pick<ConsoleDeps, "catalog">,
  accountId: AccountId,
  { user, key, model }: { user?: string | undefined; key?: string | undefined; model?: string | undefined },
): Promise<BudgetScope> {
  const userId = user === undefined ? null : (givenId(user) as UserId);
  const keyId = key === undefined ? null : (givenId(key) as KeyId);
  if (userId !== null && (await readMember(tx, accountId, userId)) === undefined)
    throw wrong("user", NO_MEMBER);
  if (keyId !== null && (await findShownKey(tx, accountId, keyId)) === undefined) throw wrong("key", NO_KEY);
  return { accountId, userId, keyId, model: model === undefined ? null : modelIdOf(catalog, model) };
}

/** Requests count under the model that an alias stands for. */
function modelIdOf(catalog: ConsoleDeps["catalog"], name: string): string {
  const model = catalog.current().models.get(name);
  if (model === undefined) throw wrong("model", "There is no such model.");
  return model.aliasOf ?? model.id;
}

/** An id in a body; what can be none names nobody. */
function givenId(text: string): bigint {
  return /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : 0n;
}

const NO_MEMBER = "The account has no such member.";
const NO_KEY = "The account has no such API key.";

function wrong(param: string, message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param });
}

async function responseOf(
  db: Queryable,
  call: AnyCall,
  stored: StoredBudget,
  nowMs: number,
): Promise<BudgetRow> {
  const spent = await spentOfBudgets(db, [stored], nowMs);
  return budgetResponse(stored, spent.get(stored.id) ?? 0n, { user: call.user(), nowMs });
}

function budgetResponse(
  stored: StoredBudget,
  spentNanos: bigint,
  { user, nowMs }: { readonly user: SignedInUser; readonly nowMs: number },
): BudgetRow {
  const isOwner = user.isOperator || user.roles.get(stored.accountId) === "owner";
  const { id, name, model, amountNanos, period, hard, userId, keyId } = stored;
  const ledger = {
    id: budgetLedgerId(stored, nowMs),
    accountId: stored.accountId,
    allowanceNanos: amountNanos,
  };
  return {
    id: String(id),
    name,
    account: { id: String(stored.accountId), name: stored.accountName },
    user: userId === null ? null : { id: String(userId), name: stored.userName ?? "" },
    key: keyId === null ? null : { id: String(keyId), name: stored.keyName ?? "" },
    model,
    amount_nanos: String(amountNanos),
    amount_usd: formatUsd(amountNanos),
    period,
    hard,
    alerts: {
      percents: [...stored.alertPercents],
      targets: stored.alertTargets.map((each) => shownTarget(each, isOwner)),
    },
    spent_nanos: String(spentNanos),
    spent_usd: formatUsd(spentNanos),
    period_start: `${periodStart(period, nowMs)}T00:00:00Z`,
    resets_at: periodEnd(ledger) ?? "",
    created_at: stored.createdAt.toISOString(),
    revision: budgetRevision(stored),
  };
}

function budgetRevision({ id, name, amountNanos, period, hard, alertPercents, alertTargets }: StoredBudget) {
  return revisionOf({ id, name, amountNanos, period, hard, alertPercents, alertTargets });
}

function inWords(stored: StoredBudget): object {
  const { amountNanos, period, hard, userName, keyName, model, alertPercents, alertTargets } = stored;
  return {
    amount: `${formatUsd(amountNanos)} USD per ${period}`,
    hard,
    user: userName,
    key: keyName,
    model,
    alerts: alertPercents,
    targets: alertTargets.map(targetInWords),
  };
}
