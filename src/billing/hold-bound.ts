import type { BodyScan, FoundValue } from "../base/json-scan.ts";
import type { Nanos } from "../base/money.ts";
import type { Endpoint, Model } from "../catalog/catalog.ts";
import { GatewayError } from "../errors.ts";
import type { FrozenPrice } from "./billing.ts";
import { type BodyFeatures, featurePaths, readFeatures } from "./body-features.ts";
import { dearestInput, dearestOutput, extrasCost, roundedCost } from "./rate.ts";

/** A text request as far as its hold is concerned. */
export interface HoldQuestion {
  readonly endpoint: Endpoint;
  readonly model: Model;
  /** The price row and factor in force, from freezePrice. */
  readonly price: FrozenPrice;
  /** Scanned with holdPaths watched. */
  readonly scan: BodyScan;
  /**
   * Paths at which this protocol's vendors read an output limit, in any spelling they take; never one
   * that they ignore, since an ignored limit limits nothing.
   */
  readonly outputLimits: readonly string[];
  /** Paths of the number of answers asked for; [] = always one. */
  readonly answerCounts: readonly string[];
  /** How often the request may be sent for them, its input each time; absent = once. */
  readonly copies?: number;
}

/** The price of a model for a group, frozen for one request; throws `model_not_priced`. */
export function freezePrice(
  model: Model,
  factorPpm: bigint,
  extras: Readonly<Record<string, bigint>> | undefined,
): FrozenPrice {
  if (model.price === null || model.price.rates.input === undefined) throw notPriced(model, "an input price");
  const price = { priceId: model.price.id, rates: model.price.rates, factorPpm };
  return extras === undefined ? price : { ...price, extras };
}

/** What a scan must watch, beside the limits and counts of its protocol, so that the hold can be told. */
export function holdPaths(endpoint: Endpoint): readonly string[] {
  return endpoint === "rerank" ? ["query", "documents"] : featurePaths(endpoint);
}

/**
 * An upper bound of what the request can cost, in nanos: the dearest input for all of its input, the
 * output price for the largest answer it allows. Throws `model_not_priced` for a generating model
 * without limits or prices.
 */
export function holdBound(question: HoldQuestion): Nanos {
  const { endpoint, scan, price, model } = question;
  const features = readFeatures(endpoint, scan);
  const inputRate = dearestInput(price.rates, features.mayWrite1h);
  if (!GENERATING.has(endpoint)) {
    return roundedCost(BigInt(textTokens(endpoint, scan)) * inputRate + extrasCost(price), price.factorPpm);
  }

  if (price.rates.output === undefined) throw notPriced(model, "an output price");
  if (model.contextTokens === null || model.maxOutputTokens === null) {
    throw notPriced(model, "context_tokens and max_output_tokens");
  }
  const inputTokens = inputBound(model.contextTokens, imageTokensOf(model), scan, features);
  // A summary is a pass of its own over the same input, as long as the model can write.
  const passes = features.maySummarise ? 2 : 1;
  const input = BigInt(inputTokens * (question.copies ?? 1) * passes) * inputRate;
  const summary = (passes - 1) * model.maxOutputTokens;
  const output = BigInt(outputBound(question, model.maxOutputTokens) + summary) * dearestOutput(price.rates);
  return roundedCost(input + output + extrasCost(price), price.factorPpm);
}

const GENERATING: ReadonlySet<Endpoint> = new Set([
  "chat-completions",
  "responses",
  "messages",
  "generate-content",
]);

/**
 * Bytes of text per token, an estimate: English has 5, code 3.8, other languages 2.5 to 8, each with its
 * JSON around it. Tables of numbers (1.5), rows of single digits and rare characters (1) are denser; what
 * they cost above the hold falls under the rule for charges above a hold.
 */
const BYTES_PER_TOKEN = 2;

/**
 * The most tokens that one picture takes, whatever its size: vendors scale it down before they count.
 * Published ceilings: 10,000 patches at full detail (OpenAI), 4,784 (Anthropic), 2,240 (Google).
 * A model outside this states its own as the quirk `image_tokens` (gpt-4o-mini: 48,169).
 */
const IMAGE_TOKENS = 10_000;

function imageTokensOf(model: Model): number {
  const stated = model.quirks["image_tokens"];
  return typeof stated === "number" && Number.isSafeInteger(stated) && stated >= 0 ? stated : IMAGE_TOKENS;
}

function inputBound(
  contextTokens: number,
  imageTokens: number,
  scan: BodyScan,
  features: BodyFeatures,
): number {
  if (features.unbounded !== undefined) return contextTokens;
  const text = Math.ceil((scan.length - features.imageBytes) / BYTES_PER_TOKEN);
  return Math.min(contextTokens, text + features.images * imageTokens);
}

/**
 * Embeddings and rerank: each text may fill the context, so the context bounds nothing. A reranker
 * reads the query again with every document.
 */
function textTokens(endpoint: Endpoint, scan: BodyScan): number {
  let bytes = scan.length;
  if (endpoint === "rerank") {
    const documents = Math.max(1, ...scan.all("documents").map((list) => list.items));
    const query = Math.max(0, ...scan.all("query").map((text) => text.end - text.start));
    bytes += query * (documents - 1);
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

function outputBound({ scan, outputLimits, answerCounts }: HoldQuestion, maxOutputTokens: number): number {
  const limit = largestAsked(scan, outputLimits, maxOutputTokens) ?? maxOutputTokens;
  return limit * (largestAsked(scan, answerCounts, MAX_ANSWERS) ?? 1);
}

/** The most answers that any vendor gives to one request. */
const MAX_ANSWERS = 128;

/**
 * The largest whole number found at the paths, at most `ceiling`; anything that is no number from 1 up
 * counts as the ceiling, since vendors differ in what they make of it. Undefined where nothing is asked.
 */
function largestAsked(scan: BodyScan, paths: readonly string[], ceiling: number): number | undefined {
  let largest: number | undefined;
  for (const path of paths) {
    const values = scan.all(path);
    if (values.length < scan.count(path)) return ceiling;
    for (const value of values) {
      if (value.type !== "null") largest = Math.max(largest ?? 0, asCount(value, ceiling));
    }
  }
  return largest;
}

function asCount(value: FoundValue, ceiling: number): number {
  const asked = value.value;
  return typeof asked === "number" && Number.isSafeInteger(asked) && asked >= 1
    ? Math.min(asked, ceiling)
    : ceiling;
}

function notPriced(model: Model, missing: string): GatewayError {
  return new GatewayError(
    "model_not_priced",
    `The model "${model.id}" cannot be used yet: the operator has not set ${missing} for it.`,
    { param: "model" },
  );
}
