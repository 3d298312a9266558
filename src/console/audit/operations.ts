import type { z } from "zod";
import type { AccountId } from "../../accounts/caller.ts";
import { type AuditFilter, type AuditRow as Row, readAudit } from "../../users/audit-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor, idOfMark } from "../input.ts";
import { csvLine } from "../linked-file.ts";
import { type Call, json, type Operation, text } from "../operation.ts";
import {
  type AccountAuditExport,
  type AuditPage,
  type AuditRow,
  accountAuditExport,
  accountAuditQuery,
  auditExport,
  auditPage,
  auditQuery,
} from "./contract.ts";

/** The log of changes: of everything for operators, of their account for its owners. */
export function auditOperations(deps: ConsoleDeps): readonly Operation[] {
  const tag = "audit";
  return [
    json({
      method: "GET",
      path: "/operator/audit",
      policy: "operator",
      tag,
      summary: "Audit log, newest first",
      query: auditQuery,
      response: auditPage,
      run: ({ query }) => pageOf(deps, query, idOfQuery(query.account)),
    }),
    text({
      path: "/operator/audit.csv",
      policy: "operator",
      tag,
      summary: "Audit log as CSV, newest first",
      query: auditExport,
      contentType: "text/csv; charset=utf-8",
      fileName: () => "audit.csv",
      run: (call) => csvOf(deps, call, idOfQuery(call.query.account)),
    }),
    json({
      method: "GET",
      path: "/accounts/{account}/audit",
      policy: "owner",
      tag,
      summary: "Audit log of the account, newest first",
      query: accountAuditQuery,
      response: auditPage,
      run: ({ query, account }) => pageOf(deps, query, account().id),
    }),
    text({
      path: "/accounts/{account}/audit.csv",
      policy: "owner",
      tag,
      summary: "Audit log of the account as CSV, newest first",
      query: accountAuditExport,
      contentType: "text/csv; charset=utf-8",
      fileName: (call) => `audit-${call.account().id}.csv`,
      run: (call) => csvOf(deps, call, call.account().id),
    }),
  ];
}

async function pageOf(
  { database }: ConsoleDeps,
  query: z.infer<typeof accountAuditQuery>,
  accountId: AccountId | undefined,
): Promise<AuditPage> {
  const { limit } = query;
  const place = decodeCursor(query.after);
  const after = place && { micros: place.micros, id: idOfMark(place.id) };
  const rows = await readAudit(database, filterOf(query, accountId), { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    data: page.map(auditRowOf),
    next: more ? encodeCursor({ micros: last.micros, id: String(last.id) }) : null,
  };
}

/** So many entries are held at a time. */
const CSV_ROWS = 500;

/** Every entry that is found, piece by piece, by the marks that pages have. */
async function* csvOf(
  { database }: ConsoleDeps,
  { query, gone }: Pick<Call<AccountAuditExport, undefined>, "query" | "gone">,
  accountId: AccountId | undefined,
): AsyncGenerator<string> {
  const filter = filterOf(query, accountId);
  yield csvLine(COLUMNS.map(([name]) => name));
  let last: Row | undefined;
  do {
    const after: Pick<Row, "micros" | "id"> | undefined = last;
    const rows = await readAudit(database, filter, { after, limit: CSV_ROWS });
    yield rows.map((row) => csvLine(COLUMNS.map(([, cellOf]) => cellOf(row)))).join("");
    last = rows.length < CSV_ROWS ? undefined : rows.at(-1);
  } while (last !== undefined && !gone.aborted);
}

const COLUMNS: readonly (readonly [name: string, cellOf: (row: Row) => string | boolean | null])[] = [
  ["at", ({ at }) => at.toISOString()],
  ["actor", ({ actor }) => actor],
  ["by_token", ({ byToken }) => byToken],
  ["action", ({ action }) => action],
  ["subject", ({ subject }) => subject],
  ["account", ({ accountName }) => accountName],
  ["before", ({ before }) => jsonOf(before)],
  ["after", ({ after }) => jsonOf(after)],
  ["request_id", ({ requestId }) => requestId],
  ["address", ({ address }) => address],
];

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function filterOf(
  { actor, action, from, until }: AccountAuditExport,
  accountId: AccountId | undefined,
): AuditFilter {
  return { accountId, actor, action, from: momentOf(from), until: momentOf(until) };
}

function idOfQuery(account: string | undefined): AccountId | undefined {
  return account === undefined ? undefined : (BigInt(account) as AccountId);
}

function momentOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

function auditRowOf(row: Row): AuditRow {
  const { accountId, accountName } = row;
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    actor: row.actor,
    by_token: row.byToken,
    action: row.action,
    subject: row.subject,
    account: accountId === null ? null : { id: String(accountId), name: accountName ?? "" },
    before: row.before,
    after: row.after,
    request_id: row.requestId,
    address: row.address,
  };
}
