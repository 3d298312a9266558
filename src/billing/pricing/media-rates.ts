import { definedFields } from "../../base/defined-fields.ts";
import type { MediaRates } from "../../catalog/catalog.ts";

/** Frozen rates of images and videos as they stand in the database: amounts as text, since a JSON number would lose digits. */
export interface StoredMediaRates {
  readonly perImage?: Readonly<Record<string, string>>;
  readonly perSecond?: Readonly<Record<string, string>>;
}

export function writeMediaRates({ perImage, perSecond }: MediaRates): StoredMediaRates {
  return definedFields({
    perImage: perImage && each(perImage, String),
    perSecond: perSecond && each(perSecond, String),
  });
}

export function readMediaRates({ perImage, perSecond }: StoredMediaRates): MediaRates {
  return definedFields({
    perImage: perImage && each(perImage, BigInt),
    perSecond: perSecond && each(perSecond, BigInt),
  });
}

function each<From, To>(
  amounts: Readonly<Record<string, From>>,
  read: (amount: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(amounts).map(([word, amount]) => [word, read(amount)]));
}
