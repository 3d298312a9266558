import { allTokens, type Outcome } from "../billing/billing.ts";
import type { UsedTokens } from "../limits/admission.ts";
import type { TokenEstimate } from "../limits/token-reserve.ts";
import type { UpstreamLimits } from "../limits/upstream-limits.ts";
import type { Routing } from "../routing/routing.ts";
import type { Candidate } from "../upstreams/call.ts";
import { totalInput, totalOutput } from "../usage/usage.ts";
import type { Exchange } from "./exchange.ts";
import type { AttemptFailure } from "./failures.ts";
import { recordDisconnect, shouldStop } from "./shall-stop.ts";

/** Nothing was sent: the upstream is at its limit, or nobody waits for a response any more. */
export const PASSED_OVER = Symbol("passed over");

export interface WithinLimitsDeps {
  readonly upstreamLimits: Pick<UpstreamLimits, "take">;
  readonly routing: Pick<Routing, "report">;
}

/** Makes an attempt that counts against the upstream's limits; what it has taken ahead becomes what the response has used. */
export async function withinLimits(
  { upstreamLimits, routing }: WithinLimitsDeps,
  exchange: Exchange,
  candidate: Candidate,
  estimateOf: () => TokenEstimate,
  attempt: () => Promise<AttemptFailure | undefined>,
): Promise<AttemptFailure | typeof PASSED_OVER | undefined> {
  const taking = upstreamLimits.take(candidate.upstream, estimateOf);
  if (taking === undefined) return attempt();
  const taken = await taking;
  recordDisconnect(exchange);
  if (taken === undefined || shouldStop(exchange)) {
    taken?.finish();
    routing.report(candidate, { kind: "neutral" }, exchange.request.caller.accountId);
    return PASSED_OVER;
  }
  try {
    return await attempt();
  } finally {
    taken.finish(exchange.outcome && tokensOf(exchange.outcome));
  }
}

/** Usage that a request was charged for. */
export function tokensOf(outcome: Outcome): UsedTokens {
  const usage = allTokens(outcome);
  return { input: totalInput(usage), output: totalOutput(usage) };
}
