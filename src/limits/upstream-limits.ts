import type { Clock } from "../base/clock.ts";
import type { Upstream } from "../catalog/catalog.ts";
import type { UpstreamRates } from "../catalog/upstream-options.ts";
import { GatewayError } from "../errors.ts";
import { type Admission, RunningAdmission, type TokenTools } from "./admission.ts";
import { exceeded } from "./rate-response.ts";
import type { RequestCounter } from "./request-counter.ts";
import type { TokenEstimate } from "./token-reserve.ts";

type LimitedUpstream = Pick<Upstream, "id" | "options">;

/** What the vendors let our accounts there ask for in a minute. Requests at once are counted where they run. */
export interface UpstreamLimits {
  /**
   * Counts a request that is about to go to an upstream, and takes its tokens ahead; resolves to undefined where the upstream
   * is at its limit, and nothing is taken. Undefined at once for an upstream without limits, whose requests are not estimated.
   */
  take(
    upstream: LimitedUpstream,
    estimateOf: () => TokenEstimate,
  ): Promise<Pick<Admission, "finish"> | undefined> | undefined;
  /** Seconds until an upstream takes requests again, as far as this process knows; 0 = now. */
  waitSeconds(upstream: LimitedUpstream): number;
}

/** When an upstream that is at a limit has room again, and the limits by which that was said. */
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
  /** By upstream; as many as an installation has ever had. */
  const closed = new Map<bigint, Closed>();

  const close = (id: bigint, by: Closed["by"], rates: UpstreamRates, seconds: number): void => {
    closed.set(id, { by, rates, untilMs: clock.monotonicMs() + Math.max(0, seconds) * 1_000 });
  };

  const countRequest = async (id: bigint, rates: UpstreamRates): Promise<void> => {
    const limit = rates.requestsPerMinute;
    if (limit === undefined) return;
    const { used, resetSeconds } = await counter.count(keyOf(id), limit);
    // Told with the last one that has room, so that no further one needs to ask.
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
        // What it did not use may make room before the time that was told.
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

/** Apart from the keys of callers, which are counted in the same buckets. */
function keyOf(id: bigint): string {
  return `upstream ${id}`;
}

/** A limit that an operator raises holds at once. */
function isSame(one: UpstreamRates, other: UpstreamRates): boolean {
  return one.requestsPerMinute === other.requestsPerMinute && one.tokensPerMinute === other.tokensPerMinute;
}

function nothing(): void {
  // Requests at once are counted by the transport.
}
