import type { BodyScan } from "../../base/json/json-scan.ts";
import { type Nanos, PPM } from "../../base/money.ts";
import type { Model, Settings } from "../../catalog/catalog.ts";
import {
  type BodyFeatures,
  type HoldTable,
  mediaAmong,
  readFeatures,
} from "../../protocols/body-features.ts";
import { allowedCalls } from "../../protocols/call-limits.ts";
import { MEDIA } from "../../protocols/media.ts";
import type { UnitCounts } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";
import { anyCallsHeld, boundCallsOf, callsHeld, feesOf, maxSearches, unitsHeld } from "./calls-held.ts";
import { notPriced } from "./frozen-price.ts";
import { inputBuckets, maxRate, outputBuckets } from "./max-rate.ts";
import { FACTOR_SCALE, roundedExact } from "./price.ts";
import { type LimitPaths, requestedOutputLimit } from "./requested-output-limit.ts";
import { textBytes } from "./text-bytes.ts";
import { type AdditionalBound, boundOfTexts, limitsOf, type UsageBound } from "./usage-bound.ts";

/** The properties of a text request that determine its hold. */
export interface CostEstimateInput {
  /** Paths of the fields that the cost depends on, in bodies of the caller's protocol. */
  readonly forward: CostPaths;
  readonly model: Model;
  /** The price row and factor in force, from freezePrice. */
  readonly price: FrozenPrice;
  readonly body: readonly Uint8Array[];
  /** The scan of the body; it watched the paths of `forward`. */
  readonly scan: BodyScan;
  /** How many times the whole request may be sent to get several choices; each time costs its input. Absent = once. */
  readonly copies?: number;
  /** The betas that the caller requests, separated by commas. */
  readonly betas?: string | undefined;
  /** The output limit that the gateway writes into a request without one (`output-limit.ts`); absent = it writes none. */
  readonly outputLimit?: number;
  readonly settings: Pick<Settings, "maxPasses" | "holdCalls">;
  /** The request refers to content that its upstream stores. Its size is unknown, so it may fill the context window. */
  readonly refersElsewhere?: boolean;
  /** True if the model runs searches that the request does not ask for; absent = no. */
  readonly runsByDefault?: boolean;
  /** Models beside the asked one that may work on the response; absent = none. */
  readonly additionalModels?: readonly AdditionalModel[] | undefined;
}

/** A model that a request names beside the one that it asks. */
export interface AdditionalModel {
  readonly model: Model;
  readonly price: FrozenPrice;
  /** True for a model that runs once per call of a tool; false for one that may respond in place of the asked model. */
  readonly byCall: boolean;
  /** True for a model that makes images for a tool, which needs neither an output price nor limits. */
  readonly makesImages?: true | undefined;
  /** True if the vendor bills only the model that responds; absent = it also bills the models that declined before that one. */
  readonly isBilledAlone?: true | undefined;
  /** The model's own output limit; absent = the request's limit applies. */
  readonly outputLimit: number | undefined;
}

/** Paths of the fields that the cost depends on, in bodies of a protocol. */
interface CostPaths extends LimitPaths {
  readonly hold: HoldTable;
  /** Paths of the number of choices that are requested; [] = always one. */
  readonly responseCounts: readonly string[];
}

/** An upper bound of a request's cost and usage. */
export interface RequestBound {
  readonly amountNanos: Nanos;
  /** The highest price that a token of output can have. */
  readonly outputRate: bigint;
  readonly usage: UsageBound;
}

/**
 * Bounds what the request can cost and use: all of its input at the highest input price, and the longest responses that it
 * allows at the highest output price. Where the upstream runs tools this is an estimate, since the number of calls is
 * unknown: the calls that the caller allows, otherwise `settings.holdCalls`. Throws `model_not_priced` for a generating
 * model without limits or prices.
 */
