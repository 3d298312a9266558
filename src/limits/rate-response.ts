import { GatewayError, type LimitName } from "../errors.ts";

/** How much of a limit is left. */
export interface Allowance {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
}

/** Adds what a caller is told of one limit, whatever becomes of the request. */
export function describe(headers: Record<string, string>, kind: string, allowance: Allowance): void {
  headers[`x-ratelimit-limit-${kind}`] = String(allowance.limit);
  headers[`x-ratelimit-remaining-${kind}`] = String(Math.max(0, Math.floor(allowance.left)));
  headers[`x-ratelimit-reset-${kind}`] = `${Math.ceil(allowance.resetSeconds)}s`;
}

/** The refusal of a request beyond a limit; less than a second counts as one. */
export function exceeded(
  limit: LimitName,
  message: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
): GatewayError {
  return new GatewayError("rate_limit_exceeded", message, {
    retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    headers,
    limit,
  });
}
