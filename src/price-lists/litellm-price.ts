import { appendAll } from "../base/append-all.ts";
import { LongNumber, writeExact } from "../base/json/exact-json.ts";
import { isRecord } from "../base/json/record.ts";
import {
  type CallPrice,
  type MinuteRange,
  namesMissing,
  type PriceHours,
  type PriceTier,
  SEARCH_SIZES,
} from "../catalog/price-table.ts";
import { keysOfTokenPrice, type TokenPrices } from "../catalog/token-prices.ts";
import { boundaryOf } from "./boundaries.ts";
import { commonFactor, exactly, hoursOf, type Row, stepsOf, validTable } from "./join-price.ts";
import { type ListedPrice, listedPrice, NotExpressible } from "./list-entry.ts";
import { isRanking, priceField } from "./litellm-fields.ts";

/** A model of the file, parsed with all digits of its numbers. */
export type LitellmModel = Readonly<Record<string, unknown>>;

/** Rows by the input size above which they apply; 0 = any input. */
type Rows = Map<number, Row>;

/** Reads a model's price. A tier that the list states only in part is left out, and named. */
export function readLitellmPrice(vendor: string, model: LitellmModel): ListedPrice {
  return listedPrice(() => {
    const { plain, tiers, others, leftOut } = readFields(vendor, model);
    if (readTieredPricing(model, plain, vendor)) others.delete("tiered_pricing");
    const base = plain.get(0) ?? {};
    const steps = stepsOf([...plain].filter(([above]) => above > 0));
    for (const { above, prices } of steps) {
      const missing = missingNames(base, prices);
      if (missing !== undefined) throw new NotExpressible(`the list has no ${missing} ${lengthText(above)}`);
    }
    const ownTiers: Record<string, PriceTier> = {};
    for (const [tier, rows] of tiers) {
      const read = readTier(plain, rows);
      if (typeof read === "string") leftOut.push(`tiers.${tier}: ${read}`);
      else ownTiers[tier] = read;
    }
    const beside = readOthers(vendor, model, others);
    const hours = readOffPeak(model["off_peak_pricing"], base, steps.length === 0 && tiers.size === 0);
    const table = validTable({ base, steps, tiers: ownTiers, hours, ...beside });
    return { table, leftOut };
  });
}

function readFields(vendor: string, model: LitellmModel) {
  const plain: Rows = new Map();
  const tiers = new Map<string, Rows>();
  const others = new Map<string, unknown>();
  const leftOut: string[] = [];
  for (const [field, value] of Object.entries(model)) {
    const meaning = priceField(field);
    // A null counts as an absent field.
    if (meaning === undefined || meaning.kind === "ignored" || value === null) continue;
    if (meaning.kind === "left-out") leftOut.push(meaning.what);
    if (meaning.kind === "other") others.set(field, value);
    if (meaning.kind !== "tokens") continue;
    const above = meaning.above === 0 ? 0 : boundaryOf(vendor, meaning.above);
    const rows = meaning.tier === undefined ? plain : (tiers.get(meaning.tier) ?? new Map<number, Row>());
    if (meaning.tier !== undefined) tiers.set(meaning.tier, rows);
    const row = rows.get(above) ?? {};
    rows.set(above, row);
    row[meaning.name] = perMillion(field, value);
  }
  // An older name for the same price.
  const base = plain.get(0);
  const hit = others.get("input_cost_per_token_cache_hit");
  if (base !== undefined && hit !== undefined) {
    others.delete("input_cost_per_token_cache_hit");
    base.cacheRead ??= perMillion("input_cost_per_token_cache_hit", hit);
  }
  // Embeddings have no output, which the list writes as a price of 0.
  if (base !== undefined && model["mode"] === "embedding" && base.output === 0n) delete base.output;
  return { plain, tiers, others, leftOut };
}

/** Reads prices by ranges of input, which replace the fields above. Returns false if there are none. */
function readTieredPricing({ tiered_pricing: tiers }: LitellmModel, plain: Rows, vendor: string): boolean {
  if (tiers === undefined) return false;
  if (!Array.isArray(tiers) || plain.size > 1) throw new NotExpressible("tiered_pricing has an unknown form");
  const rows: Rows = new Map();
  for (const tier of tiers) {
    if (!isRecord(tier) || !Array.isArray(tier["range"]))
      throw new NotExpressible("tiered_pricing has an unknown form");
    const [from] = tier["range"] as unknown[];
    if (typeof from !== "number") throw new NotExpressible("tiered_pricing has an unknown form");
    const row: Row = {};
    for (const [field, value] of Object.entries(tier)) {
      if (field === "range") continue;
      const meaning = priceField(field);
      if (meaning?.kind !== "tokens" || meaning.above > 0 || meaning.tier !== undefined)
        throw new NotExpressible(`it is priced by ${field}`);
      row[meaning.name] = perMillion(field, value);
    }
    rows.set(from === 0 ? 0 : boundaryOf(vendor, from), row);
  }
  plain.clear();
  for (const [above, row] of rows) plain.set(above, row);
  return true;
}

/** Returns the tier in the gateway's terms, or the reason why it cannot be read. */
function readTier(plain: Rows, rows: Rows): PriceTier | string {
  const factors = new Set<bigint | undefined>();
  for (const [above, row] of plain) {
    const own = rows.get(above) ?? {};
    const missing = missingNames(row, own);
    if (missing !== undefined)
      return `the list has no ${missing} for it${above === 0 ? "" : ` ${lengthText(above)}`}`;
    factors.add(commonFactor(row, own));
  }
  const [factor] = factors;
  if (factors.size === 1 && factor !== undefined && rows.size === plain.size) return { factor };
  const own = rows.get(0) ?? {};
  // A tier's row has no steps.
  if (plain.size === 1 && rows.size === 1) return { prices: own };
  return "its prices for long input have no one factor";
}

