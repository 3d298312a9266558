import { definedFields } from "../../base/defined-fields.ts";
import type { TokenPrices } from "../../catalog/token-prices.ts";
import type { FrozenMediaRates } from "../billing.ts";

type Amounts = Readonly<Record<string, string>>;

/** Frozen rates of images and videos as they stand in the database: amounts as text, since a JSON number would lose digits. */
export interface StoredMediaRates {
  readonly perImage?: Amounts;
  readonly perSecond?: Amounts;
  readonly tokens?: Amounts;
}

export function writeMediaRates({ perImage, perSecond, tokens }: FrozenMediaRates): StoredMediaRates {
  return definedFields({
    perImage: perImage && each(perImage, String),
    perSecond: perSecond && each(perSecond, String),
    tokens: tokens && each(tokens, String),
  });
}

export function readMediaRates({ perImage, perSecond, tokens }: StoredMediaRates): FrozenMediaRates {
  return definedFields({
    perImage: perImage && each(perImage, BigInt),
    perSecond: perSecond && each(perSecond, BigInt),
    tokens: tokens && (each(tokens, BigInt) as TokenPrices),
  });
}

function each<From, To>(
  amounts: Readonly<Record<string, From>>,
  read: (amount: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(amounts).map(([word, amount]) => [word, read(amount)]));
}
