import type { BodyScan } from "../../base/json/json-scan.ts";
import { type Nanos, PPM } from "../../base/money.ts";
import type { Model, Settings } from "../../catalog/catalog.ts";
import { hoursAt } from "../../catalog/price-table.ts";
import { GatewayError } from "../../errors.ts";
import {
  allowedCalls,
  type BodyFeatures,
  type HoldTable,
  MEDIA,
  mediaAmong,
  readFeatures,
} from "../../protocols/body-features.ts";
import type { UnitCounts } from "../../usage/usage.ts";
import type { FrozenPrice } from "../billing.ts";
import { anyCallsHeld, boundCallsOf, callsHeld, feesOf, maxSearches, unitsHeld } from "./calls-held.ts";
import { dearestRate, inputBuckets, outputBuckets } from "./dearest-rate.ts";
import { FACTOR_SCALE, roundedExact } from "./price.ts";
import { type LimitPaths, statedLimit } from "./stated-limit.ts";
import { textBytes } from "./text-bytes.ts";
import { boundOfTexts, type InnerBound, limitsOf, type UsageBound } from "./usage-bound.ts";

/** A text request as far as its hold is concerned. */
export interface CostEstimateInput {
  /** What the protocol in which it came says of its cost. */
  readonly forward: CostPaths;
  readonly model: Model;
  /** The price row and factor in force, from freezePrice. */
  readonly price: FrozenPrice;
  readonly body: readonly Uint8Array[];
  /** Of the body, with holdPaths, limits and counts watched. */
  readonly scan: BodyScan;
  /** How often the request may be sent for them, its input each time; absent = once. */
  readonly copies?: number;
  /** Betas that the caller asks for, separated by commas. */
  readonly betas?: string | undefined;
  /** The output limit that the gateway writes into a request without one, see limitOutput; absent = none. */
  readonly outputLimit?: number;
  readonly settings: Pick<Settings, "maxPasses" | "holdCalls">;
  /** It refers to content that its upstream keeps, which fills the model's context for all that is known. */
  readonly refersElsewhere?: boolean;
  /** The model searches unasked; absent = no. */
  readonly runsUnasked?: boolean;
  /** Further models that may work on the answer; absent = none. */
  readonly inner?: readonly InnerUse[] | undefined;
}

/** A model that a request names beside its own. */
export interface InnerUse {
  readonly model: Model;
  readonly price: FrozenPrice;
  /** It works with each call of a tool; else once, in the place of the model that was asked. */
  readonly byCall: boolean;
  /** Of these and the model that was asked the vendor bills the one that answers; absent = also those that declined before it. */
  readonly isBilledAlone?: true | undefined;
  /** Of its own; absent = that of the request. */
  readonly outputLimit: number | undefined;
}

/** Where a protocol's bodies say what they cost. */
interface CostPaths extends LimitPaths {
  readonly hold: HoldTable;
  /** Paths of the number of answers asked for; [] = always one. */
  readonly responseCounts: readonly string[];
}

/** What a request may cost and use. */
export interface RequestBound {
  readonly amountNanos: Nanos;
  /** The dearest rate of a token of output. */
  readonly outputRate: bigint;
  readonly usage: UsageBound;
}

/** The price of a model for a group at this moment (ms since 1970), frozen for one request; throws `model_not_priced`. */
export function freezePrice(
  model: Model,
  factorPpm: bigint,
  asked: Pick<FrozenPrice, "asked" | "unasked" | "tools" | "fees">,
  atMs: number,
): FrozenPrice {
  if (model.price === null || model.price.rates.input === undefined) throw notPriced(model, "an input price");
  const { id: priceId, rates, dimensions } = model.price;
  const hours = dimensions && hoursAt(dimensions.hours, atMs);
  // Not by spreading, which takes a microsecond of every request.
  return Object.assign({ priceId, rates, factorPpm, dimensions, hours }, asked);
}

/**
 * An upper bound of what the request can cost: the dearest input for all of its input, the output price for the
 * largest answers it allows. Where the upstream runs tools it is none, as nobody knows how often: of those calls that the
 * caller allows, else some. And what the request can have used at all, in which passes. Throws `model_not_priced` for a
 * generating model without limits or prices.
 */
