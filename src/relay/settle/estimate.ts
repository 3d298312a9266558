import {
  type AdditionalBound,
  boundCalls,
  boundEstimate,
  boundReported,
  boundSummaries,
  boundUnits,
  type Implausible,
  mayRun,
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
  totalOutput,
  type UnitCounts,
} from "../../usage/usage.ts";
import type { TextRequest } from "../text-request.ts";
import { imageTokens, promptTokens } from "./token-estimate.ts";
import { type Counter, FRAME_TOKENS, loadCounter } from "./tokenizer.ts";

export interface ChargeableUsage extends CountedWork {
  /** The tokens of the asked model. */
  readonly usage: TokenUsage;
  /** The tokens of other models, under the vendor's names; absent = there are none. */
  readonly additionalUsage?: readonly ModelTokens[] | undefined;
  /** True if the gateway has estimated a bucket that the vendor did not report. */
  readonly estimated: boolean;
  /** Reported counts that are impossible. */
  readonly implausible: readonly Implausible[];
}

/** The catalog's name of the model with this name at an upstream; undefined = the upstream has no such model. */
export type OurName = (model: string) => string | undefined;

const NO_NAMES: OurName = () => undefined;

/**
 * The usage to charge: what the vendor reported, and the gateway's own count where it reported nothing or an impossible
 * value. Only the missing side is estimated, so reported input is never replaced. Returns no promise if nothing is missing,
 * which is nearly always. The result never exceeds `given`.
 */
export function estimateMissing(
  request: TextRequest,
  summary: ResponseSummary,
  requestBound: UsageBound,
  ourName: OurName = NO_NAMES,
): ChargeableUsage | Promise<ChargeableUsage> {
  if (summary.parts !== undefined)
    return estimateParts(request, summary.parts, { ...requestBound, responses: 1 }, ourName);
  const { usage: stated, implausible: oddSummaries } = withoutUnrequested(request, summary, requestBound);
  const own = ownOf({ usage: stated, model: summary.model }, request.model, requestBound, ourName);
  const bound = boundForModel(own, requestBound, ourName);
  const { tokens: reported, implausible: oddTokens } = boundReported(own.usage, bound);
  const { units, implausible: oddUnits } = boundUnits(summary.units, bound);
  const { calls, implausible: oddCalls } = boundCalls(summary.calls, bound);
  const implausible = joined(joined(oddSummaries, oddTokens), joined(oddUnits, oddCalls));
  const needsInput = reported.inputUncached === undefined && !isPaidByUnits(units, bound);
  const needsOutput = lacksOutput(summary, reported) && isGenerating(request.protocol.name);
  if (!needsInput && !needsOutput) {
    // If an impossible cache or reasoning count was left out, the split of the rest is an estimate.
    const isOdd = joined(oddTokens, oddUnits).some(({ charged }) => !charged);
    const estimated = (summary.usage?.hostile.length ?? 0) > 0 || isOdd;
    // Object.assign, because a spread costs microseconds per request here.
    return Object.assign({ calls, units, estimated, implausible }, byModel(own, reported));
  }

  return loadCounter().then((count) => {
    const images = needsOutput ? toolImages(request, summary, bound, own.usage?.additionalUsage ?? []) : [];
    const gaps = { needsInput, needsOutput, hasImages: images.length > 0, count };
    const usage = estimate(request, summary, reported, bound, gaps);
    const { additionalUsage = [], ...rest } = byModel(own, usage);
    const all = [...additionalUsage, ...images];
    return Object.assign({ calls, units, estimated: true, implausible }, rest, {
      additionalUsage: all.length > 0 ? all : undefined,
    });
  });
}

function joined(some: readonly Implausible[], more: readonly Implausible[]): readonly Implausible[] {
  if (more.length === 0) return some;
  return some.length === 0 ? more : [...some, ...more];
}

/** Usage without summaries that the request did not ask for: it neither allows them on the way nor is one itself. */
function withoutUnrequested(
  { compacts }: TextRequest,
  { usage }: ResponseSummary,
  { passes }: UsageBound,
): ReturnType<typeof boundSummaries> {
  return boundSummaries(usage, passes > 1 || compacts !== undefined);
}

/** The reported usage and the model that served the response; undefined = the requested model. */
interface OwnUsage {
  readonly usage: MeteredUsage | undefined;
  readonly servedBy: string | undefined;
}

