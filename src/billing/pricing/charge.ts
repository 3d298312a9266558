import {
  type CallPrice,
  NO_DIMENSIONS,
  type PriceDimensions,
  type PriceTable,
} from "../../catalog/price-table.ts";
import type { TokenPrices } from "../../catalog/token-prices.ts";
import { findTerm, PLAIN_SERVICE, SERVICE_DIMENSIONS, type ServiceTerms } from "../../usage/service-terms.ts";
import { defaultSize, findTool } from "../../usage/tool-names.ts";
import { type CallCount, hasParts } from "../../usage/usage.ts";
import type { AdditionalUsage, FrozenPrice, ServedUsage } from "../billing.ts";
import {
  type AppliedTerm,
  highestSize,
  type PricedCharge,
  type PriceLine,
  price,
  roundedExact,
} from "./price.ts";

/** A term and its source: the response, otherwise the request, otherwise what the upstream declares; for hours the clock. */
export interface SourcedTerm extends AppliedTerm {
  readonly from: "response" | "asked" | "upstream" | "time";
}

/** A charge as receipts show it. */
export interface Charge extends Omit<PricedCharge, "terms"> {
  readonly terms: readonly SourcedTerm[];
  /** True if only the base row and the usual buckets were charged: a receipt then recomputes the charge from the usage. */
  readonly isPlain: boolean;
  /**
   * Set if the vendor ran tools, each followed by another pass, and reports the input of all passes together. The step that
   * the sum exceeds was charged, although no single pass may have exceeded it.
   */
  readonly isStepEstimated?: true | undefined;
  /** Set if a call is charged of which the response says nothing, and which the vendor may not have run; once per request. */
  readonly isCallEstimated?: true | undefined;
}

/** The charge of a response at its request's frozen price. Terms in the response override those in the request. */
export function chargeOf(frozen: FrozenPrice, response: ServedUsage): Charge {
  const { factorPpm, hours } = frozen;
  const asked = response.withoutOptions ? undefined : frozen.asked;
  const { served, usage, requests, units, region } = response;
  const said = { asked, served, region };
  const additionalUsage = additionalPaid(frozen, response);
  const { calls, isCallEstimated } = callsOf(frozen, response, additionalUsage);
  const terms = serviceTerms(said, frozen);
  const table = tableOf(frozen);
  const {
    lines,
    sum,
    chargeNanos,
    row,
    unpriced,
    terms: applied,
  } = price(table, { passes: [usage], requests, calls, units }, { ...terms, hours: hours?.name, factorPpm });
  const sourced = sourcedTerms(applied, said);
  const isPlain =
    row === "base" &&
    unpriced.length === 0 &&
    sourced.every(({ dimension }) => dimension === "hours") &&
    calls === undefined &&
    (requests === undefined || requests === 1 || (requests === 0 && table.request === 0n)) &&
    units === undefined &&
    !hasParts(usage);
  const isStepEstimated = isSummed(response) && STEP_ROW.test(row) ? (true as const) : undefined;
  // No spread: this runs for every request, and copying an object's fields costs more than pricing its tokens.
  const own = {
    lines,
    sum,
    chargeNanos,
    row,
    unpriced,
    terms: sourced,
    isPlain,
    isStepEstimated,
    isCallEstimated,
  };
  return additionalUsage.length === 0 ? own : withAdditional(own, frozen, additionalUsage, said);
}

/** True if the usage is the sum of several passes. */
function isSummed({ calls = [] }: ServedUsage): boolean {
  return calls.some(({ count }) => count > 0);
}

/** Matches the names that `rowsOf` gives to steps. */
const STEP_ROW = /^above /;

/** The tier, speed and region stated by the response, by the upstream and by the request itself. */
interface SaidTerms extends Pick<ServedUsage, "served" | "region"> {
  readonly asked: ServiceTerms | undefined;
}

function sourcedTerms(applied: readonly AppliedTerm[], { asked, served }: SaidTerms): SourcedTerm[] {
  return applied.map((term): SourcedTerm => {
    const { dimension } = term;
    if (dimension === "hours") return { ...term, from: "time" };
    if (served?.[dimension] !== undefined) return { ...term, from: "response" };
    return { ...term, from: asked?.[dimension] === undefined ? "upstream" : "asked" };
  });
}

/**
 * Adds the tokens of other models, each a pass of its own, as lines of the same charge, which is rounded once. If the asked
 * model used no tokens, the terms shown are those of the first other model, which responded in its place.
 */
function withAdditional(
  own: Charge,
  frozen: FrozenPrice,
  additionalUsage: readonly AdditionalUsage[],
  said: SaidTerms,
): Charge {
  const { factorPpm } = frozen;
  const unpriced = new Set(own.unpriced);
  let applied = own.lines.some(({ kind }) => kind === "tokens") ? own.terms : undefined;
  const additionalLines = additionalUsage.flatMap(({ model, usage, isBeside, price: known }) => {
    const { hours } = known ?? frozen;
    const { tier, region, speed } = serviceTerms(said, known ?? frozen);
    const priced = price(
      tableOf(known ?? frozen),
      { passes: [usage] },
      {
        tier,
        region,
        speed: isBeside === true ? undefined : speed,
        unpricedModel: known === undefined ? model : undefined,
        hours: hours?.name,
        factorPpm,
      },
    );
    for (const name of priced.unpriced) unpriced.add(known === undefined ? name : unpricedAt(model, name));
    applied ??= sourcedTerms(priced.terms, said);
    return priced.lines.flatMap((line): PriceLine[] => (line.kind === "tokens" ? [{ ...line, model }] : []));
  });
  const lines = [...own.lines, ...additionalLines];
  const sum = lines.reduce((total, { exact }) => total + exact, 0n);
  return {
    ...own,
    lines,
    sum,
    chargeNanos: roundedExact(sum, factorPpm),
    terms: applied ?? own.terms,
    unpriced: [...unpriced],
    isPlain: false,
  };
}

