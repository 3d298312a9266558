import type { LossList } from "../loss.ts";
import type { ChatRequest, Limits } from "../request.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";

/** Fits the ends of a response to the protocol. Stop sequences are all kept, even more than it may take. */
export function fitLimits(
  { protocol, limits }: ChatRequest,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): Limits {
  const { maxOutputTokens, stop } = limits;
  return {
    maxOutputTokens:
      maxOutputTokens === undefined ? undefined : atLeast(maxOutputTokens, capabilities, losses),
    // An empty one stops nothing, and not every vendor takes it: nothing is lost without it.
    stop:
      stop === undefined
        ? undefined
        : protocol === capabilities.protocol
          ? stop
          : stop.filter((each) => each !== ""),
  };
}

/** A smaller limit than a protocol takes becomes its least, which is as near as it comes (rule 39). */
function atLeast(limit: number, { minOutputTokens }: ProtocolCapabilities, losses: LossList): number {
  if (limit >= minOutputTokens) return limit;
  losses.field("maxOutputTokens", "weakened");
  return minOutputTokens;
}
