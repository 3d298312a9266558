import { USAGE_LEVELS } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/record.ts";
import type { Model } from "../../catalog/catalog.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { familyOf, findTool } from "../../usage/tool-names.ts";
import {
  BILLED_UNITS,
  type BilledUnit,
  type CallCount,
  isOutput,
  MAX_TOKENS_REPORTED,
  type MeteredUsage,
  TOKEN_BUCKETS,
  type TokenBucket,
  type TokenUsage,
  totalInput,
  totalOutput,
  type UnitCounts,
} from "../../usage/usage.ts";

/** What one request can have used at most: nobody pays for more, whatever the vendor says. */
export interface UsageBound {
  /** Input of one pass. */
  readonly contextTokens: number;
  /** Output of one response in one pass. */
  readonly outputTokens: number;
  /** What the caller allows of that; a vendor may count reasoning beyond it, an estimate may not. */
  readonly statedOutputTokens: number;
  /** That one request to an upstream may bring; the input counts once for all of them. */
  readonly responses: number;
  /** Over the conversation, where no tool runs. */
  readonly passes: number;
  /** The same where the upstream runs tools; undefined = it runs none. */
  readonly mostPasses: number | undefined;
  /** Of tools that the upstream runs; absent = it runs none. */
  readonly calls?: CallBound | undefined;
  /** Additional models that may work on the response; absent = none. */
  readonly additionalModels?: readonly AdditionalBound[] | undefined;
  /** At most so many units of those that have a price; absent = none has. */
  readonly mostUnits?: UnitCounts | undefined;
}

/** Calls of an upstream's tools that one response can take. */
export interface CallBound {
  readonly most: number;
  /** As they were offered; undefined = any. */
  readonly tools: readonly string[] | undefined;
  /** The model runs them of itself, whatever it is asked for. */
  readonly unasked?: true | undefined;
}

/** A model that a request names beside its own. */
export interface AdditionalBound {
  readonly model: string;
  /** It works with each call of a tool; else in the place of the model that was asked. */
  readonly byCall: boolean;
  /** Of these and the model that was asked the vendor bills the one that answers; absent = also those that declined before it. */
  readonly isBilledAlone?: true | undefined;
  /** Of a response of it; absent = those of the model that was asked. */
  readonly limits?: Pick<UsageBound, "contextTokens" | "outputTokens" | "statedOutputTokens"> | undefined;
}

/** A count that is not possible, or far beyond what the caller allowed. */
export interface Implausible {
  readonly field: "input" | "output" | "calls" | BilledUnit;
  readonly reported: number;
  /** What the model can have done; with `charged`, what the caller allowed. */
  readonly most: number;
  /** Odd, but within what the model can do: it is charged as reported. */
  readonly charged?: true;
}

export interface BoundedUsage {
  /** As reported; a side that is not possible is its bound where tools ran, else left out. */
  readonly tokens: TokenUsage;
  readonly implausible: readonly Implausible[];
}

/** Of all protocols, since betas reach an upstream of theirs whatever the caller speaks. */
const BETA_LIMITS = Object.values(PROTOCOLS).flatMap(({ endpoint }) => endpoint.betaLimits ?? []);

/** The limits of a model for a request that asks for these betas; undefined where the model has none. */
export function limitsOf(
  { contextTokens, maxOutputTokens }: Model,
  betas: string | undefined,
): Pick<UsageBound, "contextTokens" | "outputTokens"> | undefined {
  if (contextTokens === null || maxOutputTokens === null) return undefined;
  const limits = { contextTokens, outputTokens: maxOutputTokens };
  if (betas === undefined) return limits;
  for (const asked of betas.split(",")) {
    for (const { beta, context = 0, output = 0 } of BETA_LIMITS) {
      if (!beta.test(asked.trim())) continue;
      limits.contextTokens = Math.max(limits.contextTokens, context);
      limits.outputTokens = Math.max(limits.outputTokens, output);
    }
  }
  return limits;
}

/** Texts that are embedded or ranked: so many tokens at most, and so many units of those that have a price. */
export function boundOfTexts(tokens: number, mostUnits?: UnitCounts): UsageBound {
  return {
    contextTokens: tokens,
    outputTokens: tokens,
    statedOutputTokens: tokens,
    responses: 1,
    passes: 1,
    mostPasses: undefined,
    mostUnits,
  };
}