export function estimateMaxCost(question: CostEstimateInput): RequestBound {
  const { scan, price, model, settings } = question;
  const { hold } = question.forward;
  if (hold.texts !== null) return boundTexts(hold.texts, question);
  const features = readFeatures(hold, scan);
  const read = inputBuckets(features);
  const inputRateAt = (tokens: number): bigint => dearestRate(price, tokens, read);
  if (price.rates.output === undefined) throw notPriced(model, "an output price");
  const limits = limitsOf(model, question.betas);
  if (limits === undefined) throw notPriced(model, LIMITS);
  const responses = responsesAsked(question);
  const stated = outputAllowed(question, limits.outputTokens);
  // A summary is a pass of its own over the same input, as long as the model can write.
  const summaries = features.maySummarise ? 1 : 0;
  const runsTools = features.vendorTools > 0;
  const allowed = runsTools ? allowedCalls(hold, scan, features) : 0;
  const calls = allowed ?? settings.holdCalls;
  const { runsUnasked = false } = question;
  const mayRunAny = runsUnasked || features.mayBringTools;
  const heldCalls = mayRunAny
    ? anyCallsHeld(price, Math.max(calls, settings.holdCalls))
    : callsHeld(price, calls);
  const passes = Math.min(1 + calls, settings.maxPasses) + summaries;
  const inputTokens = inputBound(limits.contextTokens, imageTokensOf(model), question, features);
  // Of passes that a vendor sums up the sum is what is known, and what a step is told by.
  const summed = inputTokens * passes;
  const outputRate = dearestRate(price, summed, outputBuckets(features));
  const input = BigInt(summed) * BigInt(question.copies ?? 1) * inputRateAt(summed);
  const outputTokens = BigInt(stated) * BigInt(responses) + BigInt(summaries * limits.outputTokens);
  const output = outputTokens * outputRate;
  const own = { microNanos: input + output, outputRate };
  const dearest = withInner(own, question, features, { responses, calls, passes, summaries });
  return {
    amountNanos: costOf(dearest.microNanos, feesOf(price) + heldCalls, price),
    outputRate: dearest.outputRate,
    usage: {
      contextTokens: limits.contextTokens,
      outputTokens: limits.outputTokens,
      statedOutputTokens: stated,
      responses,
      passes: 1 + summaries,
      mostPasses: runsTools ? settings.maxPasses + summaries : undefined,
      calls: boundCallsOf(features, allowed, { runsUnasked, maxPasses: settings.maxPasses }),
      inner: question.inner?.map((use) => innerBound(use, question)),
    },
  };
}

/** How often a request may be worked on. */
interface Work {
  readonly responses: number;
  readonly calls: number;
  readonly passes: number;
  readonly summaries: number;
}

/** The most that models can cost, in millionths of a nano, and what one more token of output of each answer adds to it. */
interface ModelsCost {
  readonly microNanos: bigint;
  readonly outputRate: bigint;
}

/**
 * The cost of the model that was asked with those of further models, each at the dearest. One that may answer instead reads the
 * prompt as often as the model that was asked, and that has read it too unless the vendor bills but one of them; one that works
 * by call reads as much as its context holds.
 */
