import type { Exchange } from "./exchange.ts";
import type { JsonObject } from "./json.ts";

/** Tiers that are sold here, with the word by which a response names each; any other is served as the default. */
const TIERS: Readonly<Record<string, string>> = { priority: "priority", fast: "priority", flex: "flex" };

/** A vendor that has no capacity left for a tier serves plainly and says so; this one never runs out. */
function askedTier({ body }: Exchange["prompt"]): string | undefined {
  // Google's clients write names of fields in camel case.
  const asked = body["service_tier"] ?? body["serviceTier"];
  return typeof asked === "string" && Object.hasOwn(TIERS, asked) ? TIERS[asked] : undefined;
}

/** `service_tier` of a response, `plain` being the protocol's word for no tier. */
export function servedTier({ prompt }: Exchange, plain: string): string {
  return askedTier(prompt) ?? plain;
}

/** Speed and place, which messages state in their usage where they are asked for. */
export function servedPlace({ prompt: { body } }: Exchange): JsonObject {
  return {
    inference_geo: body["inference_geo"] === "us" ? "us" : "global",
    ...(body["speed"] === "fast" ? { speed: "fast" } : {}),
  };
}
