import type { ChargeReason } from "../billing/billing.ts";
import type { FallbackReason } from "../catalog/catalog.ts";
import { NotAnImage } from "../conversation/media.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import {
  BUSY_RETRY_SECONDS,
  type ErrorReason,
  type ErrorStatement,
  GatewayError,
  type UpstreamRejection,
} from "../errors.ts";
import { toClientError, type UpstreamError } from "../protocols/errors/upstream-error-policy.ts";
import type { ResponseSummary } from "../protocols/protocol.ts";
import { OversizedResponse } from "../protocols/streams/stream-frames.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import type { AttemptOutcome } from "../routing/health/outcome.ts";
import type { UpstreamFailure } from "../upstreams/call.ts";
import type { Scrubber } from "../upstreams/scrub/scrubber.ts";

/** The failure of an attempt before anything was sent to the caller. */
export interface AttemptFailure {
  /** Another candidate may answer in its place; a caller's own mistake would only fail there again. */
  readonly retryable: boolean;
  /** The error for the caller if no other candidate responds. */
  readonly error: GatewayError | UpstreamRejection;
  /** The outcome that routing records for the candidate. */
  readonly health: AttemptOutcome;
  readonly timedOut: boolean;
  /** The upstream has no such call: the same may be asked of it in an ordinary request. */
  readonly lacksCall?: true;
  /** The request itself failed at this model, and may not at another. */
  readonly ofModel?: "context_length" | "refusal" | undefined;
}

/** The reason of a failure in the words of fallback models; undefined = another model would not help. */
export function fallbackReasonOf({
  retryable,
  error,
  health,
  ofModel,
}: AttemptFailure): FallbackReason | undefined {
  if (ofModel !== undefined) return ofModel;
  if (!retryable || (error instanceof GatewayError && OURS.has(error.reason))) return undefined;
  return health.kind === "rate-limited" ? "rate_limited" : "unavailable";
}

/** Errors of the gateway itself, or of a request that could not be sent. */
const OURS: ReadonlySet<ErrorReason> = new Set(["invalid_request", "service_unavailable", "internal_error"]);

/** The model has declined to answer, and has said nothing. */
export function isRefusal({ declined, hasOutput }: Pick<ResponseSummary, "declined" | "hasOutput">): boolean {
  return declined && !hasOutput;
}

/** The model has declined to answer, without a word; a fallback may answer. */
export function refusedResponse(upstream: string): AttemptFailure {
  return {
    retryable: false,
    timedOut: false,
    health: { kind: "ok" },
    ofModel: "refusal",
    error: new GatewayError(
      "upstream_error",
      "The model declined to answer, and no fallback model could answer in its place.",
      { cause: new Error(`The upstream ${upstream} returned a refusal.`) },
    ),
  };
}

type FailureWithError = AttemptFailure & { readonly error: GatewayError };

/** The upstream could not be reached, went silent or broke off. */
export function failureOfTransport(failure: UpstreamFailure): FailureWithError {
  const timedOut = failure.kind === "timeout";
  // The upstream and the cause are for the operator's log; the caller sees neither.
  const cause = new Error(failure.message);
  if (timedOut && failure.phase !== "connect") {
    return {
      // The caller has waited the longest wait already, and the work may be under way: no second candidate.
      retryable: false,
      timedOut,
      health: { kind: "failed" },
      error: new GatewayError(
        "upstream_timeout",
        "The upstream didn't respond in time. Try again, or stream the response.",
        { cause },
      ),
    };
  }
  if (failure.kind === "busy") {
    return {
      retryable: true,
      timedOut,
      // A full upstream is healthy.
      health: { kind: "neutral" },
      error: new GatewayError(
        "no_available_upstream",
        "The upstream is at capacity. Try again shortly, or request fewer choices.",
        { cause, retryAfterSeconds: BUSY_RETRY_SECONDS, limit: "upstream_limits" },
      ),
    };
  }
  return {
    retryable: true,
    timedOut,
    health: healthOfTransport(failure),
    error: new GatewayError(
      "upstream_error",
      "The upstream could not be reached, or closed the connection mid-response. Try again.",
      { cause },
    ),
  };
}

