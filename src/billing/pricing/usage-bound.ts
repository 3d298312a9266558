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

/** An upper bound of what one request can use. Usage that a vendor reports beyond it is not charged. */
export interface UsageBound {
  /** Maximum input tokens of one pass. */
  readonly contextTokens: number;
  /** Maximum output tokens of one response in one pass. */
  readonly outputTokens: number;
  /** The caller's own output limit. A vendor may report reasoning beyond it; an estimate never exceeds it. */
  readonly statedOutputTokens: number;
  /** Responses per upstream request; their input counts once. */
  readonly responses: number;
  /** Passes over the conversation if no tool runs. */
  readonly passes: number;
  /** Passes if the upstream runs tools; undefined = it runs none. */
  readonly maxPassesWithTools: number | undefined;
  /** Calls of tools that the upstream runs; absent = it runs none. */
  readonly calls?: CallBound | undefined;
  /** Additional models that may work on the response; absent = none. */
  readonly additionalModels?: readonly AdditionalBound[] | undefined;
  /** Maximum counts of the priced units; absent = no unit has a price. */
  readonly maxUnits?: UnitCounts | undefined;
}

/** The calls of upstream tools that one response can make. */
export interface CallBound {
  readonly max: number;
  /** The tools in the request; undefined = any tool. */
  readonly tools: readonly string[] | undefined;
  /** The model calls them even if the request doesn't ask for it. */
  readonly byDefault?: true | undefined;
  /** One of them runs code at no charge, and makes all code that runs beside it free. */
  readonly runsCode?: true | undefined;
}

/** A model that a request names in addition to its own. */
export interface AdditionalBound {
  readonly model: string;
  /** True = a tool call runs it; false = it may respond instead of the requested model. */
  readonly byCall: boolean;
  /** The vendor bills only the model that responds; absent = it also bills the models that declined before it. */
  readonly isBilledAlone?: true | undefined;
  /** Limits of one of its responses; absent = those of the requested model. */
  readonly limits?: Pick<UsageBound, "contextTokens" | "outputTokens" | "statedOutputTokens"> | undefined;
}

/** A reported count that is impossible, or far beyond the caller's limit. */
export interface Implausible {
  readonly field: "input" | "output" | "calls" | BilledUnit;
  readonly reported: number;
  /** The model's maximum; with `charged`, the caller's limit. */
  readonly most: number;
  /** Suspicious, but possible for the model, so it is charged as reported. */
  readonly charged?: true;
}

export interface BoundedUsage {
  /** The reported tokens. An impossible side is reduced to its bound if tools ran, else omitted. */
  readonly tokens: TokenUsage;
  readonly implausible: readonly Implausible[];
}

/** Limits of all protocols, since a beta header is forwarded even if the caller uses another protocol. */
const BETA_LIMITS = Object.values(PROTOCOLS).flatMap(({ endpoint }) => endpoint.betaLimits ?? []);

/** The limits of a model for a request with these beta headers; undefined if the model states none. */
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

/** The bound of an embeddings or rerank request. */
export function boundOfTexts(tokens: number, maxUnits?: UnitCounts): UsageBound {
  return {
    contextTokens: tokens,
    outputTokens: tokens,
    statedOutputTokens: tokens,
    responses: 1,
    passes: 1,
    maxPassesWithTools: undefined,
    maxUnits,
  };
}

/** Limits reported units to their bounds. Units without a price stay as reported. */
export function boundUnits(
  units: UnitCounts | undefined,
  { maxUnits = {} }: UsageBound,
): { readonly units: UnitCounts | undefined; readonly implausible: readonly Implausible[] } {
  if (units === undefined) return { units, implausible: NONE };
  const implausible = BILLED_UNITS.flatMap((field): Implausible[] => {
    const [reported = 0, most = reported] = [units[field], maxUnits[field]];
    return reported > most ? [{ field, reported, most }] : [];
  });
  if (implausible.length === 0) return { units, implausible };
  return {
    units: { ...units, ...Object.fromEntries(implausible.map(({ field, most }) => [field, most])) },
    implausible,
  };
}

