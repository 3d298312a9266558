import type { Caller } from "../../accounts/caller.ts";
import type { TokenPrices } from "../../catalog/token-prices.ts";
import type { FrozenPrice, PriceTerm } from "../billing.ts";

/** Model, price row, rates and factor of many requests. */
interface ModelText {
  /** As `encodeRates` writes them, to be a part of other JSON. */
  readonly rates: unknown;
  /** Part of a row of the usage log; undefined where a row cannot hold the model's name. */
  readonly row: Uint8Array | undefined;
}

// Callers and rates are shared by many requests and frozen, so their bytes are made once; of rates for one factor.
const callerRows = new WeakMap<Caller, Uint8Array>();
const modelTexts = new WeakMap<TokenPrices, KnownModel>();

interface KnownModel {
  readonly model: string;
  readonly price: FrozenPrice;
  readonly text: ModelText;
}

/** Account and key, as they stand amid a row of the usage log. */
export function callerRow(caller: Caller): Uint8Array {
  let row = callerRows.get(caller);
  if (row === undefined) {
    row = Buffer.from(`\t${caller.accountId}\t${caller.keyId}\t`);
    callerRows.set(caller, row);
  }
  return row;
}

export function modelText(model: string, price: FrozenPrice): ModelText {
  if (price.extras !== undefined || price.terms !== undefined) return encodeModel(model, price);
  const known = modelTexts.get(price.rates);
  if (
    known?.model === model &&
    known.price.priceId === price.priceId &&
    known.price.factorPpm === price.factorPpm
  )
    return known.text;
  const text = encodeModel(model, price);
  modelTexts.set(price.rates, { model, price, text });
  return text;
}

function encodeModel(model: string, price: FrozenPrice): ModelText {
  const { priceId, factorPpm } = price;
  const frozen = wellFormed(encodeRates(price));
  return {
    rates: JSON.parse(frozen) as unknown,
    row: isPlain(model) ? Buffer.from(`${model}\t${priceId}\t${frozen}\t${factorPpm}\t`) : undefined,
  };
}

/** Whether a text can be a field of a row, and stands in JSON as it is. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const PLAIN = /^[ !#-[\]-~]+$/;

/** Prefix of an extra among the frozen rates; no rate of tokens has a colon. */
const EXTRA = "extra:";

/** Name of the row that was taken, among the frozen rates. */
const ROW = "row";

/** Prefix of what was served or asked for, followed by its dimension: its name, who said so, and its factor, parted by blanks. */
const TERM = "term:";

/** Name of what has no price, parted by commas. */
const UNPRICED = "unpriced";

/** Rates as JSON, amounts as text. */
export function encodeRates({ rates, extras = {}, row, terms = [], unpriced }: FrozenPrice): string {
  const named = Object.entries(extras).map(([name, nanos]) => [EXTRA + name, nanos]);
  const told = terms.map((term) => [TERM + term.dimension, encodeTerm(term)]);
  return JSON.stringify(
    { ...rates, ...Object.fromEntries([...named, ...told]), [ROW]: row, [UNPRICED]: unpriced?.join() },
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
}

/** The name last, since it alone may hold blanks. */
function encodeTerm({ name, from, factorPpm }: PriceTerm): string {
  return [from, factorPpm ?? "row", name].join(" ");
}

/** A frozen price as `encodeRates` wrote it, but for its dimensions. */
export function decodeRates(
  frozen: Readonly<Record<string, string>>,
): Pick<FrozenPrice, "rates" | "extras" | "row" | "terms" | "unpriced"> {
  const rates: Record<string, bigint> = {};
  const extras: Record<string, bigint> = {};
  const terms: PriceTerm[] = [];
  for (const [name, value] of Object.entries(frozen)) {
    if (name === ROW || name === UNPRICED) continue;
    if (name.startsWith(EXTRA)) extras[name.slice(EXTRA.length)] = BigInt(value);
    else if (name.startsWith(TERM)) terms.push(decodeTerm(name.slice(TERM.length), value));
    else rates[name] = BigInt(value);
  }
  const { [ROW]: row, [UNPRICED]: unpriced } = frozen;
  return {
    rates: rates as TokenPrices,
    extras,
    ...(row !== undefined && { row }),
    ...(terms.length > 0 && { terms }),
    ...(unpriced !== undefined && { unpriced: unpriced.split(",") }),
  };
}

function decodeTerm(dimension: string, text: string): PriceTerm {
  const [from = "", factor = "", ...name] = text.split(" ");
  return {
    dimension: dimension as PriceTerm["dimension"],
    from: from as PriceTerm["from"],
    name: name.join(" "),
    ...(factor !== "row" && { factorPpm: BigInt(factor) }),
  };
}

/**
 * PostgreSQL's jsonb takes neither NUL nor half of a surrogate pair, which JSON can spell. Both come only
 * from somebody playing tricks; they become U+FFFD so that the line is not refused for them.
 */
export function wellFormed(json: string): string {
  if (!json.includes("\\u")) return json;
  return json.replace(/(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, (found, backslash) =>
    backslash ? found : "\ufffd",
  );
}
