/** Keys of a price that are written otherwise now, with the same values. */
const OLD_KEYS: Readonly<Record<string, string>> = { cache_write_5m: "cache_write" };

/** A file's content in today's spelling, with a sentence for each key that had an old one. */
export interface Respelt {
  readonly value: unknown;
  readonly warnings: readonly string[];
}

/**
 * Reads old spellings of prices as the new ones. Where both stand side by side the old one is left, for the schema to refuse:
 * nobody knows which of them is meant.
 */
export function respell(file: unknown): Respelt {
  if (!isRecord(file) || !Array.isArray(file["models"])) return { value: file, warnings: [] };
  const warnings: string[] = [];
  const models = file["models"].map((model: unknown) => {
    if (!isRecord(model) || !isRecord(model["price"])) return model;
    const price = model["price"];
    for (const name of Object.keys(isRecord(price["extras"]) ? price["extras"] : {}))
      warnings.push(
        `model ${String(model["id"])} uses the price extras "${name}", which is read as calls: { "${name}": { price, per: request } }`,
      );
    const entries = Object.entries(price).map(([key, value]): [string, unknown] => {
      const today = Object.hasOwn(OLD_KEYS, key) ? OLD_KEYS[key] : undefined;
      if (today === undefined || today in price) return [key, value];
      warnings.push(`model ${String(model["id"])} uses the price ${key}, which is now called ${today}`);
      return [today, value];
    });
    return { ...model, price: Object.fromEntries(entries) };
  });
  return { value: { ...file, models }, warnings };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