/** Limits reported tool calls to the request's tools and to the number of calls that it allows in total. */
export function boundCalls(
  calls: readonly CallCount[] | undefined,
  { calls: bound, responses }: UsageBound,
): { readonly calls: readonly CallCount[] | undefined; readonly implausible: readonly Implausible[] } {
  if (calls === undefined) return { calls, implausible: NONE };
  const implausible: Implausible[] = [];
  let left = bound === undefined ? 0 : bound.max * responses;
  const kept = calls.flatMap((call): CallCount[] => {
    const isFree = bound?.runsCode && RUN_WITHIN.has(call.tool);
    const most = bound !== undefined && !isFree && mayRun(bound, call.tool) ? Math.min(call.count, left) : 0;
    left -= most;
    const isCut = most < call.count && !(bound !== undefined && RUN_WITHIN.has(call.tool));
    if (isCut) implausible.push({ field: "calls", reported: call.count, most });
    return most === 0 && call.count > 0 ? [] : [{ ...call, count: most }];
  });
  return { calls: kept.length === 0 ? undefined : kept, implausible };
}

/** Removes the usage of conversation summaries if the request doesn't allow summaries. */
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

/** True if the request offers the tool. Vendors report some searches under another search's name (collections as files, X as web). */
export function mayRun({ tools }: CallBound, tool: string): boolean {
  if (tools === undefined || findTool(tools, tool) !== undefined) return true;
  return SEARCH.test(familyOf(tool)) && tools.some((offered) => SEARCH.test(familyOf(offered)));
}

const SEARCH = /_search$/;

/**
 * Tools that run other tools. The vendor doesn't charge for them unless the request offers them:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#usage-and-pricing
 */
const RUN_WITHIN: ReadonlySet<string> = new Set(["code_execution"]);

/** Checks the usage that a vendor reports for one upstream request against the bound. */
export function boundReported(usage: MeteredUsage | undefined, bound: UsageBound): BoundedUsage {
  if (usage === undefined) return { tokens: {}, implausible: NONE };
  const { tokens } = usage;
  const input = totalInput(tokens);
  const output = totalOutput(tokens);
  // Almost all usage fits into one pass.
  if (input <= bound.contextTokens && output <= bound.statedOutputTokens)
    return { tokens, implausible: NONE };
  const calls = bound.maxPassesWithTools === undefined ? 0 : callsReported(usage.raw);
  const passes = Math.min(bound.passes + calls, bound.maxPassesWithTools ?? bound.passes);
  const allowed = atMost(bound.statedOutputTokens * bound.responses * passes);
  const mostInput = atMost(bound.contextTokens * passes);
  const mostOutput = atMost(bound.outputTokens * bound.responses * passes);
  const implausible: Implausible[] = [];
  if (input > mostInput) implausible.push({ field: "input", reported: input, most: mostInput });
  if (output > mostOutput) implausible.push({ field: "output", reported: output, most: mostOutput });
  else if (isImplausible(totalOutput(tokens) - (tokens.outputReasoning ?? 0), allowed))
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
 * True if visible output is far beyond the caller's limit. The tolerance covers vendors with a minimum of their own
 * (16 tokens); reported reasoning is ignored, as some vendors count it outside the limit.
 */
function isImplausible(visible: number, allowed: number): boolean {
  return visible > 2 * allowed + TOLERATED_TOKENS;
}

const TOLERATED_TOKENS = 256;

/** Limits an estimate: input to the context window, output to the caller's limit. */
export function boundEstimate(tokens: number, side: "input" | "output", bound: UsageBound): number {
  const most = side === "input" ? bound.contextTokens : bound.statedOutputTokens * bound.responses;
  return Math.min(tokens, atMost(most));
}

const NONE: readonly Implausible[] = [];

/** Cheapest first, so that tokens beyond the bound are cut from the more expensive buckets. */
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

/** Returns these buckets if their sum is at most `most`; else cuts them to it, or returns none. */
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

/** Fields in which vendors report the calls of tools that they ran. */
const CALL_COUNTS = [
  "server_tool_use",
  "server_tool_use_details",
  "server_side_tool_usage_details",
  "tool_calls_details",
  "x_tools",
  "tool_usage",
  "num_server_side_tools_used",
];

/** The number of tool calls that the vendor reports; infinite if it reports none, since the bound limits it. */
function callsReported(raw: unknown): number {
  const objects = (Array.isArray(raw) ? raw : [raw]).filter(isRecord);
  const counts = objects.flatMap((usage) => CALL_COUNTS.flatMap((name) => countsIn(usage[name])));
  return counts.length === 0 ? Number.POSITIVE_INFINITY : counts.reduce((sum, count) => sum + count, 0);
}

function countsIn(value: unknown, levels = USAGE_LEVELS): number[] {
  if (typeof value === "number") return value >= 0 ? [value] : [];
  if (levels === 0 || !isRecord(value)) return [];
  // A tool that runs a model also reports its tokens.
  return Object.entries(value).flatMap(([name, inner]) =>
    name.includes("token") ? [] : countsIn(inner, levels - 1),
  );
}
