import { formatUsd } from "../../base/money.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import {
  type OperatorRequest,
  type OperatorRequestsQuery,
  operatorRequestDetail,
  operatorRequestsPage,
  operatorRequestsQuery,
} from "./operator-contract.ts";
import { type RequestOfAll, readRequestsOfAll, type WantedOfAll } from "./operator-requests-store.ts";

const described = { method: "GET", policy: "operator", tag: "requests" } as const;

/** The requests of all accounts, refused ones included. */
export function operatorRequestsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), show(deps)];
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

function wantedOf(query: OperatorRequestsQuery): WantedOfAll {
  const {
    id,
    account,
    key,
    user,
    model,
    upstream,
    tag,
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
    tag,
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
    tags: row.tags ?? [],
  };
}
