import type { LossList } from "../loss.ts";
import type { Quirks } from "../lower/quirks.ts";
import type { ReasoningOptions } from "../request.ts";

/**
 * A wish to think as the model bears it, or undefined where it can be told none. `own`: the caller speaks the
 * upstream's protocol, whose words mean there what they mean.
 */
export function fitReasoning(
  reasoning: ReasoningOptions,
  own: boolean,
  quirks: Quirks,
  losses: LossList,
): ReasoningOptions | undefined {
  if (quirks.thinking === "none") {
    // Not thinking is what such a model does anyway.
    if (reasoning.enabled) losses.field("reasoning", "model-refuses");
    return undefined;
  }
  if (!reasoning.enabled && quirks.thinkingOff === false) {
    const { budgetTokens: _, ...rest } = reasoning;
    losses.field("reasoning", "weakened");
    return { ...rest, enabled: true, effort: "minimal" };
  }
  if (reasoning.betweenTools && !own) {
    // To think little at the beginning is the nearest that others can be told.
    const { betweenTools: _, ...rest } = reasoning;
    losses.field("reasoning", "weakened");
    return { effort: "low", ...rest };
  }
  return reasoning;
}
