import type { AccountId } from "../../accounts/caller.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import { constraintOf } from "../../storage/failures.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf, notFound, wrongMark } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import {
  type AccountTerms,
  insertAccount,
  lockAccount,
  readAccountDetail,
  readAccountRows,
  type StoredRow,
  updateAccount,
} from "./account-rows-store.ts";
import { adjust } from "./adjust.ts";
import {
  type AccountDetail,
  type AccountRow,
  accountChange,
  accountDetail,
  accountsPage,
  accountsQuery,
  newAccount,
} from "./contract.ts";

/** Every account, for operators. */
export function accountsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), create(deps), show(deps), change(deps), adjust(deps)];
}

const described = { policy: "operator", tag: "accounts" } as const;
const ACCOUNT = "/operator/accounts/{account}";

function list({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: "/operator/accounts",
    summary: "Accounts by name, with balance and this month's spending",
    query: accountsQuery,
    response: accountsPage,
    async run({ query: { disabled, limit, after, ...filter } }) {
      const rows = await readAccountRows(database, {
        ...filter,
        disabled: disabled === undefined ? undefined : disabled === "true",
        after: after === undefined ? undefined : nameOfMark(after),
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const hasMore = rows.length > limit && last !== undefined;
      return {
        data: shown.map(rowResponse),
        next: hasMore ? markOf(last.name) : null,
      };
    },
  });
}

/** The place of an account in the list by name, as the opaque word that the list gives as `next`. */
function markOf(name: string): string {
  return Buffer.from(name).toString("base64url");
}

/** Throws 400 on what is no name's. */
function nameOfMark(mark: string): string {
  const name = Buffer.from(mark, "base64url").toString();
  if (markOf(name) !== mark || name.includes("\0")) throw wrongMark();
  return name;
}

function create({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/accounts",
    makes: true,
    summary: "Create an account",
    body: newAccount,
    response: accountDetail,
    async run(call) {
      const { name, group } = call.body;
      const id = await database
        .transaction(async (tx) => {
          const made = await insertAccount(tx, { name, group });
          await call.audit(tx, {
            action: "account.create",
            subject: name,
            accountId: made,
            after: { group },
          });
          return made;
        })
        .catch(inWords);
      return await detailOf(database, id);
    },
  });
}

function show({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: ACCOUNT,
    summary: "An account",
    response: accountDetail,
    run: ({ params }) => detailOf(database, accountIdOf(params)),
  });
}

function change({ database, authenticator }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "PATCH",
    path: ACCOUNT,
    summary: "Move an account to another group, suspend or reactivate it, or set the keys of its tags",
    body: accountChange,
    response: accountDetail,
    async run(call) {
      const id = accountIdOf(call.params);
      await database
        .transaction(async (tx) => {
          const account = await lockAccount(tx, id);
          if (account === undefined) throw notFound("account");
          const { name, ...before } = account;
          const {
            group = before.group,
            disabled = before.disabled,
            tag_keys: tagKeys = before.tagKeys,
          } = call.body;
          await updateAccount(tx, id, { group, disabled, tagKeys });
          const note = { action: "account.update", subject: name, accountId: id };
          await call.audit(tx, {
            ...note,
            before: shownTerms(before),
            after: shownTerms({ group, disabled, tagKeys }),
          });
        })
        .catch(inWords)
        // The cache is cleared even after a failure: a commit whose response was lost may have changed the account.
        .finally(() => authenticator.forget({ accountId: id }));
      return detailOf(database, id);
    },
  });
}

/** As the audit log shows them. */
function shownTerms({ group, disabled, tagKeys }: AccountTerms): object {
  return { group, disabled, tag_keys: tagKeys };
}

/** Turns a refusal of the database into the caller's mistake. */
function inWords(error: unknown): never {
  const constraint = constraintOf(error);
  if (constraint === "accounts_name_unique") {
    throw new GatewayError("conflict", "An account with this name already exists.", { param: "name" });
  }
  if (constraint === "accounts_group_exists") {
    throw new GatewayError("invalid_request", "Group not found.", { param: "group" });
  }
  throw error;
}

function accountIdOf(params: Readonly<Record<string, string>>): AccountId {
  return idOf(params["account"], "Account not found.") as AccountId;
}

async function detailOf(db: Queryable, id: AccountId): Promise<AccountDetail> {
  const found = await readAccountDetail(db, id);
  if (found === undefined) throw notFound("account");
  const { keys, members, requestsLastHour, tagKeys } = found;
  return { ...rowResponse(found), keys, members, requests_last_hour: requestsLastHour, tag_keys: tagKeys };
}

function rowResponse({ id, name, group, disabled, ...row }: StoredRow): AccountRow {
  return {
    id: String(id),
    name,
    group,
    disabled,
    created_at: row.createdAt.toISOString(),
    balance_nanos: String(row.balanceNanos),
    available_nanos: String(row.availableNanos),
    spent_this_month_nanos: String(row.spentThisMonthNanos),
  };
}
