import { cutMessage, type FailedAttempt } from "../../billing/failed-requests/failed-request.ts";
import type { FailedRequests } from "../../billing/failed-requests/failed-requests.ts";
import { GatewayError, UpstreamRejection } from "../../errors.ts";
import type { UpstreamError } from "../../protocols/errors/upstream-error-policy.ts";
import type { Candidate } from "../../upstreams/call.ts";
import type { Scrubber } from "../../upstreams/scrub/scrubber.ts";
import type { RawHeaders } from "../../upstreams/transport/raw-headers.ts";
import { vendorRequestId } from "../../upstreams/vendor-request-id.ts";
import type { Exchange } from "../exchange.ts";
import { stopped } from "../failures.ts";

/** Data of an attempt for the log; read only if it fails. */
export interface AttemptRecord {
  readonly beganMs: number;
  headMs: number | undefined;
  status: number | undefined;
  headers: RawHeaders | undefined;
  /** The vendor's error, scrubbed. */
  error: UpstreamError | undefined;
}

export interface AttemptEnd {
  /** undefined = no connection took it. */
  readonly sentMs: number | undefined;
  /** undefined = it succeeded. */
  readonly failure: Error | undefined;
  /** Takes secrets out of what failures say. */
  readonly scrubber: () => Scrubber;
}

/** Records an attempt that is over for operators, if it failed or followed one that did. */
export function recordFailedAttempt(
  exchange: Pick<Exchange, "clock" | "request" | "notes" | "outcome">,
  candidate: Candidate,
  record: AttemptRecord,
  { sentMs, failure = cutOf(exchange), scrubber }: AttemptEnd,
): void {
  const { attempts } = exchange.notes;
  if (failure === undefined && attempts.length === 0) return;
  attempts.push(loggedAttempt(exchange, candidate, record, { sentMs, failure, scrubber }));
}

/** A response that a shutdown cut has failed, although nothing was the matter with it. */
function cutOf({ outcome }: Pick<Exchange, "outcome">): Error | undefined {
  return outcome?.reason === "drained" ? stopped().error : undefined;
}

function loggedAttempt(
  { clock, request }: Pick<Exchange, "clock" | "request">,
  { upstream, model, credential }: Candidate,
  { beganMs, headMs, status, headers, error }: AttemptRecord,
  { sentMs, failure, scrubber: scrubberOf }: AttemptEnd,
): FailedAttempt {
  const scrubber = scrubberOf();
  const since = (ms: number): number => Math.round(ms - request.startedMs);
  // A failure without a vendor's error has its cause, which the caller did not see.
  const cause = failure?.cause instanceof Error ? failure.cause : failure;
  const message = error?.message ?? (cause === undefined ? "" : scrubber.text(cause.message));
  const vendorId = headers === undefined ? null : vendorRequestId(headers);
  return {
    upstream: upstream.name,
    upstream_model: model,
    credential: credential.name,
    status: status ?? null,
    type: cutMessage(error?.type ?? ""),
    code: cutMessage(error?.code ?? ""),
    message: cutMessage(message),
    vendor_request_id: vendorId === null ? null : scrubber.text(vendorId),
    began_ms: since(beganMs),
    connected_ms: sentMs === undefined ? null : since(sentMs),
    first_byte_ms: headMs === undefined ? null : since(headMs),
    ended_ms: since(clock.monotonicMs()),
  };
}

/** Logs a request that was let in and failed, or that needed several attempts. */
export function logFailedRequest(log: Pick<FailedRequests, "record">, exchange: Exchange): void {
  const { request, outcome, acceptedMs } = exchange;
  const { attempts, refusal } = exchange.notes;
  if (outcome === undefined) return;
  const { status, errorCode, totalMs, upstream } = outcome;
  if (attempts.length === 0 && status < 400 && errorCode === undefined) return;
  log.record({
    requestId: request.id,
    acceptedMs,
    accountId: request.caller.accountId,
    keyId: request.caller.keyId,
    endpoint: request.protocol.name,
    model: request.model,
    status,
    code: errorCode ?? "",
    message: cutMessage(messageOf(refusal)),
    limit: refusal instanceof GatewayError ? (refusal.limit ?? null) : null,
    upstream,
    totalMs,
    isInUsageLog: true,
    attempts,
  });
}

function messageOf(refusal: unknown): string {
  if (refusal instanceof UpstreamRejection) return refusal.statement.message;
  return refusal instanceof GatewayError ? refusal.message : "";
}
