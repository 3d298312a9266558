import type { z } from "zod";
import { formatUsd } from "../../base/money.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import {
  type OperatorRequest,
  type OperatorRequestsQuery,
  operatorErrors,
  operatorErrorsQuery,
  operatorRequestDetail,
  operatorRequestsPage,
  operatorRequestsQuery,
  unknownKeys,
  unknownKeysQuery,
} from "./operator-contract.ts";
import {
  countErrors,
  groupErrors,
  type RequestOfAll,
  readRequestsOfAll,
  readUnknownKeys,
  type Span,
  type WantedOfAll,
} from "./operator-requests-store.ts";

const described = { method: "GET", policy: "operator", tag: "requests" } as const;

/** Who is having trouble, over all accounts. */
export function operatorRequestsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), show(deps), errors(deps), unknown(deps)];
}

function list({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/requests",
    summary: "Requests of all accounts, refused ones included, newest first, with filters",
    query: operatorRequestsQuery,
    response: operatorRequestsPage,
    async run({ query }) {
      const found = await readRequestsOfAll(database, wantedOf(query), query.limit + 1);
      const shown = found.slice(0, query.limit);
      const last = shown.at(-1);
      const more = found.length > query.limit && last !== undefined;
      return {
        data: shown.map(rowOf),
        next: more ? encodeCursor({ micros: last.micros, id: last.requestId }) : null,
      };
    },
  });
}

function show({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/requests/{request}",
    summary: "One request, by its id or the vendor's own, with what each attempt met",
    response: operatorRequestDetail,
    async run({ params }) {
      const [found] = await readRequestsOfAll(database, { id: params["request"] ?? "" }, 1);
      if (found === undefined) throw new GatewayError("not_found", "Request not found. It may have expired.");
      return { request: rowOf(found), attempts: [...(found.attemptLog ?? [])] };
    },
  });
}

/** More groups than these nobody reads on a page. */
const MOST_GROUPS = 200;

function errors({ database, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/errors",
    summary: "Errors by code and the vendor's words, with counts and the first and last time",
    query: operatorErrorsQuery,
    response: operatorErrors,
    async run({ query }) {
      const span = spanOf(query, clock.nowMs());
      const counts = await countErrors(database, span, query.code);
      const groups = await groupErrors(database, span, query.code, MOST_GROUPS);
      return {
        counts: counts.map(({ code, requests }) => ({ code, requests: Number(requests) })),
        data: groups.map((group) => ({
          code: group.code,
          vendor_message: group.vendorMessage,
          upstream: group.upstream,
          requests: Number(group.requests),
          accounts: Number(group.accounts),
          first_at: group.firstAt.toISOString(),
          last_at: group.lastAt.toISOString(),
          last_request_id: group.lastRequestId,
        })),
      };
    },
  });
}

function unknown({ database, clock }: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/unknown-keys",
    summary: "Requests with unknown keys, by address and the key's first characters",
    query: unknownKeysQuery,
    response: unknownKeys,
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
  // What is posted while it is asked belongs to it.
  const last = to === undefined ? new Date(nowMs + DAY_MS) : new Date(to);
  return { from: from === undefined ? new Date(nowMs - DAY_MS) : new Date(from), to: last };
}

function wantedOf(query: OperatorRequestsQuery): WantedOfAll {
  const {
    id,
    account,
    key,
    user,
    model,
    upstream,
    status,
    error_code: code,
    outcome,
    from,
    to,
    after,
  } = query;
  return {
    id,
    accountId: idOf(account),
    keyId: idOf(key),
    userId: idOf(user),
    model,
    upstream,
    status,
    code,
    outcome,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
    after: decodeCursor(after),
  };
}

function idOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text);
}

function rowOf(row: RequestOfAll): OperatorRequest {
  return {
    request_id: row.requestId,
    recorded_at: row.postedAt.toISOString(),
    accepted_at: row.acceptedAt.toISOString(),
    account: { id: String(row.accountId), name: row.accountName },
    key: { id: String(row.keyId), name: row.keyName },
    endpoint: row.endpoint,
    model: row.model,
    status: row.status,
    error_code: row.code,
    message: row.message,
    limit: row.limit,
    refused: row.isRefused,
    upstream: row.upstream,
    attempts: row.attempts,
    total_ms: row.totalMs,
    charge_nanos: String(row.chargeNanos),
    charge_usd: formatUsd(row.chargeNanos),
  };
}
