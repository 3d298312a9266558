import { divideHalfUp, PPM } from "../base/money.ts";
import type { AttemptCostText } from "../billing/pricing/attempt-cost.ts";
import { decodeCharge, type ShownCharge } from "../billing/pricing/charge-text.ts";
import { EXACT_PER_NANO, type PriceLine } from "../billing/pricing/price.ts";
import { chargeOfRow } from "../billing/usage-log/receipts.ts";
import { AMOUNT_PER_NANO } from "./export-row.ts";
import { BUCKET_NAMES, modelName, type NameAt, toolBucket } from "./names.ts";
import type { CostedRequest } from "./own-costs-store.ts";

export interface Sums {
  quantity: number;
  /** Unit: 10^-15 of a dollar. */
  amount: bigint;
}

/** Usage of one model by our attempts in a quarter of an hour; the days of every zone begin with one. */
export interface Slot {
  readonly startMs: number;
  readonly model: string;
  readonly buckets: Map<string, Sums>;
  /** Tokens by the tier that priced them; "" = the standard tier. */
  readonly tiers: Map<string, number>;
}

/** A request that may explain a difference. */
export interface Suspect {
  readonly id: string;
  readonly accountId: bigint;
  readonly model: string;
  /** Set if the request explains only this bucket. */
  readonly bucket?: string;
  readonly acceptedMs: number;
  readonly endedMs: number;
  readonly why: readonly CostDoubt[];
}
export type CostDoubt =
  | "implausible"
  | "estimated"
  | "unpriced"
  | "unknown cost"
  | "across midnight"
  | "same quantity";

export interface OwnCosts {
  readonly slots: readonly Slot[];
  readonly suspects: readonly Suspect[];
}

const SLOT_MS = 15 * 60_000;
/** Maximum number of requests that may have crossed a midnight, which is known only once the zone is. */
const MAX_SUSPECTS = 50_000;

/** Sums the costs of attempts at these upstreams; undefined = at all of them. */
export async function sumOwnCosts(
  requests: AsyncIterable<CostedRequest>,
  upstreams: ReadonlySet<string> | undefined,
  nameAt: NameAt,
): Promise<OwnCosts> {
  const slots = new Map<string, Slot>();
  const suspects: Suspect[] = [];
  for await (const request of requests) {
    for (const attempt of attemptsOf(request, nameAt)) {
      if (upstreams !== undefined && !upstreams.has(attempt.upstream)) continue;
      const endedMs = request.endedAt.getTime();
      const acceptedMs = request.acceptedAt.getTime();
      const model = modelName(attempt.model);
      const startMs = endedMs - (endedMs % SLOT_MS);
      const key = `${startMs} ${model}`;
      const slot = slots.get(key) ?? { startMs, model, buckets: new Map(), tiers: new Map() };
      slots.set(key, slot);
      add(slot, attempt);
      const why = reasonsFor(request, attempt);
      const crossed = startMs !== acceptedMs - (acceptedMs % SLOT_MS);
      if ((why.length > 0 || crossed) && suspects.length < MAX_SUSPECTS)
        suspects.push({
          id: request.requestId,
          accountId: request.accountId,
          model,
          acceptedMs,
          endedMs,
          why,
        });
    }
  }
  return { slots: [...slots.values()], suspects };
}

/** Returns the usage of a request's attempts, counted as `sumOwnCosts` does. */
export function quantitiesOf(
  request: CostedRequest,
  upstreams: ReadonlySet<string> | undefined,
  nameAt: NameAt,
): { readonly model: string; readonly bucket: string; readonly quantity: number }[] {
  return attemptsOf(request, nameAt)
    .filter(({ upstream }) => upstreams === undefined || upstreams.has(upstream))
    .flatMap(({ model, charge }) => {
      const counts = new Map<string, number>();
      for (const line of charge?.lines ?? []) {
        const [bucket, quantity] = countOf(line);
        counts.set(bucket, (counts.get(bucket) ?? 0) + quantity);
      }
      return [...counts].map(([bucket, quantity]) => ({ model: modelName(model), bucket, quantity }));
    });
}

/** Usage of one model in an attempt. */
interface Attempt {
  readonly upstream: string;
  /** The model's name in the vendor's export. */
  readonly model: string;
  /** The charge with the lines of this model; undefined = the vendor bills nothing, or an unknown amount. */
  readonly charge: ShownCharge | undefined;
  readonly factorPpm: bigint;
  readonly isUnknown: boolean;
}

/**
 * Returns the attempts of a request, separately for each of its models: an advisor or a fallback has a row of its own
 * in an export.
 */
function attemptsOf(request: CostedRequest, nameAt: NameAt): Attempt[] {
  const { costs } = request;
  const only: readonly AttemptCostText[] = [{ nanos: "0" }];
  return (costs ?? only).flatMap((cost): Attempt[] => {
    const upstream = cost.upstream ?? request.upstream ?? "";
    const model = cost.upstream_model ?? request.upstreamModel ?? "";
    const factorPpm = cost.factor === undefined ? PPM : BigInt(cost.factor);
    const asked = { upstream, model, charge: undefined, factorPpm, isUnknown: cost.used === "unknown" };
    if (cost.used !== undefined) return [asked];
    const charge = cost.charge === undefined ? chargeOfRow(request) : decodeCharge(cost.charge);
    const models = [...new Set(charge.lines.map(modelOf))];
    return models.map((other) => ({
      ...asked,
      model: other === undefined ? model : nameAt(upstream, other),
      charge: { ...charge, lines: charge.lines.filter((line) => modelOf(line) === other) },
    }));
  });
}

/** Returns the model of a price line; undefined = the requested model. */
function modelOf(line: PriceLine): string | undefined {
  return line.kind === "tokens" ? line.model : undefined;
}

function add({ buckets, tiers }: Slot, { charge, factorPpm }: Attempt): void {
  if (charge === undefined) return;
  const tier = charge.terms.find(({ dimension }) => dimension === "tier")?.name ?? "";
  for (const line of charge.lines) {
    const [bucket, quantity] = countOf(line);
    if (quantity === 0) continue;
    const sums = buckets.get(bucket) ?? { quantity: 0, amount: 0n };
    buckets.set(bucket, sums);
    sums.quantity += quantity;
    sums.amount += divideHalfUp(line.exact * factorPpm * AMOUNT_PER_NANO, EXACT_PER_NANO * PPM);
    if (line.kind === "tokens") tiers.set(tier, (tiers.get(tier) ?? 0) + quantity);
  }
}

function countOf(line: PriceLine): [bucket: string, quantity: number] {
  if (line.kind === "tokens") return [BUCKET_NAMES[line.bucket], line.tokens];
  return [line.kind === "call" ? toolBucket(line.name.split(" ")[0] ?? "") : line.name, line.count];
}

function reasonsFor({ implausible, estimated }: CostedRequest, { charge, isUnknown }: Attempt): CostDoubt[] {
  const why: CostDoubt[] = [];
  if (implausible.length > 0) why.push("implausible");
  if (estimated) why.push("estimated");
  if ((charge?.unpriced.length ?? 0) > 0) why.push("unpriced");
  if (isUnknown) why.push("unknown cost");
  return why;
}
