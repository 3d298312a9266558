import type { Nanos } from "../../base/money.ts";
import { type CostEstimateInput, estimateMaxCost, type RequestBound, tokensWithin } from "./max-cost.ts";
import { requestedOutputLimit } from "./requested-output-limit.ts";

/** The bound of a request with an output limit that the gateway adds. */
export interface LimitedRequest extends RequestBound {
  /** In tokens, for each response. */
  readonly outputLimit: number;
}

/** One request takes at most this part of the money, so that a few fit side by side and the next ones do too. */
const PARTS = 4n;

/** A shorter response is mostly cut in its middle: a refusal that names the cost is worth more to its caller. */
const MIN_TOKENS = 256n;

/**
 * The largest output limit with which a request that states none costs at most a quarter of this money. Undefined where a
 * limit would not bound the cost (several responses, tools that the upstream runs, summaries), and where the money is too little
 * for the input and a short response.
 */
export function limitOutput(question: CostEstimateInput, fundsNanos: Nanos): LimitedRequest | undefined {
  const { forward, price } = question;
  if (forward.outputLimits.length === 0 || requestedOutputLimit(question, 1) !== undefined) return undefined;
  const { amountNanos: inputNanos, usage, outputRate } = estimateMaxCost({ ...question, outputLimit: 0 });
  if (usage.responses > 1 || usage.passes > 1 || usage.maxPassesWithTools !== undefined) return undefined;
  // One nano less, as input and output are rounded together in the end.
  const outputNanos = fundsNanos / PARTS - inputNanos - 1n;
  const tokens = tokensWithin(outputNanos, outputRate, price.factorPpm);
  if (tokens < MIN_TOKENS) return undefined;
  const most = BigInt(usage.outputTokens);
  const outputLimit = Number(tokens < most ? tokens : most);
  return { ...estimateMaxCost({ ...question, outputLimit }), outputLimit };
}