function healthOfTransport({ kind, phase }: UpstreamFailure): AttemptOutcome {
  // An attempt that the gateway itself aborted says nothing about the upstream.
  if (kind === "aborted") return { kind: "neutral" };
  // A request that could not be written is its caller's or the operator's matter, however many come in a row.
  return { kind: phase === "connect" && kind !== "protocol" ? "unreachable" : "failed" };
}

/** The upstream answered with an error, as a status or as a stream's first event; `error` as it may be told. */
export function failureOfError(error: UpstreamError, client: ProtocolName, upstream: string): AttemptFailure {
  return {
    retryable: error.fault !== "caller",
    timedOut: false,
    error: toClientError(error, PROTOCOLS[client].endpoint, causeOf(error, upstream)),
    health: healthOf(error),
    ofModel: error.fault === "caller" ? OF_MODEL[error.code] : undefined,
  };
}

/** Keyed by error code: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter */
const OF_MODEL: Readonly<Record<string, AttemptFailure["ofModel"]>> = {
  context_length_exceeded: "context_length",
  content_filter: "refusal",
  content_policy_violation: "refusal",
};

/** An upstream's error without what is the operator's own: the only form in which anyone reads it. */
export function scrubbedError(error: UpstreamError, scrubber: Scrubber): UpstreamError {
  const { type, code, param, message, details } = error;
  const scrubbed = {
    type: scrubber.text(type),
    code: scrubber.text(code),
    param: scrubber.text(param),
    message: scrubber.text(message),
  };
  return details === undefined
    ? { ...error, ...scrubbed }
    : { ...error, ...scrubbed, details: scrubber.value(details) };
}

/**
 * Describes the upstream's failure for the operator's log. It quotes the upstream's message unless the caller is at fault: the
 * caller reads that message, and it often repeats the caller's own words.
 */
function causeOf({ status, type, code, fault, message }: UpstreamError, upstream: string): Error {
  const words = fault === "caller" ? "" : message.replace(/\s+/g, " ").trim();
  const text = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}...` : words;
  const head = `The upstream ${upstream} returned an error: ${status} ${type} ${code}`.trimEnd();
  return new Error(text === "" ? head : `${head}: ${text}`);
}

/** A proxy's page in an error's place has thousands. */
const MAX_WORDS = 500;

function healthOf(error: UpstreamError): AttemptOutcome {
  switch (error.fault) {
    case "caller":
      return { kind: "client-error" };
    case "rate-limit":
      return { kind: "rate-limited", retryAfterSeconds: error.retryAfterSeconds };
    case "account":
      return { kind: "refused-account" };
    default:
      return { kind: "failed" };
  }
}

/** A success status without a usable response. `message` is the caller's, `how` goes to the log. */
function noResponse(health: "failed" | "neutral", message: string, how: string): FailureWithError {
  return {
    retryable: true,
    timedOut: false,
    health: { kind: health },
    error: new GatewayError("upstream_error", message, { cause: new Error(how) }),
  };
}

/** The stream ended without an event, or before its terminal one. */
export function truncatedStream(upstream: string): FailureWithError {
  return noResponse(
    "failed",
    "The upstream closed the connection mid-response. Try again.",
    `The upstream ${upstream} closed the connection mid-response.`,
  );
}

/** A stream was asked for. Plain requests are answered well there, so it is no failing upstream. */
export function notStreamed(upstream: string): AttemptFailure {
  return noResponse(
    "neutral",
    "The upstream didn't stream its response. Request a plain response instead.",
    `The upstream ${upstream} didn't stream its response.`,
  );
}

/** A success status, and under it a proxy's page or half a response. */
export function unreadableResponse(upstream: string): AttemptFailure {
  return noResponse(
    "failed",
    "The upstream's response can't be read. Try again.",
    `The upstream ${upstream} returned a success status with a non-JSON body.`,
  );
}

/** An unreadable image fails like half a response. */
function notAnImage({ message }: NotAnImage, upstream: string): FailureWithError {
  return noResponse(
    "failed",
    "The upstream's response contains an invalid image. Try again.",
    `The upstream ${upstream} returned ${message}.`,
  );
}

