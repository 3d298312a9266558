import { readBalance } from "../../billing/ledger/ledger-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf } from "../ids.ts";
import { json, type Operation, text } from "../operation.ts";
import { pageQuery } from "../page.ts";
import { balance, entryRequests, exportQuery, statement, statementQuery } from "./contract.ts";
import { statementCsv } from "./csv.ts";
import { readStatementPage } from "./pages.ts";
import { readEntryRequests } from "./statement-store.ts";

/** An account's money: what it has, and every entry of its ledger in words. */
export function statementOperations(deps: ConsoleDeps): readonly Operation[] {
  const { database } = deps;
  return [
    json({
      ...{ method: "GET", path: "/accounts/{account}/balance", policy: "viewer", tag: "billing" },
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
      ...{ method: "GET", path: "/accounts/{account}/statement", policy: "viewer", tag: "billing" },
      summary: "The ledger's entries, newest first",
      query: statementQuery,
      response: statement,
      run: (call) => readStatementPage(database, { ...call.query, accountId: call.account().id }),
    }),
    json({
      ...{ method: "GET", path: "/accounts/{account}/statement/{entry}/requests", tag: "billing" },
      policy: "viewer",
      summary: "Requests of an entry",
      query: pageQuery,
      response: entryRequests,
      async run(call) {
        const { after = null, limit } = call.query;
        const entryId = idOf(call.params["entry"], "Entry not found.");
        const wish = { accountId: call.account().id, entryId, after, limit: limit + 1 };
        const rows = await readEntryRequests(database, wish);
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
      ...{ path: "/accounts/{account}/statement.csv", policy: "viewer", tag: "billing" },
      summary: "The ledger's entries as CSV, newest first",
      query: exportQuery,
      contentType: "text/csv; charset=utf-8",
      fileName: (call) => `statement-${call.account().id}.csv`,
      run: (call) => statementCsv(database, { ...call.query, accountId: call.account().id }),
    }),
  ];
}
