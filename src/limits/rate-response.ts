import { GatewayError, type LimitName } from "../errors.ts";

/** The unused part of a limit. */
export interface Allowance {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
}

/** Adds the headers of one limit. They are the same for admitted and refused requests. */
export function describe(headers: Record<string, string>, kind: string, allowance: Allowance): void {
  headers[`x-ratelimit-limit-${kind}`] = String(allowance.limit);
  headers[`x-ratelimit-remaining-${kind}`] = String(Math.max(0, Math.floor(allowance.left)));
  headers[`x-ratelimit-reset-${kind}`] = `${Math.ceil(allowance.resetSeconds)}s`;
}

/** Returns the error for a request beyond a limit. A wait of less than a second counts as one second. */
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
