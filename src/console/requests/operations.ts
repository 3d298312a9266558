import type { AccountId } from "../../accounts/caller.ts";
import { formatUsd } from "../../base/money.ts";
import type { Receipt } from "../../billing/usage-log/receipts.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor } from "../input.ts";
import { csvLine } from "../linked-file.ts";
import { type Call, json, type Operation, text } from "../operation.ts";
import {
  type RequestDetail,
  type RequestFilter,
  type RequestRow,
  requestDetail,
  requestsExportQuery,
  requestsPage,
  requestsQuery,
} from "./contract.ts";
import { newestRequests } from "./newest-requests.ts";
import {
  findRequest,
  type LoggedRequest,
  type RequestDepths,
  readAttemptCosts,
  type Wanted,
} from "./request-rows-store.ts";

/** The usage log of an account: what happened, why it cost what it did, and how long it took. */
export function requestsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), show(deps), exportCsv(deps)];
}

const tag = "requests";

function list({ database }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/accounts/{account}/requests",
    policy: "viewer",
    tag,
    summary: "The account's requests, newest first, with filters",
    query: requestsQuery,
    response: requestsPage,
    async run(call) {
      const { limit, after, ...filter } = call.query;
      const wanted = { ...wantedOf(filter, call), after: decodeCursor(after) };
      const found = await newestRequests(database, wanted, limit + 1);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const more = found.length > limit && last !== undefined;
      return {
        data: shown.map((row) => rowOf(row, call)),
        next: more ? encodeCursor({ micros: last.micros, id: last.requestId }) : null,
      };
    },
  });
}

function show(deps: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/accounts/{account}/requests/{request}",
    policy: "viewer",
    tag,
    summary: "One request, by its id or its task's id: receipt, timing, losses, raw usage",
    response: requestDetail,
    async run(call) {
      const found = await readRecordedRequest(deps, call.account().id, call.params["request"] ?? "");
      if (found === undefined) {
        throw new GatewayError("not_found", "Request or task not found. It may have expired.");
      }
      const { receipt, row } = found;
      return {
        receipt,
        request: row === undefined ? null : rowOf(row, call),
        raw_usage: row?.raw ?? null,
        upstream_model: isOperator(call) ? (row?.upstreamModel ?? null) : null,
        place: isOperator(call) && row !== undefined ? placeOf(row) : null,
        cost: isOperator(call) && row !== undefined ? await readCost(deps, call.account().id, row) : null,
      };
    },
  });
}

/** Rows of one statement of an export: large enough to be quick, small enough to be held. */
const EXPORT_ROWS = 1_000;

function exportCsv({ database }: ConsoleDeps): Operation {
  return text({
    path: "/accounts/{account}/requests.csv",
    policy: "viewer",
    tag,
    summary: "The full list as a CSV file",
    query: requestsExportQuery,
    contentType: "text/csv; charset=utf-8",
    fileName: (call) => `requests-${call.account().id}.csv`,
    async *run(call) {
      let wanted = wantedOf(call.query, call);
      const columns = isOperator(call) ? COLUMNS : COLUMNS.filter(([name]) => name !== "upstream");
      yield csvLine(columns.map(([name]) => name));
      while (!call.gone.aborted) {
        const rows = await newestRequests(database, wanted, EXPORT_ROWS);
        yield rows.map((row) => csvLine(columns.map(([, read]) => read(rowOf(row, call))))).join("");
        const last = rows.at(-1);
        if (last === undefined || rows.length < EXPORT_ROWS) return;
        wanted = { ...wanted, after: { micros: last.micros, id: last.requestId } };
      }
    },
  });
}

const COLUMNS: readonly (readonly [string, (row: RequestRow) => string | number | boolean | null])[] = [
  ["recorded_at", (row) => row.recorded_at],
  ["accepted_at", (row) => row.accepted_at],
  ["request_id", (row) => row.request_id],
  ["key_id", (row) => row.key.id],
  ["key_name", (row) => row.key.name],
  ["model", (row) => row.model],
  ["endpoint", (row) => row.endpoint],
  ["streamed", (row) => row.streamed],
  ["status", (row) => row.status],
  ["reason", (row) => row.reason],
  ["error_code", (row) => row.error_code],
  ["estimated", (row) => row.estimated],
  ["input_tokens", (row) => row.input_tokens],
  ["cached_tokens", (row) => row.cached_tokens],
  ["output_tokens", (row) => row.output_tokens],
  ["images", (row) => row.images],
  ["video_seconds", (row) => row.video_seconds],
  ["charge_usd", (row) => formatUsd(BigInt(row.charge_nanos))],
  ["first_byte_ms", (row) => row.first_byte_ms],
  ["total_ms", (row) => row.total_ms],
  ["attempts", (row) => row.attempts],
  ["upstream", (row) => row.upstream],
  ["tags", (row) => row.tags.join(" ")],
];