/** Names of prices that the second row leaves out; undefined = none. */
function missingNames(row: TokenPrices, other: TokenPrices): string | undefined {
  const missing = namesMissing(row, other);
  return missing.length === 0
    ? undefined
    : missing.map((name) => keysOfTokenPrice(name).join(".")).join(", ");
}

function lengthText(above: number): string {
  return `above ${above} tokens of input`;
}

function readOthers(vendor: string, model: LitellmModel, others: ReadonlyMap<string, unknown>) {
  const calls: Record<string, CallPrice> = {};
  const regions: Record<string, bigint> = {};
  const units: { search?: bigint } = {};
  let request = 0n;
  const speeds: Record<string, bigint> = {};
  for (const [factor, value] of entriesOf(model["provider_specific_entry"])) {
    // Beside factors, the object has settings of LiteLLM itself.
    if (!isNumber(value)) continue;
    if (factor === "fast") speeds[factor] = ppm(factor, value);
    else regions[factor] = ppm(factor, value);
  }
  for (const [field, value] of others) {
    const region = /^regional_processing_uplift_multiplier_([a-z]+)$/.exec(field)?.[1];
    if (field === "off_peak_pricing" || isNothing(value)) continue;
    if (region !== undefined) regions[region] = ppm(field, value);
    else if (field === "search_context_cost_per_query") {
      const tool = vendor === "google" ? "google_search" : "web_search";
      calls[tool] = readSearch(value, model["web_search_billing_unit"]);
    } else if (field === "file_search_cost_per_1k_calls")
      calls["file_search"] = { per: "use", nanos: exactly(field, digits(field, value), 6) };
    else if (field === "input_cost_per_query" && isRanking(model["mode"])) units.search = nanos(field, value);
    else if (field === "input_cost_per_request") request = nanos(field, value);
    else throw new NotExpressible(`it is priced by ${field}`);
  }
  return { calls, regions, speeds, units, request };
}

function readSearch(value: unknown, unit: unknown): CallPrice {
  const sizes: Record<string, bigint> = {};
  for (const [name, usd] of entriesOf(value)) {
    const size = SEARCH_SIZES.find((each) => name === `search_context_size_${each}`);
    if (size === undefined) throw new NotExpressible(`it is priced by search_context_cost_per_query.${name}`);
    sizes[size] = nanos(name, usd);
  }
  const amounts = [...new Set(Object.values(sizes))];
  const per = unit === "per_prompt" ? "request" : "use";
  const [nanosEach] = amounts;
  // If all sizes cost the same, the price without a stated size is known as well.
  if (nanosEach !== undefined && amounts.length === 1 && Object.keys(sizes).length === SEARCH_SIZES.length)
    return { per, nanos: nanosEach };
  if (per === "request" || amounts.length === 0)
    throw new NotExpressible("search_context_cost_per_query has no one price per prompt");
  return { per, sizes };
}

/** Prices at other hours, which replace all others during them. */
function readOffPeak(value: unknown, base: TokenPrices, isFlat: boolean): PriceHours[] {
  if (value === undefined || value === null) return [];
  const row: Row = {};
  const ranges: MinuteRange[] = [];
  for (const [field, each] of entriesOf(value)) {
    const meaning = priceField(field);
    if (meaning?.kind === "tokens" && meaning.above === 0 && meaning.tier === undefined)
      row[meaning.name] = perMillion(field, each);
    else if (field === "hours_utc") appendAll(ranges, [each].flat().map(readRange));
    else throw new NotExpressible(`off_peak_pricing has ${field}`);
  }
  const factor = commonFactor(base, row);
  if (factor === undefined || !isFlat)
    throw new NotExpressible("its prices at other hours have no one factor");
  return hoursOf([{ ranges, factor }]);
}

function readRange(text: unknown): MinuteRange {
  const written = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(String(text));
  if (written === null) throw new NotExpressible(`off_peak_pricing has the hours ${String(text)}`);
  const [, fromHour, fromMinute, untilHour, untilMinute] = written.map(Number);
  const from = (fromHour ?? 0) * 60 + (fromMinute ?? 0);
  const until = (untilHour ?? 0) * 60 + (untilMinute ?? 0);
  // The same time twice means the whole day.
  return from === until ? { from: 0, until: 1440 } : { from, until };
}

/** Converts dollars per token to nanos per 1,000,000 tokens. */
function perMillion(field: string, value: unknown): bigint {
  return exactly(field, digits(field, value), 15);
}

function nanos(field: string, value: unknown): bigint {
  return exactly(field, digits(field, value), 9);
}

function ppm(field: string, value: unknown): bigint {
  return exactly(field, digits(field, value), 6);
}

/** Returns the number as the file writes it. */
function digits(field: string, value: unknown): string {
  if (!isNumber(value)) throw new NotExpressible(`${field} is no number`);
  return writeExact(value);
}

function isNumber(value: unknown): value is number | LongNumber {
  return typeof value === "number" || value instanceof LongNumber;
}

/** True if an unknown field states that something is free. */
function isNothing(value: unknown): boolean {
  return value === null || value === 0;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}