/** Units as reported, each at most its bound; one without a price costs nothing, and stays as it is. */
export function boundUnits(
  units: UnitCounts | undefined,
  { mostUnits = {} }: UsageBound,
): { readonly units: UnitCounts | undefined; readonly implausible: readonly Implausible[] } {
  if (units === undefined) return { units, implausible: NONE };
  const implausible = BILLED_UNITS.flatMap((field): Implausible[] => {
    const [reported = 0, most = reported] = [units[field], mostUnits[field]];
    return reported > most ? [{ field, reported, most }] : [];
  });
  if (implausible.length === 0) return { units, implausible };
  return {
    units: { ...units, ...Object.fromEntries(implausible.map(({ field, most }) => [field, most])) },
    implausible,
  };
}

/** Calls as reported, all together at most as many as the request allows, of the tools that it offers. */
export function boundCalls(
  calls: readonly CallCount[] | undefined,
  { calls: bound, responses }: UsageBound,
): { readonly calls: readonly CallCount[] | undefined; readonly implausible: readonly Implausible[] } {
  if (calls === undefined) return { calls, implausible: NONE };
  const implausible: Implausible[] = [];
  let left = bound === undefined ? 0 : bound.most * responses;
  const kept = calls.flatMap((call): CallCount[] => {
    const most = bound !== undefined && mayRun(bound, call.tool) ? Math.min(call.count, left) : 0;
    left -= most;
    const isCut = most < call.count && !(bound !== undefined && RUN_WITHIN.has(call.tool));
    if (isCut) implausible.push({ field: "calls", reported: call.count, most });
    return most === 0 ? [] : [{ ...call, count: most }];
  });
  return { calls: kept.length === 0 ? undefined : kept, implausible };
}

/** Usage without summaries of the conversation, where the request allows none. */
export function boundSummaries(
  usage: MeteredUsage | undefined,
  isAllowed: boolean,
): { readonly usage: MeteredUsage | undefined; readonly implausible: readonly Implausible[] } {
  if (isAllowed || usage?.summaries === undefined) return { usage, implausible: NONE };
  const { tokens, summaries, ...others } = usage;
  const own = minus(tokens, summaries);
  const sides: readonly Implausible[] = [
    { field: "input", reported: totalInput(tokens), most: totalInput(own) },
    { field: "output", reported: totalOutput(tokens), most: totalOutput(own) },
  ];
  return {
    usage: { ...others, tokens: own },
    implausible: sides.filter(({ reported, most }) => reported > most),
  };
}

function minus(tokens: TokenUsage, part: TokenUsage): TokenUsage {
  const rest: Partial<Record<TokenBucket, number>> = {};
  for (const bucket of TOKEN_BUCKETS) {
    const count = tokens[bucket];
    if (count !== undefined) rest[bucket] = Math.max(0, count - (part[bucket] ?? 0));
  }
  return rest;
}

/** Vendors count one search under the name of another: of collections as of files, of X as of the web. */
export function mayRun({ tools }: CallBound, tool: string): boolean {
  if (tools === undefined || findTool(tools, tool) !== undefined) return true;
  return SEARCH.test(familyOf(tool)) && tools.some((offered) => SEARCH.test(familyOf(offered)));
}

const SEARCH = /_search$/;

/**
 * Tools that others run within, at no charge where they are not offered themselves:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#usage-and-pricing
 */
const RUN_WITHIN: ReadonlySet<string> = new Set(["code_execution"]);

