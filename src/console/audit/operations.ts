import type { z } from "zod";
import type { AccountId } from "../../accounts/caller.ts";
import { type AuditRow as Row, readAudit } from "../../users/audit-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor, idOfMark } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { type AuditPage, type AuditRow, accountAuditQuery, auditPage, auditQuery } from "./contract.ts";

/** Who changed what: of everything for operators, of their account for its owners. */
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
      run: ({ query }) =>
        pageOf(deps, query, query.account === undefined ? undefined : (BigInt(query.account) as AccountId)),
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
  ];
}

async function pageOf(
  { database }: ConsoleDeps,
  query: z.infer<typeof accountAuditQuery>,
  accountId: AccountId | undefined,
): Promise<AuditPage> {
  const { actor, action, from, until, limit } = query;
  const place = decodeCursor(query.after);
  const after = place && { micros: place.micros, id: idOfMark(place.id) };
  const filter = { accountId, actor, action, from: momentOf(from), until: momentOf(until) };
  const rows = await readAudit(database, filter, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    data: page.map(auditRowOf),
    next: more ? encodeCursor({ micros: last.micros, id: String(last.id) }) : null,
  };
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