function withInner(
  own: ModelsCost,
  question: CostEstimateInput,
  features: BodyFeatures,
  { responses, calls, passes, summaries }: Work,
): ModelsCost {
  let { microNanos, outputRate } = own;
  let [beside, besideRate] = [0n, 0n];
  for (const use of question.inner ?? []) {
    const { model, price } = use;
    if (!use.byCall && price.rates.output === undefined) throw notPriced(model, "an output price");
    const limits = limitsOf(model, question.betas);
    if (limits === undefined) {
      if (!use.byCall) throw notPriced(model, LIMITS);
      beside += BigInt(calls) * imageCost(question, model, price, features);
      continue;
    }
    const { contextTokens, outputTokens } = limits;
    const once = use.byCall
      ? contextTokens
      : inputBound(contextTokens, imageTokensOf(model), question, features) * passes;
    const inputRate = dearestRate(price, once, inputBuckets(features));
    const rate = dearestRate(price, once, outputBuckets(features));
    if (use.byCall) {
      beside += BigInt(calls) * (BigInt(once) * inputRate + BigInt(outputTokens) * rate);
      continue;
    }
    const written = BigInt(outputOf(use, question, outputTokens)) * BigInt(responses);
    const read = BigInt(once) * BigInt(question.copies ?? 1);
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

/** The most output that an answer of a further model may have. */
function outputOf({ outputLimit }: InnerUse, question: CostEstimateInput, outputTokens: number): number {
  return Math.min(outputLimit ?? outputAllowed(question, outputTokens), outputTokens);
}

function innerBound(use: InnerUse, question: CostEstimateInput): InnerBound {
  const { model, byCall, isBilledAlone } = use;
  const limits = byCall ? undefined : limitsOf(model, question.betas);
  return {
    model: model.id,
    byCall,
    isBilledAlone,
    limits: limits && { ...limits, statedOutputTokens: outputOf(use, question, limits.outputTokens) },
  };
}

/** An image at its dearest, of the images in the body and one that was made before. */
function imageCost(
  { model: asked }: CostEstimateInput,
  model: Model,
  price: FrozenPrice,
  { images }: BodyFeatures,
): bigint {
  const made = Object.values(model.price?.media.perImage ?? {});
  const dearest = made.reduce((most, nanos) => (nanos > most ? nanos : most), 0n);
  const read = (images.length + 1) * imageTokensOf(asked);
  return dearest * PPM + BigInt(read) * dearestRate(price, read, ["inputUncached", "imageInput"]);
}

/** Texts that are embedded or ranked, each by itself, among which may be images, sound and films. */
function boundTexts(paths: TextPaths, { scan, price, model, body }: CostEstimateInput): RequestBound {
  const texts = textsIn(paths, scan);
  const among = mediaAmong(paths.list, scan);
  const media = among + (paths.beside === undefined ? 0 : mediaAmong(paths.beside, scan) * texts);
  const tokens = textTokens(paths, texts, scan, body) + media * (model.contextTokens ?? imageTokensOf(model));
  const read = inputBuckets({
    mayWriteLong: false,
    mediaRead: new Set(media > 0 ? MEDIA : []),
    mediaWanted: [],
  });
  const most = { search: paths.beside === undefined ? 0 : maxSearches(texts, tokens), image: among };
  const priced = Object.entries(most).filter(([unit]) => Object.hasOwn(price.dimensions?.units ?? {}, unit));
  const mostUnits: UnitCounts = Object.fromEntries(priced);
  return {
    amountNanos: costOf(
      BigInt(tokens) * dearestRate(price, tokens, read),
      feesOf(price) + unitsHeld(price, mostUnits),
      price,
    ),
    outputRate: 0n,
    usage: boundOfTexts(Math.max(tokens, model.contextTokens ?? 0), mostUnits),
  };
}

type TextPaths = NonNullable<HoldTable["texts"]>;

/** Of tokens in millionths of a nano, and of what else is counted. */
function costOf(microNanos: bigint, nanos: Nanos, { factorPpm }: FrozenPrice): Nanos {
  return roundedExact((microNanos + nanos * PPM) * FACTOR_SCALE, factorPpm);
}

/** The most output that this much money is sure to cover; 0 where it costs nothing. */
export function tokensWithin(nanos: Nanos, rate: bigint, factorPpm: bigint): bigint {
  if (nanos <= 0n || rate * factorPpm === 0n) return 0n;
  return (nanos * PPM * PPM) / (rate * factorPpm);
}

/**
 * What vendors put around a prompt: roles, separators, a system prompt of their own of some dozen tokens. Most of it
 * stands in the body as longer JSON.
 */
export const FRAME_TOKENS = 128;

/** The prompt that teaches a model to call tools, beside the tools themselves: up to 804 tokens are documented (Anthropic). */
const TOOL_PROMPT_TOKENS = 1_000;

/** Vendors frame each text that is embedded or ranked on its own, with two or three tokens. */
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

/** Texts that are embedded or ranked: each may fill the context, so the context bounds nothing. */
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

/** Of a larger body, which is embedded or ranked, every byte counts: to look for escapes would hold up others. */
const LARGEST_COUNTED = 4 * 1024 * 1024;

/**
 * All answers asked for. What is no count may be one to a vendor (`"3"`, 2.5), so it is read as the most that it can
 * mean; of so many values that not all were kept, nothing is known.
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

/** More than anybody can pay for. */
const MAX_RESPONSES = 1e15;
/** What vendors allow at most, for values that no vendor should take. */
const USUAL_RESPONSES = 128;

/** The most output that the request allows an answer of a model with this limit. */
function outputAllowed(question: CostEstimateInput, outputTokens: number): number {
  return question.outputLimit ?? statedLimit(question, outputTokens) ?? outputTokens;
}

const LIMITS = "context_tokens and max_output_tokens";

function notPriced(model: Model, missing: string): GatewayError {
  return new GatewayError(
    "model_not_priced",
    `The model "${model.id}" can't be used yet: the operator hasn't set ${missing} for it.`,
    { param: "model" },
  );
}