/** Names an unpriced item of an additional model; `sum_unpriced_usage()` splits the name again. */
function unpricedAt(model: string, name: string): string {
  return `${name} of ${model}`;
}

// A model's prices are frozen and shared by all of its requests, so that their rows are made once.
const tables = new WeakMap<TokenPrices, { readonly of: PriceDimensions; readonly table: PriceTable }>();

function tableOf({ rates, dimensions = NO_DIMENSIONS }: FrozenPrice): PriceTable {
  const known = tables.get(rates);
  if (known?.of === dimensions) return known.table;
  const table = { base: rates, ...dimensions };
  tables.set(rates, { of: dimensions, table });
  return table;
}

/**
 * Returns the tier, speed and region of the request if they are not the standard ones. The region that an upstream
 * declares counts only for models with a price for it; for others it makes no difference.
 */
function serviceTerms(
  { asked, served, region }: SaidTerms,
  { dimensions = NO_DIMENSIONS }: FrozenPrice,
): ServiceTerms {
  if (asked === undefined && served === undefined && region === undefined) return {};
  const isPriced = region !== undefined && findTerm(Object.keys(dimensions.regions), region) !== undefined;
  const declared: ServiceTerms = isPriced ? { region } : {};
  return Object.fromEntries(
    SERVICE_DIMENSIONS.flatMap((dimension) => {
      const word = served?.[dimension] ?? asked?.[dimension] ?? declared[dimension];
      return word === undefined || word === PLAIN_SERVICE ? [] : [[dimension, word] as const];
    }),
  );
}

const NO_ADDITIONAL: readonly AdditionalUsage[] = [];

/** Other models but those of tools whose calls have a price, which pays for the tokens too. */
function additionalPaid(
  { dimensions = NO_DIMENSIONS }: FrozenPrice,
  { additionalUsage = NO_ADDITIONAL }: ServedUsage,
): readonly AdditionalUsage[] {
  if (additionalUsage.length === 0) return additionalUsage;
  const priced = Object.keys(dimensions.calls);
  return additionalUsage.filter(({ tool }) => tool === undefined || findTool(priced, tool) === undefined);
}

/** Calls of tools that other models answer, as far as they have a price: their vendor bills tokens alone. */
function pricedCalls(
  additionalUsage: readonly AdditionalUsage[],
  { calls }: PriceDimensions,
): readonly CallCount[] {
  const priced = Object.keys(calls);
  const called = additionalUsage.flatMap(({ callOf }) => callOf ?? []);
  return [...new Set(called)].flatMap((tool) =>
    findTool(priced, tool) === undefined
      ? []
      : [{ tool, count: called.filter((each) => each === tool).length }],
  );
}

/** The calls that are charged. */
interface ChargedCalls extends Pick<Charge, "isCallEstimated"> {
  readonly calls?: readonly CallCount[] | undefined;
}

/**
 * Calls by the names of the price table: of several of a family the one that the request offers. Those of a tool whose model is
 * charged by its tokens are none. A field that has the vendor search counts once, unless the response says how often it did; so
 * does the call that each response of a model is billed for, of every upstream request.
 */
function callsOf(
  { tools = [], sizes = {}, fees = [], unrequestedCalls = [], dimensions = NO_DIMENSIONS }: FrozenPrice,
  { calls: reported = [], withoutOptions, requests = 1 }: ServedUsage,
  additionalUsage: readonly AdditionalUsage[],
): ChargedCalls {
  const byTokens = new Set(additionalUsage.map(({ tool }) => tool));
  const calls =
    additionalUsage.length === 0
      ? reported
      : [...reported.filter(({ tool }) => !byTokens.has(tool)), ...pricedCalls(additionalUsage, dimensions)];
  const named = calls.map((call) => {
    const tool =
      findTool(tools, call.tool) ?? findTool(Object.keys(dimensions.calls), call.tool) ?? call.tool;
    return { ...call, tool };
  });
  const counted = new Set(named.map(({ tool }) => tool));
  const unsaid = new Set([...unrequestedCalls, ...(withoutOptions ? [] : fees)]);
  for (const tool of counted) unsaid.delete(tool);
  const paid = [
    ...named.filter(({ count }) => count > 0),
    ...[...unsaid].map((tool) => ({ tool, count: requests })).filter(({ count }) => count > 0),
  ];
  if (paid.length === 0) return NO_CALLS;
  const asked = withoutOptions ? {} : sizes;
  const mayNotHaveRun = (tool: string): boolean => tools.includes(tool) && !unrequestedCalls.includes(tool);
  return {
    calls: paid.map((call) => withSize(call, dimensions.calls[call.tool], asked[call.tool])),
    isCallEstimated: [...unsaid].some(mayNotHaveRun) ? true : undefined,
  };
}

const NO_CALLS: ChargedCalls = {};

/**
 * If the price depends on a size that the response does not state, uses the request's size, otherwise the vendors'
 * default.
 */
function withSize(
  call: CallCount,
  terms: CallPrice | undefined,
  asked: readonly string[] | undefined,
): CallCount {
  if (call.size !== undefined || terms === undefined || !("sizes" in terms)) return call;
  const usual = defaultSize(call.tool);
  const sizes = asked ?? (usual === undefined ? [] : [usual]);
  return sizes.length === 0 ? call : { ...call, size: highestSize(terms, sizes) };
}