/** Holds what a vendor reports of one response, or of several that one request brought, against what is possible. */
export function boundReported(usage: MeteredUsage | undefined, bound: UsageBound): BoundedUsage {
  if (usage === undefined) return { tokens: {}, implausible: NONE };
  const { tokens } = usage;
  const input = totalInput(tokens);
  const output = totalOutput(tokens);
  // Nearly always one pass explains it all.
  if (input <= bound.contextTokens && output <= bound.statedOutputTokens)
    return { tokens, implausible: NONE };
  const calls = bound.mostPasses === undefined ? 0 : callsReported(usage.raw);
  const passes = Math.min(bound.passes + calls, bound.mostPasses ?? bound.passes);
  const allowed = atMost(bound.statedOutputTokens * bound.responses * passes);
  const mostInput = atMost(bound.contextTokens * passes);
  const mostOutput = atMost(bound.outputTokens * bound.responses * passes);
  const implausible: Implausible[] = [];
  if (input > mostInput) implausible.push({ field: "input", reported: input, most: mostInput });
  if (output > mostOutput) implausible.push({ field: "output", reported: output, most: mostOutput });
  else if (isFarBeyond(totalOutput(tokens) - (tokens.outputReasoning ?? 0), allowed))
    implausible.push({ field: "output", reported: output, most: allowed, charged: true });
  if (implausible.every(({ charged }) => charged)) return { tokens, implausible };
  const toolsRan = calls > 0;
  return {
    tokens: {
      ...within(tokens, INPUT, mostInput, toolsRan),
      ...within(tokens, OUTPUT, mostOutput, toolsRan),
    },
    implausible,
  };
}

/**
 * Words beyond the caller's own limit, which vendors keep to. Some have a least of their own (16 tokens), and some count
 * reasoning beside it: what they say is reasoning is left out of account.
 */
function isFarBeyond(visible: number, allowed: number): boolean {
  return visible > 2 * allowed + LEAST_ODD;
}

const LEAST_ODD = 256;

/** An estimate has the bounds of a report; of the output, the caller's own limit. */
export function boundEstimate(tokens: number, side: "input" | "output", bound: UsageBound): number {
  const most = side === "input" ? bound.contextTokens : bound.statedOutputTokens * bound.responses;
  return Math.min(tokens, atMost(most));
}

const NONE: readonly Implausible[] = [];

/** Cheap ones first: what does not fit is left out of the dearer ones. */
const CHEAP_FIRST: readonly TokenBucket[] = [
  "cacheRead",
  "inputUncached",
  "cacheWrite5m",
  "cacheWrite1h",
  "outputVisible",
  "outputReasoning",
];
const OTHERS = TOKEN_BUCKETS.filter((bucket) => !CHEAP_FIRST.includes(bucket));
const INPUT = [...CHEAP_FIRST, ...OTHERS].filter((bucket) => !isOutput(bucket));
const OUTPUT = [...CHEAP_FIRST, ...OTHERS].filter(isOutput);

/** These buckets if they are within `most` together; else cut to it, or nothing. */
function within(
  tokens: TokenUsage,
  buckets: readonly TokenBucket[],
  most: number,
  cuts: boolean,
): TokenUsage {
  const kept: Partial<Record<TokenBucket, number>> = {};
  let left = most;
  for (const bucket of buckets) {
    const count = tokens[bucket];
    if (count === undefined) continue;
    if (count > left && !cuts) return {};
    kept[bucket] = Math.min(count, left);
    left -= Math.min(count, left);
  }
  return kept;
}

function atMost(tokens: number): number {
  return Math.min(tokens, MAX_TOKENS_REPORTED);
}

/** Where vendors count the calls of the tools that they ran, beside the tokens. */
const CALL_COUNTS = [
  "server_tool_use",
  "server_side_tool_usage_details",
  "tool_usage",
  "num_server_side_tools_used",
];

/** How often the vendor says that its tools ran; without a word of it, as often as one may believe. */
function callsReported(raw: unknown): number {
  const objects = (Array.isArray(raw) ? raw : [raw]).filter(isRecord);
  const counts = objects.flatMap((usage) => CALL_COUNTS.flatMap((name) => countsIn(usage[name])));
  return counts.length === 0 ? Number.POSITIVE_INFINITY : counts.reduce((sum, count) => sum + count, 0);
}

function countsIn(value: unknown, levels = USAGE_LEVELS): number[] {
  if (typeof value === "number") return value >= 0 ? [value] : [];
  if (levels === 0 || !isRecord(value)) return [];
  // A tool that has a model of its own also states its tokens.
  return Object.entries(value).flatMap(([name, inner]) =>
    name.includes("token") ? [] : countsIn(inner, levels - 1),
  );
}
