import { divideHalfUp, type Nanos, parseWrittenNumber } from "../../base/money.ts";

/** Paths of the cost in vendors' usage objects, with the number of units per dollar. */
const COST_FIELDS: readonly { readonly path: readonly string[]; readonly perUsd: bigint }[] = [
  // xAI, in ticks: https://docs.x.ai/developers/cost-tracking
  { path: ["cost_in_usd_ticks"], perUsd: 10_000_000_000n },
  // Perplexity: https://docs.perplexity.ai/api-reference/chat-completions-post
  { path: ["cost", "total_cost"], perUsd: 1n },
  // OpenRouter, in credits of a dollar: https://openrouter.ai/docs/use-cases/usage-accounting
  { path: ["cost"], perUsd: 1n },
  // DeepInfra: https://deepinfra.com/docs/openai_api
  { path: ["estimated_cost"], perUsd: 1n },
];

/** No request costs more than a million dollars, and a vendor's number must never stop a charge from being posted. */
const MAX_NANOS = 1_000_000n * 10n ** 9n;

/** A cost as it can be recorded. */
export function boundCost(nanos: Nanos): Nanos {
  if (nanos < 0n) return 0n;
  return nanos < MAX_NANOS ? nanos : MAX_NANOS;
}

/**
 * Returns the cost that the vendor's usage object states; the sum for several responses. Undefined = not all of them state it.
 */
export function statedCost(raw: unknown): Nanos | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  if (!Array.isArray(raw)) return reportedIn(raw);
  let sum = 0n;
  for (const each of raw as readonly unknown[]) {
    const stated = statedCost(each);
    if (stated === undefined) return undefined;
    sum += stated;
  }
  return raw.length === 0 ? undefined : boundCost(sum);
}

function reportedIn(usage: object): Nanos | undefined {
  for (const { path, perUsd } of COST_FIELDS) {
    const value = path.reduce<unknown>(
      (under, key) =>
        typeof under === "object" && under !== null
          ? (under as Readonly<Record<string, unknown>>)[key]
          : undefined,
      usage,
    );
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return nanosOf(value, perUsd);
  }
  return undefined;
}

/** Units finer than a nano are rounded half up. */
function nanosOf(value: number, perUsd: bigint): Nanos {
  // More than this is bounded below, and has too many digits for a decimal of so many places.
  if (value > 1e18) return MAX_NANOS;
  const scaled = parseWrittenNumber(value.toFixed(DECIMALS), DECIMALS);
  return boundCost(divideHalfUp(scaled * 10n ** 9n, perUsd * 10n ** BigInt(DECIMALS)));
}

const DECIMALS = 15;
