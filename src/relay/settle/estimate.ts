import {
  boundCalls,
  boundEstimate,
  boundReported,
  boundUnits,
  type Implausible,
  type InnerBound,
  type UsageBound,
} from "../../billing/pricing/usage-bound.ts";
import { isGenerating } from "../../conversation/protocol-name.ts";
import { readPrompt } from "../../protocols/prompt-text.ts";
import type { ResponseSummary } from "../../protocols/protocol.ts";
import {
  BILLED_UNITS,
  type CountedWork,
  type MeteredUsage,
  type ModelTokens,
  sumTokens,
  sumWork,
  type TokenUsage,
  totalInput,
  type UnitCounts,
} from "../../usage/usage.ts";
import type { TextRequest } from "../text-request.ts";
import { promptTokens } from "./token-estimate.ts";
import { type Counter, FRAME_TOKENS, loadCounter } from "./tokenizer.ts";

export interface ChargeableUsage extends CountedWork {
  /** Of the model that was asked. */
  readonly usage: TokenUsage;
  /** Of others, as the vendor names them; absent = there are none. */
  readonly others?: readonly ModelTokens[] | undefined;
  /** A bucket is our word and not the vendor's. */
  readonly estimated: boolean;
  /** What the vendor reported and hardly can have been. */
  readonly implausible: readonly Implausible[];
}

/** Our name of the model that an upstream calls so; undefined = it calls none so. */
export type OurName = (model: string) => string | undefined;

const NO_NAMES: OurName = () => undefined;

/**
 * The usage to charge: what the vendor reported, and our own count where it reported nothing or an
 * impossible value. Only the missing side is estimated, so a reported input is never replaced. At once
 * where nothing is missing, which is nearly always. Never more than `given` allows.
 */
export function estimateMissing(
  request: TextRequest,
  facts: ResponseSummary,
  given: UsageBound,
  ourName: OurName = NO_NAMES,
): ChargeableUsage | Promise<ChargeableUsage> {
  if (facts.parts !== undefined)
    return estimateParts(request, facts.parts, { ...given, responses: 1 }, ourName);
  const told = ownOf(facts, request.model, given, ourName);
  const bound = boundOf(told, given, ourName);
  const { tokens: reported, implausible: oddTokens } = boundReported(told.usage, bound);
  const { units, implausible: oddUnits } = boundUnits(facts.units, bound);
  const { calls, implausible: oddCalls } = boundCalls(facts.calls, bound);
  const implausible = joined(oddTokens, joined(oddUnits, oddCalls));
  const needsInput = reported.inputUncached === undefined && !isPaidByUnits(units, bound);
  const needsOutput = lacksOutput(facts, reported) && isGenerating(request.protocol.name);
  if (!needsInput && !needsOutput) {
    // Where an impossible cache or reasoning count was left out, how the rest is split is our word.
    const isOdd = joined(oddTokens, oddUnits).some(({ charged }) => !charged);
    const estimated = (facts.usage?.hostile.length ?? 0) > 0 || isOdd;
    // Not by spreading, which takes microseconds of every request.
    return Object.assign({ calls, units, estimated, implausible }, byModel(told, reported));
  }

  return loadCounter().then((count) => {
    const gaps = { needsInput, needsOutput, count };
    const usage = estimate(request, facts, reported, bound, gaps);
    return Object.assign({ calls, units, estimated: true, implausible }, byModel(told, usage));
  });
}

function joined(some: readonly Implausible[], more: readonly Implausible[]): readonly Implausible[] {
  if (more.length === 0) return some;
  return some.length === 0 ? more : [...some, ...more];
}

/** What the vendor reported, and the model that has served the answer; undefined = the one that was asked. */
interface Told {
  readonly usage: MeteredUsage | undefined;
  readonly servedBy: string | undefined;
}

/** Where the request names no fallback none can have served it: what it has used is the model's that was asked. */
function ownOf(
  { usage, model }: ResponseSummary,
  asked: string,
  { inner = [] }: UsageBound,
  ourName: OurName,
): Told {
  const answering = inner.filter(({ byCall }) => !byCall);
  if (usage?.servedBy === undefined)
    return { usage, servedBy: isOther(model, asked, answering, ourName) ? model : undefined };
  if (answering.length > 0) return { usage, servedBy: usage.servedBy };
  const { tokens, others = [] } = usage;
  const before = others.filter(({ isBeside }) => isBeside !== true);
  const beside = others.filter(({ isBeside }) => isBeside === true);
  return {
    usage: {
      ...usage,
      tokens: sumTokens([tokens, ...before.map((each) => each.tokens)]),
      servedBy: undefined,
      others: beside.length > 0 ? beside : undefined,
    },
    servedBy: undefined,
  };
}

/**
 * Whether an answer names another model than the one that was asked. Vendors name that by its date, an alias or as they please,
 * so a name counts only where the request names others: one of these, or any where the vendor says so who it bills.
 */
