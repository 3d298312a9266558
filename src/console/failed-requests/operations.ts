import type { z } from "zod";
import type { AccountId } from "../../accounts/caller.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import {
  errorsQuery,
  errorsReport,
  type FailedRequestRow,
  type FailedRequestsQuery,
  failedRequestsPage,
  failedRequestsQuery,
  unknownKeysQuery,
  unknownKeysReport,
} from "./contract.ts";
import {
  type AccountFailure,
  countByAccount,
  countByCode,
  groupErrors,
  readAccountFailures,
  readUnknownKeys,
  type Span,
  type WantedFailures,
} from "./failed-requests-store.ts";

const tag = "requests";

/** Why requests failed: an account's own, and how many over all accounts. */
export function failedRequestsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), errors(deps), unknownKeys(deps)];
}

function list({ database }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/accounts/{account}/failed-requests",
    policy: "viewer",
    tag,
    summary: "The account's refused and failed requests, newest first, with what the caller was told",
    query: failedRequestsQuery,
    response: failedRequestsPage,
    async run(call) {
      const { limit } = call.query;
      const wanted = wantedOf(call.query, call.account().id as AccountId);
      const found = await readAccountFailures(database, wanted, limit + 1);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const more = found.length > limit && last !== undefined;
      return {
        data: shown.map(rowOf),
        next: more ? encodeCursor({ micros: last.micros, id: last.requestId }) : null,
      };
    },
  });
}

function wantedOf(query: FailedRequestsQuery, accountId: AccountId): WantedFailures {
  const { from, to, key, model, status, error_code: code, refused, request, after } = query;
  return {
    accountId,
    keyId: key === undefined ? undefined : BigInt(key),
    model,
    status,
    code,
    isRefused: refused === undefined ? undefined : refused === "true",
    requestId: request,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
    after: decodeCursor(after),
  };
}

function rowOf(row: AccountFailure): FailedRequestRow {
  return {
    request_id: row.requestId,
    recorded_at: row.postedAt.toISOString(),
    accepted_at: row.acceptedAt.toISOString(),
    key: { id: String(row.keyId), name: row.keyName },
    endpoint: row.endpoint,
    model: row.model,
    status: row.status,
    error_code: row.code,
    message: row.message,
    limit: row.limit,
    refused: row.isRefused,
    total_ms: row.totalMs,
  };
}

/** More rows than these nobody reads on a page. */
const MOST_GROUPS = 200;
const MOST_ACCOUNTS = 20;

function errors({ database, clock }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/operator/errors",
    policy: "operator",
    tag,
    summary: "Errors by code, account and the vendor's words, with exact counts and the first and last time",
    query: errorsQuery,
    response: errorsReport,
    async run({ query }) {
      const span = spanOf(query, clock.nowMs());
      const [counts, accounts, groups] = await Promise.all([
        countByCode(database, span, query.code),
        countByAccount(database, span, query.code, MOST_ACCOUNTS),
        groupErrors(database, span, query.code, MOST_GROUPS),
      ]);
      return {
        counts: counts.map(({ code, requests }) => ({ code, requests: Number(requests) })),
        accounts: accounts.map(({ accountId, accountName, requests }) => ({
          account: { id: String(accountId), name: accountName },
          requests: Number(requests),
        })),
        data: groups.map((group) => ({
          code: group.code,
          upstream: group.upstream === "" ? null : group.upstream,
          vendor_message: group.vendorMessage,
          requests: Number(group.requests),
          first_at: group.firstAt.toISOString(),
          last_at: group.lastAt.toISOString(),
          last_request_id: group.lastRequestId,
        })),
      };
    },
  });
}

function unknownKeys({ database, clock }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/operator/unknown-keys",
    policy: "operator",
    tag,
    summary: "Requests with unknown keys, by address and the key's first characters",
    query: unknownKeysQuery,
    response: unknownKeysReport,
    async run({ query }) {
      const rows = await readUnknownKeys(database, spanOf(query, clock.nowMs()), MOST_GROUPS);
      return {
        data: rows.map(({ address, prefix, requests, firstAt, lastAt }) => ({
          address,
          prefix,
          requests: Number(requests),
          first_at: firstAt.toISOString(),
          last_at: lastAt.toISOString(),
        })),
      };
    },
  });
}

const DAY_MS = 86_400_000;

function spanOf({ from, to }: z.output<typeof unknownKeysQuery>, nowMs: number): Span {
  return {
    from: new Date(from ?? nowMs - DAY_MS),
    // Rows that are written during the query are included.
    to: new Date(to ?? nowMs + DAY_MS),
  };
}