/** If the request names no fallback, the asked model is charged for all usage, whatever model the response names. */
function ownOf(
  { usage, model }: Pick<ResponseSummary, "usage" | "model">,
  asked: string,
  { additionalModels = [] }: UsageBound,
  ourName: OurName,
): OwnUsage {
  const answering = additionalModels.filter(({ byCall }) => !byCall);
  if (usage?.servedBy === undefined)
    return { usage, servedBy: isAdditionalModel(model, asked, answering, ourName) ? model : undefined };
  if (answering.length > 0) return { usage, servedBy: usage.servedBy };
  const { tokens, additionalUsage = [] } = usage;
  const before = additionalUsage.filter(({ isBeside }) => isBeside !== true);
  const beside = additionalUsage.filter(({ isBeside }) => isBeside === true);
  return {
    usage: {
      ...usage,
      tokens: sumTokens([tokens, ...before.map((each) => each.tokens)]),
      servedBy: undefined,
      additionalUsage: beside.length > 0 ? beside : undefined,
    },
    servedBy: undefined,
  };
}

/**
 * True if a response names a model other than the asked one. Vendors may name the asked model by a date or an alias, so a name
 * counts only if the request names other models: it must be one of them, or any if the vendor bills the model that it names.
 */
function isAdditionalModel(
  model: string | undefined,
  asked: string,
  answering: readonly AdditionalBound[],
  ourName: OurName,
): boolean {
  if (model === undefined || answering.length === 0) return false;
  const id = ourName(model);
  return id !== asked && answering.some((each) => each.isBilledAlone === true || each.model === id);
}

/** The bound with the limits of the model that served the response. */
function boundForModel({ servedBy }: OwnUsage, bound: UsageBound, ourName: OurName): UsageBound {
  const id = servedBy === undefined ? undefined : ourName(servedBy);
  if (id === undefined) return bound;
  const { limits } = bound.additionalModels?.find(({ model, byCall }) => !byCall && model === id) ?? {};
  return limits === undefined ? bound : { ...bound, ...limits };
}

/** Separates the usage of the asked model from that of other models. */
function byModel({ usage: reported, servedBy }: OwnUsage, usage: TokenUsage): ByModel {
  const additionalUsage = reported?.additionalUsage ?? [];
  if (servedBy !== undefined)
    return {
      usage: {},
      additionalUsage: [{ model: servedBy, tokens: usage, hasServed: true }, ...additionalUsage],
    };
  return { usage, additionalUsage: additionalUsage.length === 0 ? undefined : additionalUsage };
}

type ByModel = Pick<ChargeableUsage, "usage" | "additionalUsage">;

/** The reported tokens by model, without estimates; never more than `given` allows. */
export function reportedByModel(
  request: TextRequest,
  summary: ResponseSummary,
  requestBound: UsageBound,
  ourName: OurName,
): ByModel {
  const { usage } = withoutUnrequested(request, summary, requestBound);
  const own = ownOf({ usage, model: summary.model }, request.model, requestBound, ourName);
  return byModel(own, boundReported(own.usage, boundForModel(own, requestBound, ourName)).tokens);
}

/** Estimates each of several responses by itself, because each had the whole input. */
async function estimateParts(
  request: TextRequest,
  parts: readonly ResponseSummary[],
  bound: UsageBound,
  ourName: OurName,
): Promise<ChargeableUsage> {
  const counted = await Promise.all(parts.map((part) => estimateMissing(request, part, bound, ourName)));
  const additionalUsage = counted.flatMap((part) => part.additionalUsage ?? []);
  return {
    usage: sumTokens(counted.map(({ usage }) => usage)),
    additionalUsage: additionalUsage.length > 0 ? additionalUsage : undefined,
    estimated: counted.some(({ estimated }) => estimated),
    implausible: counted.flatMap(({ implausible }) => implausible),
    ...sumWork(counted),
  };
}

/** True if the vendor reports priced units. It then bills tokens only if it reports them too. */
function isPaidByUnits(units: UnitCounts = {}, { maxUnits = {} }: UsageBound): boolean {
  return BILLED_UNITS.some((unit) => (units[unit] ?? 0) > 0 && maxUnits[unit] !== undefined);
}

/** The sides that the vendor did not report, and the tokenizer that counts them. */
interface Gaps {
  readonly needsInput: boolean;
  readonly needsOutput: boolean;
  /** The tool makes images, which are counted apart. */
  readonly hasImages: boolean;
  readonly count: Counter;
}

