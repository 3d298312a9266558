import { isRecord } from "../base/json/record.ts";
import type { ServedUsage } from "../billing/billing.ts";
import { bucketByName, PRICE_OF } from "../billing/pricing/bucket-price.ts";
import { chargeOf } from "../billing/pricing/charge.ts";
import type { Price } from "../catalog/price-columns.ts";
import { CALL_SIZES } from "../catalog/price-table.ts";
import { keysOfTokenPrice } from "../catalog/token-prices.ts";
import { encodePrice } from "../manifest/file/encode-file.ts";
import type { FileRecord, FileValue } from "../manifest/file/file-value.ts";
import { findTerm } from "../usage/service-terms.ts";
import { findTool } from "../usage/tool-names.ts";

/** A price to be set, by its keys in the catalog file. */
export interface MissingPrice {
  readonly keys: readonly string[];
  /** undefined = no list has it. */
  readonly listed: string | undefined;
}

/** True if a charge at this price would list `what` among unpriced usage. */
export function isUnpriced(price: Price, what: string): boolean {
  const frozen = { priceId: 0n, factorPpm: 1_000_000n, rates: price.rates };
  const { dimensions } = price;
  const charge = chargeOf(dimensions === undefined ? frozen : { ...frozen, dimensions }, usageOf(what));
  return charge.unpriced.length > 0;
}

/** Returns the smallest usage that a charge would list under this name. */
function usageOf(what: string): ServedUsage {
  const [kind, name, size] = wordsOf(what);
  if (name === undefined) {
    const bucket = bucketByName(kind);
    return { usage: bucket === undefined ? {} : { [bucket]: 1 } };
  }
  if (kind === "call")
    return {
      usage: {},
      calls: [size === undefined ? { tool: name, count: 1 } : { tool: name, size, count: 1 }],
    };
  return kind === "unit"
    ? { usage: {}, units: { [name]: 1 } }
    : { usage: { inputUncached: 1 }, served: { [kind]: name } };
}

/**
 * Returns the prices that would cover it, with the listed amounts. [] if no single price can: for a tool with prices by
 * size that was called without a size, or with an unknown one.
 */
export function missingPrices(
  price: Price,
  what: string,
  listed: Price | undefined,
): readonly MissingPrice[] {
  const own = encodePrice(price);
  const theirs = listed && encodePrice(listed);
  const [kind, name, size] = wordsOf(what);
  if (name === undefined) {
    const bucket = bucketByName(kind);
    if (bucket === undefined) return [];
    const keys = keysOfTokenPrice(PRICE_OF[bucket]);
    return leavesOf(keys, theirs && valueAt(theirs, keys));
  }
  if (kind === "unit") return leavesOf(["units", name], theirs && valueAt(theirs, ["units", name]));
  if (kind === "call") return missingCall(name, size, own["calls"], theirs?.["calls"]);
  const terms = recordOf(theirs?.[`${kind}s`]);
  const found = findTerm(Object.keys(terms), name);
  const term = found === undefined ? undefined : terms[found];
  const keys = [`${kind}s`, name];
  return term === undefined ? leavesOf([...keys, "factor"], undefined) : leavesOf(keys, term);
}

function missingCall(
  tool: string,
  size: string | undefined,
  own: FileValue | undefined,
  theirs: FileValue | undefined,
): readonly MissingPrice[] {
  const name = findTool(Object.keys(recordOf(own)), tool);
  const listedName = findTool(Object.keys(recordOf(theirs)), tool);
  const listed = listedName === undefined ? undefined : recordOf(theirs)[listedName];
  if (name === undefined) return leavesOf(["calls", tool], listed);
  if (size === undefined || !CALL_SIZES.some((each) => each === size)) return [];
  return leavesOf(["calls", name, size], recordOf(listed)[size]);
}

/** The amounts of a value, each with its keys. Without a value, this is the one amount that has to be set. */
function leavesOf(keys: readonly string[], value: FileValue | undefined): MissingPrice[] {
  if (value === undefined) return [{ keys, listed: undefined }];
  if (!isRecord(value)) return [{ keys, listed: String(value) }];
  return Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined ? [] : leavesOf([...keys, key], inner),
  );
}

/** Returns the price with these amounts added, in the form of the catalog file. */
export function withPrices(
  price: Price,
  given: readonly (readonly [keys: readonly string[], value: string])[],
): FileRecord {
  return given.reduce((record, [keys, value]) => withValue(record, keys, value), encodePrice(price));
}

function withValue(record: FileRecord, [key = "", ...rest]: readonly string[], value: string): FileRecord {
  return { ...record, [key]: rest.length === 0 ? value : withValue(recordOf(record[key]), rest, value) };
}

function valueAt(record: FileRecord, keys: readonly string[]): FileValue | undefined {
  return keys.reduce<FileValue | undefined>((under, key) => recordOf(under)[key], record);
}

function recordOf(value: FileValue | undefined): FileRecord {
  return value !== undefined && isRecord(value) ? value : {};
}

/** Splits "call web_search low" into its three words; a bucket of tokens is one word. */
function wordsOf(what: string): readonly [kind: string, name?: string, size?: string] {
  const [kind = "", name, size] = what.split(" ");
  if (name === undefined) return [kind];
  return size === undefined ? [kind, name] : [kind, name, size];
}
