import { EFFORTS, type Effort, type ReasoningOptions } from "../request.ts";

/** The effort that a wish amounts to; undefined where it says no more than "think". */
export function effortOf(reasoning: ReasoningOptions): Effort | undefined {
  if (reasoning.effort !== undefined || reasoning.budgetTokens === undefined) return reasoning.effort;
  const budget = reasoning.budgetTokens;
  return SHARES.find(({ upTo }) => budget <= upTo)?.effort ?? "high";
}

/** The same for a vendor that can only be told an effort, and may not think without one. */
export function minEffortOf(reasoning: ReasoningOptions): Effort | undefined {
  return effortOf(reasoning) ?? (reasoning.adaptive ? "medium" : undefined);
}

/**
 * The budget that a wish amounts to, within what vendors accept: at least 1024 and below the output limit
 * (rule 38). Undefined where the limit leaves no room to think. The limit is for the response too, so that
 * a budget which is not the caller's own, or is beyond the limit, takes at most three quarters of it.
 * `maxBudget`: the largest that the model takes, whatever the limit.
 */
export function budgetOf(
  reasoning: ReasoningOptions,
  maxOutputTokens: number,
  maxBudget = Number.POSITIVE_INFINITY,
): number | undefined {
  const stated = reasoning.budgetTokens;
  const most =
    stated !== undefined && stated < maxOutputTokens ? stated : Math.floor(maxOutputTokens * MAX_SHARE);
  const requestedBudget =
    stated ?? SHARES.find(({ effort }) => effort === (reasoning.effort ?? "medium"))?.budget;
  const budget = Math.max(Math.min(requestedBudget ?? MIN_BUDGET, most, maxBudget), MIN_BUDGET);
  return budget < maxOutputTokens ? budget : undefined;
}

/** The nearest effort that a model knows; the wish where the catalog names none. */
export function nearestEffort(effort: Effort, known: readonly string[] | undefined): string {
  if (known === undefined || known.length === 0 || known.includes(effort)) return effort;
  const rank = EFFORTS.indexOf(effort);
  const ranked = EFFORTS.filter((word) => known.includes(word));
  return ranked.toSorted((a, b) => distance(a, rank) - distance(b, rank))[0] ?? effort;
}

function distance(effort: Effort, rank: number): number {
  return Math.abs(EFFORTS.indexOf(effort) - rank);
}

/** The least that messages takes: 1024 <= budget < max_tokens. */
const MIN_BUDGET = 1024;

/** If less than a quarter of the limit is left for the response, responses are cut off in the middle. */
const MAX_SHARE = 3 / 4;

/**
 * Efforts and the budgets they stand for, with the largest budget that is still called so. The steps are
 * those which a vendor that has both states for its models (1k, 8k, 24k tokens).
 */
const SHARES: readonly { readonly effort: Effort; readonly budget: number; readonly upTo: number }[] = [
  { effort: "minimal", budget: 1024, upTo: 512 },
  { effort: "low", budget: 1024, upTo: 2048 },
  { effort: "medium", budget: 8192, upTo: 12_288 },
  { effort: "high", budget: 24_576, upTo: 32_768 },
  { effort: "xhigh", budget: 32_768, upTo: 49_152 },
  { effort: "max", budget: 65_536, upTo: Number.POSITIVE_INFINITY },
];