function estimate(
  request: TextRequest,
  summary: ResponseSummary,
  reported: TokenUsage,
  bound: UsageBound,
  { needsInput, needsOutput, hasImages, count }: Gaps,
): TokenUsage {
  let usage: TokenUsage = reported;
  if (needsInput) {
    const cached = totalInput(reported);
    // With several prompts, each response belongs to one of them. Equal shares add up to the whole.
    const words = Math.ceil(wordsOf(request, count) / (request.prompts ?? 1));
    const images = imageTokens(request);
    const uncached = boundEstimate(words + images + FRAME_TOKENS, "input", bound) - cached;
    const imageInput = Math.max(0, Math.min(images, uncached));
    usage = { ...usage, inputUncached: Math.max(0, uncached - imageInput) };
    if (imageInput > 0) usage = { ...usage, imageInput };
  }
  if (needsOutput) {
    const text = summary.outputText();
    const { images = 0, audioBytes = 0, hiddenBytes = 0 } = text;
    let taken = 0;
    // Together they stay within the bound; what comes first here is the least in doubt.
    const estimated = (tokens: number): number => {
      const before = taken;
      taken = boundEstimate(before + tokens, "output", bound);
      return taken - before;
    };
    const thoughts =
      count(text.reasoning, text.reasoningMore) + Math.ceil(hiddenBytes / HIDDEN_BYTES_PER_TOKEN);
    const reasoning = estimated(reported.outputReasoning ?? thoughts);
    const imageOutput = estimated(images * IMAGE_OUTPUT_TOKENS);
    const audioOutput = estimated(Math.ceil(audioBytes / AUDIO_BYTES_PER_TOKEN));
    const words = count(text.visible, text.visibleMore);
    // Content of any other kind is something as well, and a response that holds some is not free.
    const isAdditionalModel = summary.hasOutput && taken + words === 0 && !hasImages;
    usage = { ...usage, outputVisible: estimated(isAdditionalModel ? 1 : words) };
    if (reasoning > 0) usage = { ...usage, outputReasoning: reasoning };
    if (imageOutput > 0) usage = { ...usage, imageOutput };
    if (audioOutput > 0) usage = { ...usage, audioOutput };
  }
  return usage;
}

/** Estimated usage of the image tool, which has its own model, if the vendor doesn't report it. */
function toolImages(
  { protocol }: TextRequest,
  summary: ResponseSummary,
  { calls }: UsageBound,
  reported: readonly ModelTokens[],
): readonly ModelTokens[] {
  const { toolImages: made } = summary.outputText();
  const tool = protocol.forward.additionalModels?.find((place) => place.tool !== undefined)?.tool;
  if (made === undefined || tool === undefined || calls === undefined || !mayRun(calls, tool.type)) return [];
  if (reported.some((each) => each.tool === tool.type)) return [];
  const tokens = { imageOutput: made.count * TOOL_IMAGE_TOKENS };
  return [{ model: made.model ?? tool.byDefault, tokens, isBeside: true, tool: tool.type }];
}

/** A square image of medium quality: https://developers.openai.com/api/docs/guides/image-generation#cost-and-latency */
const TOOL_IMAGE_TOKENS = 1_056;

/** One image of a megapixel: https://ai.google.dev/gemini-api/docs/image-generation */
const IMAGE_OUTPUT_TOKENS = 1_290;

/** 20 tokens a second of 16-bit sound at 24 kHz, as speaking models write it: https://developers.openai.com/api/docs/guides/realtime-costs */
const AUDIO_BYTES_PER_TOKEN = 2_400;

/** Thoughts are encrypted as they were written, at about four letters a token. */
const HIDDEN_BYTES_PER_TOKEN = 4;

/** Counts a body with very many values by its bytes, with at least one token per value, because the values may be token numbers. */
function wordsOf(request: TextRequest, count: Counter): number {
  const { body, scan } = request;
  if (scan.values > MAX_VALUES) return Math.max(promptTokens(request), scan.values);
  const { text, tokens } = readPrompt(body);
  return count(text) + tokens;
}

/** No conversation has this many values. Parsing a million of them blocked the event loop for five seconds. */
const MAX_VALUES = 50_000;

/**
 * True if output was not reported, or was reported as 0 by a stream that broke off within content of any kind: Gemini reports
 * the prompt with the first chunk and the output only with the last. The 0 of a finished response stays 0, unless it holds media.
 */
function lacksOutput(summary: ResponseSummary, reported: TokenUsage): boolean {
  if (reported.outputVisible === undefined) return true;
  if (totalOutput(reported) > (reported.outputReasoning ?? 0)) return false;
  const { visible, images, audioBytes } = summary.outputText();
  if (images !== undefined || audioBytes !== undefined) return true;
  const isWhole = summary.finish !== undefined && !summary.failed && summary.error === undefined;
  if (isWhole) return false;
  return visible !== "" || (summary.hasOutput && totalOutput(reported) === 0);
}