export function estimateMaxCost(input: CostEstimateInput): RequestBound {
  const { scan, price, model, settings } = input;
  const { hold } = input.forward;
  if (hold.texts !== null) return boundTexts(hold.texts, input);
  const features = readFeatures(hold, scan);
  const read = inputBuckets(features);
  const inputRateAt = (tokens: number): bigint => maxRate(price, tokens, read);
  if (price.rates.output === undefined) throw notPriced(model, "an output price");
  const limits = limitsOf(model, input.betas);
  if (limits === undefined) throw notPriced(model, LIMITS);
  const responses = responsesAsked(input);
  const stated = outputAllowed(input, limits.outputTokens);
  // The vendor's summary is one more pass over the same input, and may be as long as the model's longest output.
  const summaries = features.maySummarise ? 1 : 0;
  const runsTools = features.vendorTools.length > 0;
  const { runsByDefault = false } = input;
  const allowed = allowedCalls(hold, scan, features);
  const calls = runsTools ? (allowed.offered ?? settings.holdCalls) : 0;
  const { maxPasses } = settings;
  const callBound = boundCallsOf(features, allowed.any, { runsByDefault, maxPasses });
  const mayRunAny = runsByDefault || features.mayBringTools;
  const heldCalls = mayRunAny
    ? anyCallsHeld(price, Math.max(calls, settings.holdCalls))
    : callsHeld(price, calls);
  const passesWith = (called: number): number => Math.min(1 + called, maxPasses) + summaries;
  const passes = passesWith(calls);
  const inputTokens = inputBound(limits.contextTokens, imageTokensOf(model), input, features);
  // Vendors report the sum of all passes, and the price step is chosen by that sum.
  const summed = inputTokens * passes;
  const outputRate = maxRate(price, summed, outputBuckets(features));
  const inputCost = BigInt(summed) * BigInt(input.copies ?? 1) * inputRateAt(summed);
  const outputTokens = BigInt(stated) * BigInt(responses) + BigInt(summaries * limits.outputTokens);
  const outputCost = outputTokens * outputRate;
  const own = { microNanos: inputCost + outputCost, outputRate };
  const total = withAdditional(own, input, features, { responses, calls, passes, summaries });
  return {
    amountNanos: costOf(total.microNanos, feesOf(price, input.copies) + heldCalls, price),
    outputRate: total.outputRate,
    usage: {
      contextTokens: limits.contextTokens,
      outputTokens: limits.outputTokens,
      statedOutputTokens: stated,
      responses,
      passes: 1 + summaries,
      maxPassesWithTools: runsTools && callBound !== undefined ? passesWith(callBound.max) : undefined,
      calls: callBound,
      additionalModels: input.additionalModels?.map((use) => additionalBound(use, input)),
    },
  };
}

/** How many times models may work on a request, and why. */
interface Work {
  readonly responses: number;
  readonly calls: number;
  readonly passes: number;
  readonly summaries: number;
}

/** The most that models can cost, in millionths of a nano, and what one more output token per response adds. */
interface ModelsCost {
  readonly microNanos: bigint;
  readonly outputRate: bigint;
}

/**
 * Adds the models that the request names beside the asked one, each at its highest price. A model that may respond in place of the
 * asked one reads the prompt in as many passes. Its cost is added to that of the asked model, or replaces it where the
 * vendor bills only one of them. A model that runs once per call may fill its context window each time.
 */
