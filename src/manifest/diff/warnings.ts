import { appendAll } from "../../base/append-all.ts";
import { momentText } from "../../catalog/coming-prices.ts";
import type { Price } from "../../catalog/price-columns.ts";
import { tableWarnings } from "../../catalog/table-problems.ts";
import { UNIT_ENDPOINTS } from "../../catalog/vocabulary.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { findTerm } from "../../usage/service-terms.ts";
import { misspeltTool } from "../../usage/tool-names.ts";
import { BILLED_UNITS } from "../../usage/usage.ts";
import { demoClashes } from "../demo/demo-clashes.ts";
import type { Manifest } from "../manifest.ts";
import type { State } from "./state.ts";

/** A price below this, in nanos of a dollar per 1,000,000 tokens, is nobody's: it is most likely one per token. */
const LEAST_PRICE_NANOS = 1_000_000n;

/**
 * Sentences about what a file may well declare but hardly means. Pure; `removed` names the upstreams that the same
 * run removes, `now` is in milliseconds since 1970.
 */
export function warningsOf(
  manifest: Manifest,
  state: Pick<State, "upstreams" | "models">,
  { removed, now }: { readonly removed: ReadonlySet<string>; readonly now: number },
): string[] {
  const declared = new Set(manifest.upstreams.map(({ name }) => name));
  const before = new Map(state.upstreams.map((upstream) => [upstream.name, upstream]));
  const upstreams = [
    ...manifest.upstreams.map(({ name, kind, models, enabled }) => ({
      name,
      kind,
      models,
      enabled: enabled ?? before.get(name)?.enabled ?? true,
    })),
    ...state.upstreams.filter(({ name }) => !declared.has(name) && !removed.has(name)),
  ];
  const served = new Set(upstreams.flatMap(({ models }) => [...models.keys()]));
  return [
    ...(manifest.warnings ?? []),
    ...demoClashes(upstreams),
    ...manifest.models.flatMap((model) => [...modelWarnings(model, served), ...momentWarnings(model, now)]),
    ...manifest.upstreams.flatMap(addressWarnings),
    ...manifest.upstreams.flatMap(costWarnings),
    ...manifest.upstreams.flatMap((upstream) =>
      serviceWarnings(upstream, [...manifest.models, ...state.models]),
    ),
    ...manifest.accounts.flatMap(({ name, keys }) =>
      (keys ?? []).flatMap((key) =>
        key.expiresAt && key.expiresAt.getTime() <= now
          ? [`key ${name}/${key.name} has already expired, on ${key.expiresAt.toISOString()}`]
          : [],
      ),
    ),
  ];
}

function modelWarnings(model: Manifest["models"][number], served: ReadonlySet<string>): string[] {
  const { id, aliasOf, contextTokens, maxOutputTokens, price, coming = [] } = model;
  if (aliasOf !== undefined) return [];
  const warnings: string[] = [];
  if (!served.has(id)) warnings.push(`model ${id} has no upstream; add it to an upstream's models`);
  if (contextTokens != null && maxOutputTokens != null && maxOutputTokens > contextTokens)
    warnings.push(
      `model ${id} has max_output_tokens ${maxOutputTokens} above its context_tokens ${contextTokens}`,
    );
  for (const row of [...(price === null ? [] : [price]), ...coming])
    warnings.push(
      ...priceWarnings(id, row),
      ...unitWarnings(model, row),
      ...callWarnings(`model ${id}`, row.dimensions),
    );
  return [...new Set(warnings)];
}

/** Warns of prices by the clock that no request is charged by, and of a time without any. */
function momentWarnings({ id, price, coming = [] }: Manifest["models"][number], now: number): string[] {
  const rows = [...(price === null ? [] : [price]), ...coming];
  const begun = rows.filter(({ fromMs = now }) => fromMs <= now);
  const [next] = rows;
  if (begun.length === 0 && next?.fromMs !== undefined)
    return [`model ${id} has no price before ${momentText(next.fromMs)}, and can't be used until then`];
  const since = begun.at(-1)?.fromMs;
  return begun.length > 1 && since !== undefined
    ? [
        `model ${id} has prices that the one from ${momentText(since)} has replaced; remove them from the file`,
      ]
    : [];
}

