import { formatUsd } from "../../base/money.ts";
import { readBalance } from "../../billing/ledger/ledger-store.ts";
import type { Queryable } from "../../storage/database.ts";
import { pageQuery } from "../contract-parts.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf, wrongMark } from "../input.ts";
import { csvLine } from "../linked-file.ts";
import { json, type Operation, text } from "../operation.ts";
import {
  balance,
  entryRequests,
  exportQuery,
  type Statement,
  type StatementEntry,
  type StatementView,
  statement,
  statementQuery,
} from "./contract.ts";
import { changeOf, statementEntry } from "./entries.ts";
import { type EntryQuery, readEntries, readEntryRequests } from "./statement-store.ts";

interface StatementQuery extends Omit<EntryQuery, "before"> {
  readonly after?: string | undefined;
}

/**
 * A page of the statement. The balance after each entry is counted back from today's, and the mark of a page carries it
 * on to the next: entries of one ledger are numbered in the order in which they were made, so this is exact, as
 * long as no entry that changes the balance is left out.
 */
export async function readStatementPage(db: Queryable, query: StatementQuery): Promise<Statement> {
  const mark = query.after === undefined ? undefined : readMark(query.after);
  const page = await readEntries(db, { ...query, before: mark?.id ?? null, limit: query.limit + 1 });
  let balance = mark === undefined ? startOf(query, page.balanceNanos) : mark.balanceNanos;
  const data: StatementEntry[] = [];
  for (const entry of page.entries.slice(0, query.limit)) {
    data.push(statementEntry(entry, balance));
    if (balance !== null) balance -= changeOf(entry);
  }
  const last = data.at(-1);
  const isLast = page.entries.length <= query.limit || last === undefined;
  return { data, next: isLast ? null : writeMark(last.id, balance) };
}

const COMPLETE: ReadonlySet<StatementView> = new Set(["changes", "everything"]);

function startOf({ view, to }: StatementQuery, balanceNanos: bigint): bigint | null {
  return COMPLETE.has(view) && to === undefined ? balanceNanos : null;
}

function writeMark(id: string, balanceNanos: bigint | null): string {
  return Buffer.from(`${id} ${balanceNanos ?? ""}`).toString("base64url");
}

function readMark(after: string): { readonly id: bigint; readonly balanceNanos: bigint | null } {
  const text = Buffer.from(after, "base64url").toString();
  const [, id = "", balance = ""] = /^(\d{1,18}) (-?\d{0,19})$/.exec(text) ?? [];
  if (id === "") throw wrongMark();
  return { id: BigInt(id), balanceNanos: /\d/.test(balance) ? BigInt(balance) : null };
}

/** Rows read at once: some 500 KB in memory, whatever the length of the statement. */
const PAGE = 1_000;

/** The statement as CSV (RFC 4180), in dollars with every digit. */
export async function* statementCsv(
  db: Queryable,
  query: Omit<StatementQuery, "limit" | "after">,
): AsyncGenerator<string> {
  yield csvLine([
    ...["entry", "at", "kind", "amount_usd", "change_usd", "balance_after_usd"],
    ...["reference", "requests", "reason"],
  ]);
  let after: string | undefined;
  do {
    const { data, next } = await readStatementPage(db, { ...query, limit: PAGE, after });
    yield data.map((entry) => csvLine(cells(entry))).join("");
    after = next ?? undefined;
  } while (after !== undefined);
}

function cells(entry: StatementEntry): string[] {
  const usd = (nanos: string | null): string => (nanos === null ? "" : formatUsd(BigInt(nanos)));
  return [
    ...[entry.id, entry.at, entry.kind],
    ...[usd(entry.amount_nanos), usd(entry.change_nanos), usd(entry.balance_after_nanos)],
    `${entry.reference.type}:${entry.reference.id}`,
    ...[String(entry.requests ?? ""), entry.reason ?? ""],
  ];
}

/** An account's money: what it has, and every entry of its ledger in words. */
export function statementOperations(deps: ConsoleDeps): readonly Operation[] {
  const { database } = deps;
  return [
    json({
      method: "GET",
      path: "/accounts/{account}/balance",
      policy: "viewer",
      tag: "billing",
      summary: "Total and available balance of the account",
      response: balance,
      async run(call) {
        const { balanceNanos, availableNanos } = await readBalance(database, call.account().id);
        return {
          balance_nanos: String(balanceNanos),
          available_nanos: String(availableNanos),
          held_nanos: String(balanceNanos - availableNanos),
        };
      },
    }),
    json({
      method: "GET",
      path: "/accounts/{account}/statement",
      policy: "viewer",
      tag: "billing",
      summary: "The ledger's entries, newest first",
      query: statementQuery,
      response: statement,
      run: (call) => readStatementPage(database, { ...call.query, accountId: call.account().id }),
    }),
    json({
      method: "GET",
      path: "/accounts/{account}/statement/{entry}/requests",
      tag: "billing",
      policy: "viewer",
      summary: "Requests of an entry",
      query: pageQuery,
      response: entryRequests,
      async run(call) {
        const { after = null, limit } = call.query;
        const entryId = idOf(call.params["entry"], "Entry not found.");
        const query = { accountId: call.account().id, entryId, after, limit: limit + 1 };
        const rows = await readEntryRequests(database, query);
        const shown = rows.slice(0, limit);
        return {
          data: shown.map((row) => ({
            request_id: row.requestId,
            ended_at: row.endedAt.toISOString(),
            model: row.model,
            endpoint: row.endpoint,
            charge_nanos: String(row.chargeNanos),
          })),
          next: rows.length > limit ? (shown.at(-1)?.requestId ?? null) : null,
        };
      },
    }),
    text({
      path: "/accounts/{account}/statement.csv",
      policy: "viewer",
      tag: "billing",
      summary: "The ledger's entries as CSV, newest first",
      query: exportQuery,
      contentType: "text/csv; charset=utf-8",
      fileName: (call) => `statement-${call.account().id}.csv`,
      run: (call) => statementCsv(database, { ...call.query, accountId: call.account().id }),
    }),
  ];
}
