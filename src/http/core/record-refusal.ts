import { cutMessage } from "../../billing/failed-requests/failed-request.ts";
import type { FailedRequests } from "../../billing/failed-requests/failed-requests.ts";
import { GatewayError } from "../../errors.ts";
import type { HttpDeps } from "../deps.ts";
import { addressOf } from "./caller-address.ts";
import { firstCredential, RefusedKeyError } from "./credentials.ts";
import type { IncomingCall } from "./endpoint.ts";
import { knownError, stateError } from "./error-response.ts";
import type { RefusedCall } from "./log-failure.ts";

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
  const { ended, model, endpoint, startedMs } = about;
  if (ended !== undefined) return;
  const caller = error instanceof RefusedKeyError ? error.caller : about.caller;
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

function countUnknownKey(deps: RefusalDeps, { raw, id }: IncomingCall, error: unknown): void {
  if (!(error instanceof GatewayError) || error.reason !== "invalid_api_key") return;
  const address = addressOf(raw, deps.catalog.current().settings.trustedProxies);
  deps.failedRequests.recordUnknownKey(address, firstCredential(raw) ?? "", id);
}