function priceWarnings(id: string, { rates, dimensions }: Price): string[] {
  const tiny = Object.values(rates).some((rate) => rate > 0n && rate < LEAST_PRICE_NANOS);
  const warnings: string[] = [];
  if (tiny)
    warnings.push(
      `model ${id} costs less than $0.001 per 1,000,000 tokens; is this a price per token? Prices are per 1,000,000`,
    );
  if (rates.cacheRead !== undefined && rates.input !== undefined && rates.cacheRead > rates.input)
    warnings.push(`model ${id} has a cache_read price above its input price`);
  if (dimensions !== undefined) {
    const table = { base: rates, ...dimensions };
    appendAll(
      warnings,
      tableWarnings(table).map((warning) => `model ${id}: ${warning}`),
    );
  }
  return warnings;
}

/** Warns of units that none of the model's endpoints counts, because such a price is never charged. */
function unitWarnings({ id, endpoints }: Manifest["models"][number], { dimensions }: Price): string[] {
  return BILLED_UNITS.filter(
    (unit) => dimensions?.units[unit] !== undefined && !endpoints.includes(UNIT_ENDPOINTS[unit]),
  ).map(
    (unit) =>
      `model ${id} has a price of the unit ${unit}, which only the endpoint ${UNIT_ENDPOINTS[unit]} counts; it is never charged`,
  );
}

/** Warns of prices of tools that no vendor has by this name: a call of the intended tool is not charged by them. */
function callWarnings(owner: string, dimensions: Price["dimensions"]): string[] {
  return Object.keys(dimensions?.calls ?? {}).flatMap((tool) => {
    const meant = misspeltTool(tool);
    if (meant === undefined) return [];
    return [
      `${owner} has a price of the tool "${tool}"; no known vendor tool is called that: did you mean "${meant}"?`,
    ];
  });
}

function costWarnings({ name, cost }: Manifest["upstreams"][number]): string[] {
  const prices = [...(cost?.prices.values() ?? [])];
  return [...new Set(prices.flatMap(({ dimensions }) => callWarnings(`upstream ${name}`, dimensions)))];
}

/** Warns of an upstream that, without being asked, serves in a way that its models have no price for. */
function serviceWarnings(
  { name, models, unaskedTiers, region }: Manifest["upstreams"][number],
  known: readonly Pick<Manifest["models"][number], "id" | "family" | "price" | "coming">[],
): string[] {
  const own = new Map(known.map((model) => [model.id, model] as const).reverse());
  const served = [...models.keys()]
    .flatMap((id) => own.get(id) ?? [])
    .filter(({ family }) => family === null);
  // True if each of a model's prices, including those that begin later, has one for this.
  const pricedBy = (
    { price, coming = [] }: (typeof served)[number],
    dimension: "tiers" | "regions",
    word: string,
  ): boolean[] => {
    const rows = coming.length > 0 ? [...(price === null ? [] : [price]), ...coming] : [price];
    return rows.map(
      (row) => findTerm(Object.keys(row?.dimensions?.[dimension] ?? {}), word.toLowerCase()) !== undefined,
    );
  };
  const warnings = unaskedTiers.flatMap((tier) => {
    const ids = served.flatMap((model) => (pricedBy(model, "tiers", tier).every(Boolean) ? [] : [model.id]));
    if (ids.length === 0) return [];
    return [
      `upstream ${name} has the unasked tier "${tier}", for which these models have no price at some time: ${ids.join(", ")}; set price.tiers.${tier}`,
    ];
  });
  if (region !== null && !served.some((model) => pricedBy(model, "regions", region).some(Boolean)))
    warnings.push(`upstream ${name} has the region "${region}", for which none of its models has a price`);
  return warnings;
}

/** The two kinds whose SDKs disagree on whether the version belongs to the base URL. */
function addressWarnings({ name, kind, baseUrl }: Manifest["upstreams"][number]): string[] {
  const isVersioned = /\/v\d+$/.test(baseUrl);
  const belowRoot = Object.values(kindOf(kind)?.paths ?? {}).some((path) => path.startsWith("/v1/"));
  if (kind === "openai" && !isVersioned)
    return [`upstream ${name} has a base_url without /v1 at the end, which kind openai requires`];
  if (belowRoot && isVersioned)
    return [
      `upstream ${name} has a base_url that ends in a version; kind ${kind} adds /v1 itself: remove it`,
    ];
  return [];
}
