import { isRecord } from "../../base/json/record.ts";

/** Keys of a price that are written otherwise now, with the same values. */
const OLD_KEYS: Readonly<Record<string, string>> = { cache_write_5m: "cache_write" };

/** A file's content in today's spelling, with a sentence for each key that had an old one. */
export interface Respelt {
  readonly value: unknown;
  readonly warnings: readonly string[];
}

/**
 * Reads old spellings as the new ones. Where both stand side by side the old one is left, for the schema to refuse: nobody knows
 * which of them is meant.
 */
export function respell(file: unknown): Respelt {
  const warnings: string[] = [];
  if (!isRecord(file)) return { value: file, warnings };
  const { models, upstreams } = file as { readonly models?: unknown; readonly upstreams?: unknown };
  const respelt: Record<string, unknown> = { ...file };
  if (Array.isArray(models)) respelt["models"] = models.map((each: unknown) => respellModel(each, warnings));
  if (Array.isArray(upstreams))
    respelt["upstreams"] = upstreams.map((each: unknown) => respellUpstream(each, warnings));
  return { value: respelt, warnings };
}

function respellModel(model: unknown, warnings: string[]): unknown {
  if (!isRecord(model)) return model;
  const { price, id } = model as { readonly price?: unknown; readonly id?: unknown };
  if (isRecord(price)) return { ...model, price: respellPrice(price, String(id), warnings) };
  if (!Array.isArray(price)) return model;
  const rows = price.map((row: unknown) => (isRecord(row) ? respellPrice(row, String(id), warnings) : row));
  return { ...model, price: rows };
}

/** Its one limit stood by itself before there were others. */
function respellUpstream(upstream: unknown, warnings: string[]): unknown {
  if (!isRecord(upstream) || !("max_concurrency" in upstream)) return upstream;
  const { max_concurrency: concurrency, limits = {}, ...others } = upstream as FilePart;
  if (!isRecord(limits) || "concurrency" in limits) return upstream;
  warnings.push(
    `upstream ${String(upstream["name"])} uses max_concurrency, which is now called limits: { concurrency }`,
  );
  return { ...others, limits: { ...limits, concurrency } };
}

/** A price with its steps and tiers, which are rows of the same keys. */
function respellPrice(price: FilePart, model: string, warnings: string[]): FilePart {
  for (const name of Object.keys(isRecord(price["extras"]) ? price["extras"] : {}))
    warnings.push(
      `model ${model} uses the price extras "${name}", which is read as calls: { "${name}": { price, per: request } }`,
    );
  const { steps, tiers } = price as { readonly steps?: unknown; readonly tiers?: unknown };
  const row = (each: unknown): unknown => (isRecord(each) ? respellRow(each, model, warnings) : each);
  const respelt: Record<string, unknown> = { ...respellRow(price, model, warnings) };
  if (Array.isArray(steps)) respelt["steps"] = steps.map(row);
  if (isRecord(tiers))
    respelt["tiers"] = Object.fromEntries(Object.entries(tiers).map(([name, tier]) => [name, row(tier)]));
  return respelt;
}

function respellRow(row: FilePart, model: string, warnings: string[]): FilePart {
  const entries = Object.entries(row).map(([key, value]): [string, unknown] => {
    const today = Object.hasOwn(OLD_KEYS, key) ? OLD_KEYS[key] : undefined;
    if (today === undefined || today in row) return [key, value];
    warnings.push(`model ${model} uses the price ${key}, which is now called ${today}`);
    return [today, value];
  });
  return Object.fromEntries(entries);
}

type FilePart = Readonly<Record<string, unknown>>;
