import { type Nanos, PPM } from "../../base/money.ts";
import type { UpstreamCost } from "../../catalog/catalog.ts";
import { hoursAt } from "../../catalog/price-table.ts";
import type { AttemptUse, FrozenPrice, HoldOrder, Outcome, ReportedUse } from "../billing.ts";
import { type Charge, chargeOf } from "./charge.ts";
import { type ChargeText, encodeCharge } from "./charge-text.ts";
import { roundedExact, scaledLine } from "./price.ts";
import { boundCost, statedCost } from "./stated-cost.ts";

/** The cost of a request: what its vendors bill the operator. */
export interface RequestCost {
  /** Sum over all attempts. */
  readonly nanos: Nanos;
  /** In order. undefined = the attempts are none or one, which used what is charged, at the list price. */
  readonly attempts: readonly AttemptCostText[] | undefined;
}

/** One attempt's cost, as it stands in an end record and the usage log; what is absent is as the request says. */
export interface AttemptCostText {
  readonly upstream?: string | undefined;
  readonly upstream_model?: string | undefined;
  readonly credential?: string | undefined;
  readonly nanos: string;
  /** The cost that the vendor reports, in nanos. */
  readonly stated?: string | undefined;
  /** On the list price, parts per million; absent = 1, or the upstream has prices of its own for the model. */
  readonly factor?: string | undefined;
  /** "nothing": the vendor bills nothing. "unknown": it may bill something, and nobody knows what. Absent = it is billed. */
  readonly used?: "nothing" | "unknown" | undefined;
  /** The lines before the factor; absent = those of the request's charge. */
  readonly charge?: ChargeText | undefined;
}

export const NO_COST: RequestCost = { nanos: 0n, attempts: undefined };

/** Cost of a request that can't be computed. */
export const UNKNOWN_COST: RequestCost = { nanos: 0n, attempts: [{ nanos: "0", used: "unknown" }] };

/**
 * Computes the platform's cost of each attempt: the same computation as the charge and on the same usage, but with the
 * upstream's prices and without the group's factor. `charge` is the request's; undefined = it could not be computed.
 */
export function costOf(
  order: Pick<HoldOrder, "price" | "model">,
  atMs: number,
  outcome: Outcome,
  charge: Charge | undefined,
): RequestCost {
  const { attemptUses = ANSWERED, raw } = outcome;
  const [first] = attemptUses;
  if (first === undefined) return NO_COST;
  const isPlain = attemptUses.length === 1 && first.used === "charged" && first.cost === null;
  if (isPlain && charge !== undefined && statedCost(raw) === undefined)
    return { nanos: boundCost(roundedExact(charge.sum, PPM)), attempts: undefined };
  let nanos = 0n;
  const attempts = attemptUses.map((use, index) => {
    const cost = costOfAttempt(order, atMs, use, outcome, charge);
    nanos += cost.nanos;
    return encodeAttempt(use, cost, index === attemptUses.length - 1);
  });
  return { nanos, attempts };
}

/** One attempt, of which the request says all. */
const ANSWERED: readonly AttemptUse[] = [
  { upstream: "", upstreamModel: "", credential: "", cost: null, used: "charged" },
];

interface AttemptCost extends Pick<AttemptCostText, "used"> {
  readonly nanos: Nanos;
  readonly stated?: Nanos | undefined;
  readonly factorPpm?: bigint;
  readonly charge?: Charge | undefined;
}

function costOfAttempt(
  order: Pick<HoldOrder, "price" | "model">,
  atMs: number,
  { cost, used, priced }: AttemptUse,
  outcome: Outcome,
  charge: Charge | undefined,
): AttemptCost {
  if (used === "nothing" || used === "unknown") return { nanos: 0n, used };
  if (used === "charged" && charge === undefined) return { nanos: 0n, used: "unknown" };
  const usage: ReportedUse = used === "charged" ? outcome : used;
  const { price, model } = priced ?? order;
  const stated = statedCost(usage.raw);
  const own = cost?.prices.get(model);
  const factorPpm = own === undefined ? (cost?.factorPpm ?? PPM) : PPM;
  const frozen = own === undefined ? price : ownPrice(price, own, atMs);
  if (cost !== null && hasAdditional(usage)) {
    const billed = costOfModels(frozen, usage, { cost, factorPpm, atMs });
    return { nanos: boundCost(roundedExact(billed.sum, PPM)), stated, charge: billed };
  }
  if (used === "charged" && own === undefined && charge !== undefined)
    return { nanos: boundCost(roundedExact(charge.sum, factorPpm)), stated, factorPpm };
  const billed = chargeOf(frozen, usage);
  return { nanos: boundCost(roundedExact(billed.sum, factorPpm)), stated, factorPpm, charge: billed };
}

function hasAdditional({ additionalUsage = [] }: ReportedUse): boolean {
  return additionalUsage.length > 0;
}

/** The upstream's prices, and its factor for the requested model. */
interface Billed {
  readonly cost: UpstreamCost;
  readonly factorPpm: bigint;
  readonly atMs: number;
}

/** The lines of several models, each at the upstream's own price for it or at its list price times the upstream's factor. */
function costOfModels(frozen: FrozenPrice, usage: ReportedUse, { cost, factorPpm, atMs }: Billed): Charge {
  const additionalUsage = usage.additionalUsage?.map((other) => {
    const own = cost.prices.get(other.model);
    return own === undefined ? other : { ...other, price: ownPrice(other.price ?? frozen, own, atMs) };
  });
  const billed = chargeOf(frozen, { ...usage, additionalUsage });
  const lines = billed.lines.map((line) => {
    const model = line.kind === "tokens" ? line.model : undefined;
    if (model === undefined) return scaledLine(line, factorPpm);
    return cost.prices.has(model) ? line : scaledLine(line, cost.factorPpm);
  });
  return { ...billed, lines, sum: lines.reduce((sum, { exact }) => sum + exact, 0n) };
}

/** The request as it was asked, at the upstream's own prices. */
function ownPrice(
  { priceId, factorPpm, asked, tools, sizes, fees, unrequestedCalls }: FrozenPrice,
  { rates, dimensions }: Pick<FrozenPrice, "rates" | "dimensions">,
  atMs: number,
): FrozenPrice {
  const hours = dimensions && hoursAt(dimensions.hours, atMs);
  return {
    priceId,
    factorPpm,
    rates,
    dimensions,
    asked,
    tools,
    sizes,
    fees,
    unrequestedCalls,
    hours,
  };
}

/** The last attempt is the one that the request names as its upstream. */
function encodeAttempt(
  { upstream, upstreamModel, credential }: AttemptUse,
  { nanos, stated, factorPpm = PPM, used, charge }: AttemptCost,
  isLast: boolean,
): AttemptCostText {
  return {
    upstream: isLast ? undefined : upstream,
    upstream_model: isLast ? undefined : upstreamModel,
    credential: isLast ? undefined : credential,
    nanos: String(nanos),
    stated: stated?.toString(),
    factor: factorPpm === PPM ? undefined : String(factorPpm),
    used,
    charge: charge && encodeCharge(charge),
  };
}