function withAdditional(
  own: ModelsCost,
  input: CostEstimateInput,
  features: BodyFeatures,
  { responses, calls, passes, summaries }: Work,
): ModelsCost {
  let { microNanos, outputRate } = own;
  let [beside, besideRate] = [0n, 0n];
  for (const use of input.additionalModels ?? []) {
    const { model, price } = use;
    const makesImages = use.makesImages === true;
    if (!makesImages && price.rates.output === undefined) throw notPriced(model, "an output price");
    const limits = limitsOf(model, input.betas);
    if (limits === undefined) {
      if (!makesImages) throw notPriced(model, LIMITS);
      beside += BigInt(calls) * imageCost(input, model, price, features);
      continue;
    }
    const { contextTokens, outputTokens } = limits;
    const once = use.byCall
      ? contextTokens
      : inputBound(contextTokens, imageTokensOf(model), input, features) * passes;
    const inputRate = maxRate(price, once, inputBuckets(features));
    const rate = maxRate(price, once, outputBuckets(features));
    if (use.byCall) {
      beside += BigInt(calls) * (BigInt(once) * inputRate + BigInt(outputTokens) * rate);
      continue;
    }
    const written = BigInt(outputOf(use, input, outputTokens)) * BigInt(responses);
    const read = BigInt(once) * BigInt(input.copies ?? 1);
    const cost = read * inputRate + (written + BigInt(summaries * outputTokens)) * rate;
    if (use.isBilledAlone === true) {
      microNanos = larger(microNanos, cost);
      outputRate = larger(outputRate, rate);
    } else {
      beside += cost;
      besideRate += rate;
    }
  }
  return { microNanos: microNanos + beside, outputRate: outputRate + besideRate };
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** The most output tokens that a response of this model may have. */
function outputOf({ outputLimit }: AdditionalModel, input: CostEstimateInput, outputTokens: number): number {
  return Math.min(outputLimit ?? outputAllowed(input, outputTokens), outputTokens);
}

function additionalBound(use: AdditionalModel, input: CostEstimateInput): AdditionalBound {
  const { model, byCall, isBilledAlone } = use;
  const limits = byCall ? undefined : limitsOf(model, input.betas);
  return {
    model: model.id,
    byCall,
    isBilledAlone,
    limits: limits && { ...limits, statedOutputTokens: outputOf(use, input, limits.outputTokens) },
  };
}

/** The highest price of one generated image, and the input of the images in the body and of one image generated before. */
function imageCost(
  { model: asked }: CostEstimateInput,
  model: Model,
  price: FrozenPrice,
  { images }: BodyFeatures,
): bigint {
  const made = Object.values(model.price?.media.perImage ?? {});
  const highest = made.reduce((most, nanos) => (nanos > most ? nanos : most), 0n);
  const read = (images.length + 1) * imageTokensOf(asked);
  return highest * PPM + BigInt(read) * maxRate(price, read, ["inputUncached", "imageInput"]);
}

/** Bounds a request whose texts are embedded or ranked one by one. Images, audio and video may be among them. */
function boundTexts(paths: TextPaths, { scan, price, model, body }: CostEstimateInput): RequestBound {
  const texts = textsIn(paths, scan);
  const among = mediaAmong(paths.list, scan);
  const media = among + (paths.beside === undefined ? 0 : mediaAmong(paths.beside, scan) * texts);
  const tokens = textTokens(paths, texts, scan, body) + media * (model.contextTokens ?? imageTokensOf(model));
  const read = inputBuckets({
    mayWriteLong: false,
    mediaRead: new Set(media > 0 ? MEDIA : []),
    requestedMedia: [],
  });
  const most = { search: paths.beside === undefined ? 0 : maxSearches(texts, tokens), image: among };
  const priced = Object.entries(most).filter(([unit]) => Object.hasOwn(price.dimensions?.units ?? {}, unit));
  const maxUnits: UnitCounts = Object.fromEntries(priced);
  return {
    amountNanos: costOf(
      BigInt(tokens) * maxRate(price, tokens, read),
      feesOf(price) + unitsHeld(price, maxUnits),
      price,
    ),
    outputRate: 0n,
    usage: boundOfTexts(Math.max(tokens, model.contextTokens ?? 0), maxUnits),
  };
}

type TextPaths = NonNullable<HoldTable["texts"]>;

/** The cost of tokens, in millionths of a nano, and of everything else, in nanos. */
function costOf(microNanos: bigint, nanos: Nanos, { factorPpm }: FrozenPrice): Nanos {
  return roundedExact((microNanos + nanos * PPM) * FACTOR_SCALE, factorPpm);
}

/** The number of output tokens that this much money covers in any case; 0 where output is free. */
export function tokensWithin(nanos: Nanos, rate: bigint, factorPpm: bigint): bigint {
  if (nanos <= 0n || rate * factorPpm === 0n) return 0n;
  return (nanos * PPM * PPM) / (rate * factorPpm);
}

/**
 * Tokens that vendors add around a prompt: roles, separators, and a system prompt of a few dozen tokens. Most of them
 * replace JSON of the body that is longer.
 */
export const FRAME_TOKENS = 128;

/** The system prompt that vendors add so that a model calls tools; Anthropic documents up to 804 tokens. */
const TOOL_PROMPT_TOKENS = 1_000;

/** Vendors add two or three tokens to each text that is embedded or ranked. */
const TEXT_FRAME_TOKENS = 4;

/**
 * The most tokens that one image takes, whatever its size: vendors scale it down before they count.
 * Published ceilings: 10,000 patches at full detail (OpenAI), 4,784 (Anthropic), 2,240 (Google).
 * A model outside this states its own as the quirk `image_tokens` (gpt-4o-mini: 48,169).
 */
export const IMAGE_TOKENS = 10_000;

function imageTokensOf(model: Model): number {
  const stated = model.quirks["image_tokens"];
  return typeof stated === "number" && Number.isSafeInteger(stated) && stated >= 0 ? stated : IMAGE_TOKENS;
}

function inputBound(
  contextTokens: number,
  imageTokens: number,
  { body, scan, refersElsewhere }: CostEstimateInput,
  { unbounded, images }: BodyFeatures,
): number {
  if (unbounded !== undefined || refersElsewhere === true) return contextTokens;
  const around = FRAME_TOKENS + (scan.count("tools") > 0 ? TOOL_PROMPT_TOKENS : 0);
  const beside = around + images.length * imageTokens;
  if (beside >= contextTokens) return contextTokens;
  return beside + textBytes(body, images, contextTokens - beside);
}

/** The context window is no bound here, because each embedded or ranked text may fill it. */
function textTokens(
  { beside }: TextPaths,
  texts: number,
  scan: BodyScan,
  body: readonly Uint8Array[],
): number {
  const bytes = textBytes(body, [], LARGEST_COUNTED);
  const again = beside === undefined ? [] : scan.all(beside).map((text) => text.end - text.start);
  return bytes + FRAME_TOKENS + (Math.max(0, ...again) + TEXT_FRAME_TOKENS) * texts;
}

function textsIn({ list }: TextPaths, scan: BodyScan): number {
  return Math.max(1, ...scan.all(list).map(({ items }) => items));
}

/** In a larger body to embed or rank every byte counts as a token: looking for escapes would block the event loop. */
const LARGEST_COUNTED = 4 * 1024 * 1024;

/**
 * The number of choices that are requested. A vendor may accept what is not a whole number (`"3"`, 2.5), so it counts as the most that
 * it can mean. If the body has more values than the scan keeps, the number is unknown.
 */
function responsesAsked({ scan, forward: { responseCounts } }: CostEstimateInput): number {
  let most = 1;
  for (const path of responseCounts) {
    const values = scan.all(path);
    if (values.length < scan.count(path)) return MAX_RESPONSES;
    for (const { type, value } of values) {
      if (type === "null") continue;
      const asked = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
      most = Math.max(most, asked >= 1 ? Math.min(Math.ceil(asked), MAX_RESPONSES) : USUAL_RESPONSES);
    }
  }
  return most;
}

/** More choices than any balance covers, so that the request is refused. */
const MAX_RESPONSES = 1e15;
/** The most choices that vendors allow; assumed for values that no vendor should accept. */
const USUAL_RESPONSES = 128;

/** The most output that the request allows one response of a model with this limit. */
function outputAllowed(input: CostEstimateInput, outputTokens: number): number {
  return input.outputLimit ?? requestedOutputLimit(input, outputTokens) ?? outputTokens;
}

const LIMITS = "context_tokens and max_output_tokens";
