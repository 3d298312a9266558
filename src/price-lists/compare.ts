import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../base/json/record.ts";
import { pathText } from "../base/schema-issues.ts";
import type { Model } from "../catalog/catalog.ts";
import { type ListedTool, withListedTools } from "../catalog/listed-tool-prices.ts";
import type { Price } from "../catalog/price-columns.ts";
import { NO_DIMENSIONS, type PriceTable } from "../catalog/price-table.ts";
import { tableProblems } from "../catalog/table-problems.ts";
import type { UpstreamDeclaration } from "../catalog/upstreams-store.ts";
import { encodePrice } from "../manifest/file/encode-file.ts";
import type { FileRecord, FileValue } from "../manifest/file/file-value.ts";
import { type ListEntry, type PriceList, priceOf } from "./list-entry.ts";

/** A price that differs from the list, by its keys in the catalog file: "steps.272000.input". */
export interface PriceDifference {
  readonly price: string;
  /** null = only the other side has such a price. */
  readonly ours: string | null;
  readonly theirs: string | null;
}

/** A model of the catalog and its entry in a list. */
export interface Comparison {
  readonly model: string;
  /** Upstreams that offer it under the entry's name. */
  readonly upstreams: readonly string[];
  readonly list: Pick<PriceList, "name" | "date">;
  readonly entry: Pick<ListEntry, "vendor" | "model" | "url">;
  /** Changes that accepting the entry would make. */
  readonly differences: readonly PriceDifference[];
  /** Prices that the list states only in part; they stay as they are. */
  readonly leftOut: readonly string[];
  /** The reason why the entry cannot be accepted; undefined = it can. */
  readonly problem: string | undefined;
  /** The model's price after accepting; null = it cannot be accepted. */
  readonly accepted: Price | null;
}

/** Input of a comparison: text models, matched by vendor and by the names that their upstreams use. */
export interface Compared {
  readonly models: readonly Model[];
  readonly upstreams: readonly Pick<UpstreamDeclaration, "name" | "kind" | "preset" | "baseUrl" | "models">[];
  readonly lists: readonly PriceList[];
  /** List prices of the tools of a kind of upstream. They apply without being set. */
  toolsOf(kind: string): readonly ListedTool[];
  /** The vendor at a URL; undefined = no list knows it. */
  vendorAt(baseUrl: string): string | undefined;
  /** The list's name of the vendor that the upstream's preset stands for; undefined = there is none. */
  listedAs(upstream: Pick<UpstreamDeclaration, "preset" | "baseUrl">): string | undefined;
}

/** Returns the list's name of an upstream's vendor. */
export function vendorOf(
  upstream: Pick<UpstreamDeclaration, "preset" | "baseUrl">,
  { listedAs, vendorAt }: Pick<Compared, "listedAs" | "vendorAt">,
): string | undefined {
  return listedAs(upstream) ?? vendorAt(upstream.baseUrl);
}

export interface Comparisons {
  readonly comparisons: readonly Comparison[];
  /** Text models without an entry in any list. */
  readonly unlisted: readonly string[];
}

/** Compares every text model with the entries of its upstreams' vendors. Pure: nothing is written. */
export function comparePrices(compared: Compared): Comparisons {
  const { models, upstreams, lists, toolsOf } = compared;
  const unlisted: string[] = [];
  const sellers = upstreams.map((upstream) => ({ ...upstream, vendor: vendorOf(upstream, compared) }));
  const comparisons = models
    .filter(({ family, aliasOf }) => family === null && aliasOf === undefined)
    .flatMap((model) => {
      const serving = upstreams.filter((each) => each.models.has(model.id));
      const inForce = withListedTools(model, serving, toolsOf).price?.dimensions?.calls ?? {};
      const found = lists.flatMap((list) => {
        const byEntry = new Map<string, { entry: ListEntry; names: string[] }>();
        for (const { name, vendor, models: theirs } of sellers) {
          const theirName = theirs.get(model.id);
          const entry = vendor && theirName !== undefined ? list.find(vendor, theirName) : undefined;
          if (entry === undefined) continue;
          const key = `${entry.vendor} ${entry.model}`;
          byEntry.set(key, { entry, names: [...(byEntry.get(key)?.names ?? []), name] });
        }
        return Array.from(byEntry.values(), ({ entry, names }) =>
          compare(model, inForce, list, entry, names),
        );
      });
      if (found.length === 0) unlisted.push(model.id);
      return found;
    });
  return { comparisons, unlisted };
}