function isOther(
  model: string | undefined,
  asked: string,
  answering: readonly InnerBound[],
  ourName: OurName,
): boolean {
  if (model === undefined || answering.length === 0) return false;
  const id = ourName(model);
  return id !== asked && answering.some((each) => each.isBilledAlone === true || each.model === id);
}

/** An answer has the limits of the model that has served it. */
function boundOf({ servedBy }: Told, bound: UsageBound, ourName: OurName): UsageBound {
  const id = servedBy === undefined ? undefined : ourName(servedBy);
  if (id === undefined) return bound;
  const { limits } = bound.inner?.find(({ model, byCall }) => !byCall && model === id) ?? {};
  return limits === undefined ? bound : { ...bound, ...limits };
}

/** Parts what the model that was asked has used from what others have. */
function byModel({ usage: told, servedBy }: Told, usage: TokenUsage): ByModel {
  const others = told?.others ?? [];
  if (servedBy !== undefined)
    return { usage: {}, others: [{ model: servedBy, tokens: usage, hasServed: true }, ...others] };
  return { usage, others: others.length === 0 ? undefined : others };
}

type ByModel = Pick<ChargeableUsage, "usage" | "others">;

/** The tokens that the vendor reported, by model, and none that it did not report; never more than `given` allows. */
export function reportedByModel(
  request: TextRequest,
  facts: ResponseSummary,
  given: UsageBound,
  ourName: OurName,
): ByModel {
  const told = ownOf(facts, request.model, given, ourName);
  return byModel(told, boundReported(told.usage, boundOf(told, given, ourName)).tokens);
}

/** Each of several answers had its input to itself. */
async function estimateParts(
  request: TextRequest,
  parts: readonly ResponseSummary[],
  bound: UsageBound,
  ourName: OurName,
): Promise<ChargeableUsage> {
  const counted = await Promise.all(parts.map((part) => estimateMissing(request, part, bound, ourName)));
  const others = counted.flatMap((part) => part.others ?? []);
  return {
    usage: sumTokens(counted.map(({ usage }) => usage)),
    others: others.length > 0 ? others : undefined,
    estimated: counted.some(({ estimated }) => estimated),
    implausible: counted.flatMap(({ implausible }) => implausible),
    ...sumWork(counted),
  };
}

/** Whether the vendor counts units that have a price, and so bills no tokens unless it counts them too. */
function isPaidByUnits(units: UnitCounts = {}, { mostUnits = {} }: UsageBound): boolean {
  return BILLED_UNITS.some((unit) => (units[unit] ?? 0) > 0 && mostUnits[unit] !== undefined);
}

/** What must be counted, and with what. */
interface Gaps {
  readonly needsInput: boolean;
  readonly needsOutput: boolean;
  readonly count: Counter;
}

function estimate(
  request: TextRequest,
  facts: ResponseSummary,
  reported: TokenUsage,
  bound: UsageBound,
  { needsInput, needsOutput, count }: Gaps,
): TokenUsage {
  let usage: TokenUsage = reported;
  if (needsInput) {
    const cached = totalInput(reported);
    // Of several prompts each answer had one: an equal share each comes to their sum.
    const words = Math.ceil(wordsOf(request, count) / (request.prompts ?? 1));
    const whole = boundEstimate(words + FRAME_TOKENS, "input", bound);
    usage = { ...usage, inputUncached: Math.max(0, whole - cached) };
  }
  if (needsOutput) {
    const text = facts.outputText();
    const reasoning =
      reported.outputReasoning ?? boundEstimate(count(text.reasoning, text.reasoningMore), "output", bound);
    const whole = boundEstimate(count(text.visible, text.visibleMore) + reasoning, "output", bound);
    usage = { ...usage, outputVisible: Math.max(0, whole - reasoning) };
    if (reasoning > 0) usage = { ...usage, outputReasoning: reasoning };
  }
  return usage;
}

/** Of a body of very many values by its bytes, and one for each value at least, as some may be token numbers. */
function wordsOf(request: TextRequest, count: Counter): number {
  const { body, scan } = request;
  if (scan.values > MAX_VALUES) return Math.max(promptTokens(request), scan.values);
  const { text, tokens } = readPrompt(body);
  return count(text) + tokens;
}

/** No conversation has so many; to read a million took five seconds, in which nobody else was served. */
const MAX_VALUES = 50_000;

/**
 * No count of the answer, or the 0 of a stream that broke off amid its text or its thoughts: Gemini states the
 * prompt with the first chunk and leaves the answer out until the last. A finished answer's 0 stays 0.
 */
function lacksOutput(facts: ResponseSummary, reported: TokenUsage): boolean {
  if (reported.outputVisible === undefined) return true;
  const isWhole = facts.finish !== undefined && !facts.failed && facts.error === undefined;
  if (reported.outputVisible > 0 || isWhole) return false;
  const { visible, reasoning } = facts.outputText();
  return visible !== "" || (reasoning !== "" && reported.outputReasoning === undefined);
}
