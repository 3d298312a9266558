/**
 * Every failure the gateway itself declares: one closed list. A route encodes a GatewayError in its
 * protocol's own shape; nothing else decides a status. An upstream's own response about a caller's
 * mistake is an UpstreamRejection, because it keeps the vendor's words.
 */
const ERRORS = {
  invalid_api_key: { status: 401, code: "" },
  revoked_api_key: { status: 401, code: "" },
  rotated_api_key: { status: 401, code: "" },
  expired_api_key: { status: 401, code: "" },
  disabled_api_key: { status: 401, code: "" },
  account_suspended: { status: 401, code: "" },
  // The console's: signing in, and who may do what.
  not_signed_in: { status: 401, code: "not_signed_in" },
  sign_in_failed: { status: 401, code: "sign_in_failed" },
  totp_required: { status: 401, code: "totp_required" },
  address_not_allowed: { status: 403, code: "address_not_allowed" },
  forbidden: { status: 403, code: "forbidden" },
  csrf_failed: { status: 403, code: "csrf_failed" },
  two_factor_required: { status: 403, code: "two_factor_required" },
  sso_required: { status: 403, code: "sso_required" },
  password_change_required: { status: 403, code: "password_change_required" },
  conflict: { status: 409, code: "conflict" },
  changed_meanwhile: { status: 412, code: "changed_meanwhile" },
  too_many_attempts: { status: 429, code: "too_many_attempts" },
  missing_model: { status: 400, code: "" },
  missing_media_model: { status: 400, code: "missing_model" },
  invalid_request: { status: 400, code: "invalid_request" },
  invalid_duration: { status: 400, code: "invalid_duration" },
  task_not_exist: { status: 400, code: "task_not_exist" },
  idempotency_conflict: { status: 409, code: "idempotency_conflict" },
  unsupported_endpoint: { status: 400, code: "unsupported_endpoint" },
  unserved_action: { status: 404, code: "unsupported_endpoint" },
  model_not_found: { status: 404, code: "model_not_found" },
  not_found: { status: 404, code: "not_found" },
  receipt_not_found: { status: 404, code: "receipt_not_found" },
  method_not_allowed: { status: 405, code: "method_not_allowed" },
  websocket_not_served: { status: 426, code: "method_not_allowed" },
  unsupported_media_type: { status: 415, code: "unsupported_media_type" },
  request_too_large: { status: 413, code: "request_too_large" },
  headers_too_large: { status: 431, code: "invalid_request" },
  unmet_expectation: { status: 417, code: "invalid_request" },
  unsupported_http_version: { status: 505, code: "invalid_request" },
  request_timeout: { status: 408, code: "request_timeout" },
  previous_response_not_found: { status: 400, code: "previous_response_not_found" },
  insufficient_user_quota: { status: 403, code: "insufficient_user_quota" },
  model_not_priced: { status: 400, code: "model_not_priced" },
  rate_limit_exceeded: { status: 429, code: "rate_limit_exceeded" },
  balance_busy: { status: 429, code: "balance_busy" },
  upstream_rate_limited: { status: 429, code: "upstream_rate_limited" },
  upstream_saturated: { status: 429, code: "upstream_saturated" },
  upstream_overloaded: { status: 529, code: "upstream_overloaded" },
  invalid_url: { status: 400, code: "invalid_url" },
  invalid_asset_type: { status: 400, code: "invalid_asset_type" },
  invalid_asset_name: { status: 400, code: "invalid_asset_name" },
  // The vendor's word of the family stands in the specification as it is.
  asset_create_failed: { status: 502, code: "seedance_asset_create_failed" },
  asset_get_failed: { status: 502, code: "seedance_asset_get_failed" },
  upstream_error: { status: 502, code: "upstream_error" },
  upstream_timeout: { status: 504, code: "upstream_timeout" },
  no_available_upstream: { status: 503, code: "no_available_upstream" },
  service_unavailable: { status: 503, code: "service_unavailable" },
  internal_error: { status: 500, code: "internal_error" },
} as const satisfies Record<string, { status: number; code: string }>;

export type ErrorReason = keyof typeof ERRORS;

/** All values of `error.code` in the gateway's own errors, if it is not empty. The dashboard has texts for each. */
export type ErrorCode = Exclude<(typeof ERRORS)[ErrorReason]["code"], "">;

/** `retry-after` where capacity is used up: a place frees up within about the time of one response. */
export const BUSY_RETRY_SECONDS = 2;

/** The limit that a refused request exceeded: a key's limit, money, or the capacity of upstreams and their queues. */
export type LimitName =
  | "requests_per_minute"
  | "concurrency"
  | "tokens_per_minute"
  | "counts_per_minute"
  | "balance"
  | "budget"
  | "spending_limit"
  | "upstream_limits"
  | "tasks_per_model";

export interface GatewayErrorOptions {
  /** The request's field that is at fault. */
  param?: string;
  /** Fields that the protocol's clients read in structured form. */
  details?: unknown;
  /** Seconds for `Retry-After`. */
  retryAfterSeconds?: number | undefined;
  /** The upstream's own `x-should-retry`, where its error is passed on. */
  shouldRetry?: boolean | undefined;
  /** For the request log: which limit refuses. */
  limit?: LimitName | undefined;
  /** Further headers of the response. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/** `message` is for the caller: what is wrong and what to do; never a secret, a stack or a vendor's text. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly reason: ErrorReason;
  readonly status: number;
  readonly code: string;
  readonly param: string;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;
  readonly shouldRetry: boolean | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly limit: LimitName | undefined;

  constructor(reason: ErrorReason, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.status = ERRORS[reason].status;
    this.code = ERRORS[reason].code;
    this.param = options.param ?? "";
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.shouldRetry = options.shouldRetry;
    this.headers = options.headers ?? {};
    this.limit = options.limit;
  }
}

/**
 * A failure as any protocol can state it: what `decodeError` reads off an upstream's response and
 * `encodeError` writes for a caller. `type` is the vendor's word, or `gateway_error` for our own.
 */
export interface ErrorStatement {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param: string;
  readonly message: string;
  /** Structured details, which clients act on; the vendor's are passed on untouched. */
  readonly details?: unknown;
  readonly retryAfterSeconds?: number | undefined;
  /** The upstream's own `x-should-retry`. */
  readonly shouldRetry?: boolean | undefined;
}

/**
 * Statuses after which the same request may succeed. A 504 is none: the request was sent, the upstream may still be at
 * work on it, and each repetition would be paid for.
 */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 529]);

/**
 * Returns the value of `x-should-retry`, which vendors' clients obey: the upstream's own value, otherwise whether the
 * status may pass. Without the header, some clients repeat a refused key for minutes.
 */
export function shouldRetry(error: Pick<ErrorStatement, "status" | "shouldRetry">): boolean {
  return error.shouldRetry ?? PASSING_STATUSES.has(error.status);
}

/** A failure as a statement; `errorType` is the word for errors that the gateway itself makes. */
export function statementOf(error: GatewayError | ErrorStatement, errorType: string): ErrorStatement {
  if (!(error instanceof GatewayError)) return error;
  const { status, code, param, message, details, retryAfterSeconds, shouldRetry } = error;
  return { status, type: errorType, code, param, message, details, retryAfterSeconds, shouldRetry };
}

/** An upstream refused the request for the caller's own mistake: its words go to the caller. */
export class UpstreamRejection extends Error {
  override readonly name = "UpstreamRejection";
  readonly statement: ErrorStatement;

  constructor(statement: ErrorStatement) {
    super(statement.message);
    this.statement = statement;
  }
}
