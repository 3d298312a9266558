import { cutMessage, type FailedRequests } from "../../billing/failed-requests/failed-requests.ts";
import { GatewayError } from "../../errors.ts";
import type { HttpDeps } from "../deps.ts";
import { addressOf } from "./caller-address.ts";
import { firstCredential } from "./credentials.ts";
import type { IncomingCall } from "./endpoint.ts";
import { knownError, stateError } from "./error-response.ts";
import type { RefusedCall } from "./log-failure.ts";

/** Told of each request that is refused. */
export type RecordRefusal = (request: IncomingCall, about: RefusedCall, error: unknown) => void;

/** What answers a request; a server without callers logs no refusals. */
export type ServeDeps = Pick<HttpDeps, "log" | "errorType"> & Partial<Pick<HttpDeps, "recordRefusal">>;

export interface RefusalDeps extends Pick<HttpDeps, "errorType" | "clock" | "catalog"> {
  readonly failedRequests: FailedRequests;
}

/**
 * Puts a refused request into the request log, or counts it where nobody knows its key. What the relay has let in it logs
 * itself, with its attempts. Never throws.
 */
export function recordRefusal(
  deps: RefusalDeps,
  request: IncomingCall,
  about: RefusedCall,
  error: unknown,
): void {
  const { caller, ended, model, endpoint, startedMs } = about;
  if (ended !== undefined) return;
  if (caller === undefined) {
    countUnknownKey(deps, request, error);
    return;
  }
  const { status, message, code } = stateError(error, deps.errorType);
  deps.failedRequests.record({
    requestId: request.id,
    acceptedMs: deps.clock.nowMs(),
    accountId: caller.accountId,
    keyId: caller.keyId,
    endpoint: endpoint ?? request.route,
    model: model ?? null,
    status,
    // Some errors have no code for callers.
    code: code || knownError(error).reason,
    message: cutMessage(message),
    limit: error instanceof GatewayError ? (error.limit ?? null) : null,
    upstream: null,
    totalMs: startedMs === undefined ? 0 : deps.clock.monotonicMs() - startedMs,
    isInUsageLog: false,
    attempts: [],
  });
}

function countUnknownKey(deps: RefusalDeps, { raw }: IncomingCall, error: unknown): void {
  if (!(error instanceof GatewayError) || !KEY_REFUSALS.has(error.reason)) return;
  const address = addressOf(raw, deps.catalog.current().settings.trustedProxies);
  deps.failedRequests.unknownKey(address, firstCredential(raw) ?? "");
}

/** A key that has ended is known to nobody either. */
const KEY_REFUSALS: ReadonlySet<string> = new Set([
  "invalid_api_key",
  "revoked_api_key",
  "rotated_api_key",
  "expired_api_key",
  "disabled_api_key",
  "account_suspended",
]);