function compare(
  { id, price }: Model,
  inForce: PriceTable["calls"],
  { name, date }: PriceList,
  entry: ListEntry,
  upstreams: readonly string[],
): Comparison {
  const { vendor, model, url } = entry;
  const common = { model: id, upstreams, list: { name, date }, entry: { vendor, model, url } };
  const read = entry.read();
  if (read.table === undefined)
    return {
      ...common,
      differences: [],
      leftOut: [],
      problem: read.reason,
      accepted: null,
    };
  const theirs = { ...read.table, calls: otherCalls(read.table.calls, inForce) };
  const table = merge(price === null ? undefined : tableOf(price), theirs);
  const accepted: Price = { ...priceOf(table), media: price?.media ?? {} };
  const [problem] = tableProblems(table);
  return {
    ...common,
    differences: differencesOf(price, accepted),
    leftOut: read.leftOut,
    problem: problem && `with our other prices, ${pathText(problem.path)} ${problem.message}`,
    accepted: problem === undefined ? accepted : null,
  };
}

/**
 * Leaves out calls that cost the same already: a tool's list price applies without being written into the model's
 * price.
 */
function otherCalls(listed: PriceTable["calls"], inForce: PriceTable["calls"]): PriceTable["calls"] {
  return Object.fromEntries(
    Object.entries(listed).filter(([tool, price]) => !isDeepStrictEqual(price, inForce[tool])),
  );
}

function tableOf({ rates, dimensions = NO_DIMENSIONS }: Price): PriceTable {
  return { base: rates, ...dimensions };
}

/** Prices that the list names replace ours, all others stay. Steps and hours are replaced as a whole. */
function merge(ours: PriceTable | undefined, theirs: PriceTable): PriceTable {
  if (ours === undefined) return theirs;
  return {
    base: { ...ours.base, ...theirs.base },
    steps: theirs.steps.length > 0 ? theirs.steps : ours.steps,
    tiers: { ...ours.tiers, ...theirs.tiers },
    speeds: { ...ours.speeds, ...theirs.speeds },
    regions: { ...ours.regions, ...theirs.regions },
    hours: theirs.hours.length > 0 ? theirs.hours : ours.hours,
    calls: { ...ours.calls, ...theirs.calls },
    units: { ...ours.units, ...theirs.units },
    request: theirs.request > 0n ? theirs.request : ours.request,
  };
}

function differencesOf(before: Price | null, after: Price): PriceDifference[] {
  const [old, wanted] = [
    before === null ? new Map<string, string>() : namedPrices(before),
    namedPrices(after),
  ];
  return [...new Set([...old.keys(), ...wanted.keys()])].flatMap((price) => {
    const [ours, theirs] = [old.get(price) ?? null, wanted.get(price) ?? null];
    return ours === theirs ? [] : [{ price, ours, theirs }];
  });
}

/** All amounts and factors by their keys; members of lists are keyed by what identifies them. */
function namedPrices(price: Price): Map<string, string> {
  const named = new Map<string, string>();
  addPrices(named, "", encodePrice(price));
  return named;
}

function addPrices(named: Map<string, string>, path: string, value: FileValue | undefined): void {
  if (value === undefined) return;
  if (isRecord(value)) {
    for (const [key, inner] of Object.entries(value))
      addPrices(named, path === "" ? key : `${path}.${key}`, inner);
  } else if (Array.isArray(value) && value.every(isRecord)) {
    for (const { above, name, ...inner } of value as readonly FileRecord[])
      addPrices(named, `${path}.${String(above ?? name)}`, inner);
  } else {
    named.set(path, Array.isArray(value) ? value.join(", ") : String(value));
  }
}
