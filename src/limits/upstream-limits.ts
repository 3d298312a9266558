import type { Clock } from "../base/clock.ts";
import type { Upstream } from "../catalog/catalog.ts";
import type { UpstreamRates } from "../catalog/upstream-options.ts";
import { GatewayError } from "../errors.ts";
import { type Admission, RunningAdmission, type TokenTools } from "./admission.ts";
import { exceeded } from "./rate-response.ts";
import type { RequestCounter } from "./request-counter.ts";
import type { TokenEstimate } from "./token-reserve.ts";

type LimitedUpstream = Pick<Upstream, "id" | "options">;

/** Limits per minute that vendors set for our accounts. Concurrent requests are limited by the transport. */
export interface UpstreamLimits {
  /**
   * Counts a request that is about to be sent to an upstream, and takes its tokens in advance. Resolves to undefined,
   * with nothing taken, if the upstream is at its limit. Returns undefined for an upstream without limits, whose
   * requests are not estimated.
   */
  take(
    upstream: LimitedUpstream,
    estimateOf: () => TokenEstimate,
  ): Promise<Pick<Admission, "finish"> | undefined> | undefined;
  /** Seconds until the upstream accepts requests again, as far as this process knows; 0 = now. */
  waitSeconds(upstream: LimitedUpstream): number;
}

/** The time at which an upstream at its limit has room again, and the limits for which that was computed. */
interface Closed {
  readonly untilMs: number;
  readonly by: "requests" | "tokens";
  readonly rates: UpstreamRates;
}

export function createUpstreamLimits(
  counter: RequestCounter,
  tools: TokenTools,
  clock: Clock,
): UpstreamLimits {
  /** Keyed by upstream; bounded by the number of upstreams that an installation has ever had. */
  const closed = new Map<bigint, Closed>();

  const close = (id: bigint, by: Closed["by"], rates: UpstreamRates, seconds: number): void => {
    closed.set(id, { by, rates, untilMs: clock.monotonicMs() + Math.max(0, seconds) * 1_000 });
  };

  const countRequest = async (id: bigint, rates: UpstreamRates): Promise<void> => {
    const limit = rates.requestsPerMinute;
    if (limit === undefined) return;
    const { used, resetSeconds } = await counter.count(keyOf(id), limit);
    // The last request that fits closes the upstream, so that the next one need not be counted to find out.
    if (used >= limit) close(id, "requests", rates, resetSeconds);
    if (used > limit)
      throw exceeded("upstream_limits", `This upstream may get ${limit} requests per minute.`, resetSeconds);
  };

  const take = async (
    id: bigint,
    rates: UpstreamRates,
    estimateOf: () => TokenEstimate,
  ): Promise<Pick<Admission, "finish"> | undefined> => {
    const admission = new RunningAdmission({}, nothing, keyOf(id), rates.tokensPerMinute, tools);
    try {
      const reserving = admission.reserveTokens(estimateOf);
      if (reserving !== undefined) await reserving.catch((error: unknown) => noteTokens(id, rates, error));
      await countRequest(id, rates);
    } catch (error) {
      admission.finish();
      if (error instanceof GatewayError) return undefined;
      throw error;
    }
    return {
      finish(used) {
        admission.finish(used);
        // Unused tokens may make room before the predicted time.
        if (closed.get(id)?.by === "tokens") closed.delete(id);
      },
    };
  };

  const noteTokens = (id: bigint, rates: UpstreamRates, error: unknown): never => {
    if (error instanceof GatewayError) close(id, "tokens", rates, error.retryAfterSeconds ?? 1);
    throw error;
  };

  return {
    take(upstream, estimateOf) {
      const rates = upstream.options?.rates;
      return rates === undefined ? undefined : take(upstream.id, rates, estimateOf);
    },
    waitSeconds({ id, options }) {
      if (options?.rates === undefined) return 0;
      const known = closed.get(id);
      if (known === undefined || !isSame(known.rates, options.rates)) return 0;
      return Math.max(0, known.untilMs - clock.monotonicMs()) / 1_000;
    },
  };
}

/** Upstreams and keys share buckets, so the prefix keeps them apart. */
function keyOf(id: bigint): string {
  return `upstream ${id}`;
}

/** A limit that an operator changes takes effect at once. */
function isSame(one: UpstreamRates, other: UpstreamRates): boolean {
  return one.requestsPerMinute === other.requestsPerMinute && one.tokensPerMinute === other.tokensPerMinute;
}

function nothing(): void {
  // Concurrent requests are limited by the transport.
}
