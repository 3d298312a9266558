import { PPM } from "../../base/money.ts";
import { NO_DIMENSIONS, rowsOf, type TableRows, type WholeRow } from "../../catalog/price-table.ts";
import type { TokenPrices } from "../../catalog/token-prices.ts";
import {
  findTerm,
  PLAIN_SERVICE,
  SERVICE_DIMENSIONS,
  type ServiceDimension,
  type ServiceTerms,
} from "../../usage/service-terms.ts";
import { TOKEN_BUCKETS, type TokenUsage, totalInput } from "../../usage/usage.ts";
import type { FrozenPrice, PriceTerm } from "../billing.ts";
import { rateOf, TERM_SCALE, termProduct } from "./rate.ts";

/** What the response says that decides its price. */
export interface ServedUsage {
  readonly usage: TokenUsage;
  /** How often the request was sent, with the same input each time: each is one pass; absent = once. */
  readonly requests?: number;
  readonly served?: ServiceTerms;
}

/**
 * The price with the row that the usage takes, and with what multiplies it: the row of the highest step that its input
 * exceeds or of its tier, times the factors of tier, speed and region. The response's word counts before the request's. The
 * price itself where that is the base row alone.
 */
export function takenPrice(price: FrozenPrice, { usage, requests = 1, served }: ServedUsage): FrozenPrice {
  const words = wordsOf(price.asked, served);
  const dimensions = price.dimensions ?? NO_DIMENSIONS;
  if (words.length === 0 && dimensions.steps.length === 0) return price;
  const rows = rowsOf(price.rates, dimensions);
  const input = totalInput(usage);
  let row: WholeRow | undefined = rows.steps.findLast(({ above }) => input > above * requests);
  const terms: PriceTerm[] = [];
  const unpriced: string[] = [];
  for (const { dimension, word, from } of words) {
    if (dimension === "tier") {
      const name = findTerm(Object.keys(dimensions.tiers), word);
      if (name === undefined) unpriced.push(`tier ${word}`);
      const candidates = name === undefined ? everyRow(price, rows) : [tierTerms(price, rows, name, row)];
      const taken = candidates.reduce((dearest, each) =>
        costIn(each, usage) > costIn(dearest, usage) ? each : dearest,
      );
      row = taken.row;
      terms.push({ dimension, name: name ?? word, from, ...factorIn(taken) });
    } else {
      const factors = dimension === "speed" ? dimensions.speeds : dimensions.regions;
      const name = findTerm(Object.keys(factors), word);
      if (name === undefined) unpriced.push(`${dimension} ${word}`);
      const factorPpm = name === undefined ? largest(Object.values(factors)) : factors[name];
      terms.push({ dimension, name: name ?? word, from, factorPpm: factorPpm ?? PPM });
    }
  }
  const isBase = row === undefined || row.prices === price.rates;
  if (isBase && terms.length === 0) return price;
  return {
    ...price,
    ...(isBase ? {} : { rates: row?.prices ?? price.rates, row: row?.name ?? "" }),
    terms: [...(price.terms ?? []), ...terms],
    ...(unpriced.length > 0 && { unpriced }),
  };
}

/** The dearest rate, rounded up, at which a pass of so many tokens of input, or fewer, can be charged, as it asks to be served. */
export function dearestOf(
  price: FrozenPrice,
  inputTokens: number,
  ratesOf: (rates: TokenPrices) => bigint,
): bigint {
  const { asked = {}, dimensions } = price;
  if (dimensions === undefined) return ratesOf(price.rates);
  const rows = rowsOf(price.rates, dimensions);
  const reached = rows.steps.filter(({ above }) => inputTokens > above || above < 0);
  const { tier } = asked;
  const candidates = reached.flatMap((row): Candidate[] => [
    { row },
    ...(tier === undefined ? [] : [tierTerms(price, rows, tier, row)]),
  ]);
  // A request may be served more plainly than it asks.
  const speed = largest([dimensions.speeds[asked.speed ?? ""] ?? PPM]);
  const region = largest([dimensions.regions[asked.region ?? ""] ?? PPM]);
  const shared = termProduct(price.terms) * speed * region;
  let dearest = 0n;
  for (const { row, factorPpm = PPM } of candidates) {
    const rate = ratesOf(row.prices) * factorPpm * shared;
    if (rate > dearest) dearest = rate;
  }
  const scale = TERM_SCALE * PPM ** 3n;
  return (dearest + scale - 1n) / scale;
}

/** A row, with the factor of the tier that leads to it. */
interface Candidate {
  readonly row: WholeRow;
  readonly factorPpm?: bigint;
}

/** What a tier of the table makes of the row that the input takes. */
function tierTerms(
  { rates, dimensions = NO_DIMENSIONS }: FrozenPrice,
  rows: TableRows,
  name: string,
  row: WholeRow = { name: "base", prices: rates },
): Candidate {
  const tier = dimensions.tiers[name];
  if (tier !== undefined && "factor" in tier) return { row, factorPpm: tier.factor };
  return { row: rows.tiers.get(name) ?? row };
}

/** Each row of the table, plain and with each tier: what a tier that it does not know may cost. */
function everyRow(price: FrozenPrice, rows: TableRows): Candidate[] {
  const tiers = Object.keys(price.dimensions?.tiers ?? {});
  return rows.steps.flatMap((row) => [{ row }, ...tiers.map((tier) => tierTerms(price, rows, tier, row))]);
}

function costIn({ row, factorPpm = PPM }: Candidate, usage: TokenUsage): bigint {
  let cost = 0n;
  for (const bucket of TOKEN_BUCKETS) cost += BigInt(usage[bucket] ?? 0) * rateOf(row.prices, bucket);
  return cost * factorPpm;
}

function factorIn({ factorPpm }: Candidate): Pick<PriceTerm, "factorPpm"> {
  return factorPpm === undefined ? {} : { factorPpm };
}

function largest(factors: readonly bigint[]): bigint {
  return factors.reduce((most, factor) => (factor > most ? factor : most), PPM);
}

interface ServedWord {
  readonly dimension: ServiceDimension;
  readonly word: string;
  readonly from: "answer" | "asked";
}

/** How the request was served otherwise than plainly. */
function wordsOf(asked: ServiceTerms | undefined, served: ServiceTerms | undefined): readonly ServedWord[] {
  if (asked === undefined && served === undefined) return [];
  const words: ServedWord[] = [];
  for (const dimension of SERVICE_DIMENSIONS) {
    const told = served?.[dimension];
    const word = told ?? asked?.[dimension];
    if (word !== undefined && word !== PLAIN_SERVICE)
      words.push({ dimension, word, from: told === undefined ? "asked" : "answer" });
  }
  return words;
}
