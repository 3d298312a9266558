import type { Caller } from "../../accounts/caller.ts";
import type { TokenPrices } from "../../catalog/token-prices.ts";
import type { FrozenPrice } from "../billing.ts";

/** Account and key, as they stand amid a begin record and in a row. */
interface CallerText {
  readonly line: Uint8Array;
  readonly row: Uint8Array;
}

/** Model, price row, rates and factor: how a begin record begins, up to the comma, and part of a row. */
interface ModelText {
  readonly line: Uint8Array;
  /** undefined where a row cannot hold the model's name. */
  readonly row: Uint8Array | undefined;
}

// Callers and rates are shared by many requests and frozen, so their bytes are made once; of rates for one factor.
const callerTexts = new WeakMap<Caller, CallerText>();
const modelTexts = new WeakMap<TokenPrices, KnownModel>();

interface KnownModel {
  readonly model: string;
  readonly price: FrozenPrice;
  readonly text: ModelText;
}

export function callerText(caller: Caller): CallerText {
  let text = callerTexts.get(caller);
  if (text === undefined) {
    const { accountId, keyId } = caller;
    text = {
      line: Buffer.from(`,"account":"${accountId}","key":"${keyId}"`),
      row: Buffer.from(`\t${accountId}\t${keyId}\t`),
    };
    callerTexts.set(caller, text);
  }
  return text;
}

export function modelText(model: string, price: FrozenPrice): ModelText {
  if (price.extras !== undefined) return encodeModel(model, price);
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
  const line = `{"model":${wellFormed(JSON.stringify(model))},"price":"${priceId}","rates":${frozen},"factor":"${factorPpm}"`;
  return {
    line: Buffer.from(line),
    row: isPlain(model) ? Buffer.from(`${model}\t${priceId}\t${frozen}\t${factorPpm}\t`) : undefined,
  };
}

/** Whether a text can be a field of a row, and stands in JSON as it is. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

const PLAIN = /^[ !#-[\]-~]+$/;

/** Prefix of an extra among the frozen rates; no rate of tokens has a colon. */
export const EXTRA = "extra:";

/** Name of the row that was taken, among the frozen rates. */
export const ROW = "row";

/** Rates as JSON, amounts as text. */
export function encodeRates({ rates, extras = {}, row }: FrozenPrice): string {
  const named = Object.entries(extras).map(([name, nanos]) => [EXTRA + name, nanos]);
  return JSON.stringify({ ...rates, ...Object.fromEntries(named), [ROW]: row }, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
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