/** A response, or an event, beyond every sane size is not collected further. Another upstream may put it shorter. */
export function tooLargeResponse(upstream: string, how = "more than the gateway accepts"): FailureWithError {
  return noResponse(
    "neutral",
    "The upstream's response exceeds the gateway's limit. Request less at once.",
    `The upstream ${upstream} returned ${how}.`,
  );
}

/**
 * The request's meaning has no slot in this candidate's protocol, or its body is malformed where
 * translation must read it: nothing was sent. Another candidate may speak the caller's own protocol.
 */
export function failureBeforeSend(cause: unknown): AttemptFailure {
  return cause instanceof GatewayError
    ? { retryable: true, timedOut: false, health: { kind: "neutral" }, error: cause }
    : internalFailure(cause);
}

/** Nothing was sent yet, and the gateway is about to stop. */
export function shuttingDown(cause?: unknown): GatewayError {
  return new GatewayError("service_unavailable", "The gateway is shutting down. Try again.", { cause });
}

/** The gateway stops and ends an attempt before its response. */
export function stopped(): FailureWithError {
  const cause = new Error("The gateway stopped before the upstream had responded.");
  return { retryable: false, timedOut: false, health: { kind: "neutral" }, error: shuttingDown(cause) };
}

/** Our own code failed on this response: that request is lost, nothing else. */
export function internalFailure(cause: unknown): FailureWithError {
  return {
    retryable: false,
    timedOut: false,
    health: { kind: "neutral" },
    error: new GatewayError(
      "internal_error",
      "The gateway failed on the upstream's response. The operator's log has the details under the request's id.",
      {
        cause,
      },
    ),
  };
}

/**
 * Translates an error thrown while reading a response: the gateway's own GatewayError, content that no caller may get, or a
 * bug.
 */
export function failureOfReading(cause: unknown, upstream: string): FailureWithError {
  if (cause instanceof GatewayError)
    return { retryable: false, timedOut: false, health: { kind: "neutral" }, error: cause };
  if (cause instanceof OversizedResponse) return tooLargeResponse(upstream, cause.message);
  return cause instanceof NotAnImage ? notAnImage(cause, upstream) : internalFailure(cause);
}

/** Others' answers hold it: this one ends, and the oldest goes on. */
export function memoryUsedUp(): GatewayError {
  return new GatewayError(
    "service_unavailable",
    "The gateway's memory for long responses is used up. Try again.",
  );
}

/** The client that gets an error, and the upstream that caused it. */
export interface ErrorRecipient {
  readonly client: ProtocolName;
  readonly upstream: string;
  scrubber(): Scrubber;
}

/** Why a response that had begun is charged as far as it came. */
export function reasonAfterOutput(failure: UpstreamFailure): ChargeReason {
  return failure.kind === "timeout" ? "upstream_timeout_after_output" : "upstream_failed_after_output";
}

/** Bytes came, and no event among them. */
export function noEvent(upstream: string): UpstreamFailure {
  return {
    kind: "timeout",
    phase: "first-byte",
    message: `${upstream} sent only comments and no event in time.`,
  };
}

/**
 * Describes the failure of a stream that has begun, for the caller and for the operator's log. The caller gets the upstream's
 * message where it may read it. `told` is the upstream's error; undefined = none.
 */
export function streamFailure(
  { client, upstream, scrubber }: ErrorRecipient,
  error: GatewayError,
  upstreamError: UpstreamError | undefined,
): { readonly client: GatewayError | ErrorStatement; readonly why: Error } {
  if (upstreamError === undefined)
    return { client: error, why: error.cause instanceof Error ? error.cause : error };
  const stated = scrubbedError(upstreamError, scrubber());
  const clientError = toClientError(stated, PROTOCOLS[client].endpoint);
  const why = causeOf(stated, upstream);
  return { client: clientError instanceof GatewayError ? clientError : clientError.statement, why };
}

/** For the usage log: a statement's code, or the gateway's own reason where it has none. */
export function codeOf(error: GatewayError | UpstreamRejection | ErrorStatement): string {
  if (error instanceof GatewayError) return error.reason;
  return "statement" in error ? error.statement.code : error.code;
}
