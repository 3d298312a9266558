import type { Caller } from "../../accounts/caller.ts";
import { NO_DIMENSIONS } from "../../catalog/price-table.ts";
import type { TokenPrices } from "../../catalog/token-prices.ts";
import type { FrozenPrice } from "../billing.ts";

/** Model, price row, rates and factor of many requests. */
interface ModelText {
  /** JSON written by `encodeRates`, to be embedded in other JSON. */
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
  const known = modelTexts.get(price.rates);
  if (
    known?.model === model &&
    known.price.priceId === price.priceId &&
    known.price.hours === price.hours &&
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

/** True if a string needs no escaping in a row and in JSON. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const PLAIN = /^[ !#-[\]-~]+$/;

/** Word for the fee of every request, in keys that hold the factor and, after a blank, the name. */
const FEE = "request";
const HOURS = "hours";

/** Rates as JSON, amounts as text. */
function encodeRates({ rates, dimensions, hours }: FrozenPrice): string {
  const fee = dimensions?.request ?? 0n;
  return JSON.stringify(
    {
      ...rates,
      [FEE]: fee > 0n ? fee : undefined,
      [HOURS]: hours && `${hours.factor} ${hours.name}`,
    },
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
}

/** A frozen price as `encodeRates` wrote it: enough for a plain charge. */
export function decodeRates(
  frozen: Readonly<Record<string, string>>,
): Pick<FrozenPrice, "rates" | "dimensions" | "hours"> {
  const { [FEE]: fee, [HOURS]: hours, ...named } = frozen;
  const rates = Object.fromEntries(Object.entries(named).map(([name, nanos]) => [name, BigInt(nanos)]));
  const [factor = "", ...name] = hours?.split(" ") ?? [];
  const held = hours === undefined ? undefined : { name: name.join(" "), factor: BigInt(factor) };
  return {
    rates: rates as TokenPrices,
    dimensions: {
      ...NO_DIMENSIONS,
      request: fee === undefined ? NO_DIMENSIONS.request : BigInt(fee),
      hours: held === undefined ? NO_DIMENSIONS.hours : [{ ...held, ranges: [] }],
    },
    hours: held,
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