type AnyCall = Call<unknown, unknown>;

const STATUSES = { "2xx": [200, 300], "4xx": [400, 500], "5xx": [500, 600], none: [0, 1] } as const;

function wantedOf(filter: RequestFilter, call: AnyCall): Wanted {
  if (filter.upstream !== undefined && !isOperator(call))
    throw new GatewayError("forbidden", "Only operators may filter by upstream.", { param: "upstream" });
  return {
    accountId: call.account().id as AccountId,
    from: filter.from === undefined ? undefined : new Date(filter.from),
    to: filter.to === undefined ? undefined : new Date(filter.to),
    keyId: filter.key === undefined ? undefined : BigInt(filter.key),
    user: filter.user === undefined || filter.user === "nobody" ? filter.user : BigInt(filter.user),
    model: filter.model,
    endpoint: filter.endpoint,
    upstream: filter.upstream,
    tag: filter.tag,
    failed: filter.outcome === undefined ? undefined : filter.outcome === "failed",
    status: filter.status && STATUSES[filter.status],
    reason: filter.reason,
    minCostNanos: filter.min_cost_nanos === undefined ? undefined : costOf(filter.min_cost_nanos),
    requestId: filter.request,
  };
}

function costOf(text: string): bigint {
  const nanos = BigInt(text);
  // Above it an amount is no int8, and below 0 there is none.
  if (nanos >= 0n && nanos < 2n ** 63n) return nanos;
  throw new GatewayError("invalid_request", "min_cost_nanos: must be an amount of 0 or more.", {
    param: "min_cost_nanos",
  });
}

function isOperator(call: AnyCall): boolean {
  return call.user().isOperator;
}

function placeOf({ credential, chosen }: RequestDepths): RequestDetail["place"] {
  return credential === null || chosen === null ? null : { credential, reason: chosen };
}

async function readCost(
  { database }: Pick<ConsoleDeps, "database">,
  accountId: bigint,
  row: RequestDepths,
): Promise<RequestDetail["cost"]> {
  if (row.costNanos === null) return null;
  const attempts = await readAttemptCosts(database, accountId as AccountId, row);
  return {
    cost_nanos: String(row.costNanos),
    margin_nanos: String(row.chargeNanos - row.costNanos),
    attempts: attempts.map(({ upstream, upstreamModel, credential, costNanos, statedNanos, used }) => ({
      upstream,
      upstream_model: upstreamModel,
      credential,
      cost_nanos: String(costNanos),
      stated_nanos: statedNanos === null ? null : String(statedNanos),
      used: used ?? "billed",
    })),
  };
}

function rowOf(row: LoggedRequest, call: AnyCall): RequestRow {
  const count = (value: bigint | null): number | null => (value === null ? null : Number(value));
  return {
    request_id: row.requestId,
    recorded_at: row.postedAt.toISOString(),
    accepted_at: row.acceptedAt.toISOString(),
    key: { id: String(row.keyId), name: row.keyName },
    model: row.model,
    endpoint: row.endpoint,
    streamed: row.streamed,
    status: row.status,
    reason: row.reason,
    failed: row.failed,
    error_code: row.errorCode,
    estimated: row.estimated,
    input_tokens: count(row.inputTokens),
    cached_tokens: row.cachedTokens,
    output_tokens: count(row.outputTokens),
    images: count(row.images),
    video_seconds: count(row.videoSeconds),
    charge_nanos: String(row.chargeNanos),
    first_byte_ms: row.firstByteMs,
    total_ms: row.totalMs,
    attempts: row.attempts,
    losses: row.losses,
    upstream: isOperator(call) ? row.upstream : null,
    tags: row.tags ?? [],
  };
}

/** A receipt, and its row of the log once it is posted. */
export interface RecordedRequest {
  readonly receipt: Receipt;
  readonly row: RequestDepths | undefined;
}

/** Returns an account's request by its id or its task's; undefined = the account has none with that id. */
export async function readRecordedRequest(
  { database, readReceipt }: Pick<ConsoleDeps, "database" | "readReceipt">,
  accountId: AccountId,
  id: string,
): Promise<RecordedRequest | undefined> {
  const receipt = /^[\w-]{1,100}$/.test(id) ? await readReceipt(accountId, id) : undefined;
  if (receipt === undefined) return undefined;
  // Until then there is none, or it was posted after the receipt was read, and the two would contradict each other.
  const row =
    receipt.state === "posted" ? await findRequest(database, accountId, receipt.request_id) : undefined;
  return { receipt, row };
}
