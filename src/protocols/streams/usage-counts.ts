import {
  type CallCount,
  type MeteredUsage,
  readCount,
  type TokenBucket,
  type TokenUsage,
} from "../../usage/usage.ts";
import { asObject, type JsonObject } from "../json.ts";
import { MEDIA, type MediaCounts, mediaIn } from "./media-counts.ts";

/**
 * Takes token counts out of a vendor's usage object. A value that cannot be one (negative, a fraction,
 * a word, absurdly large) counts as missing and its field is listed, so that it never reaches arithmetic.
 */
export class UsageCounter {
  readonly #hostile: { readonly object: JsonObject | undefined; readonly field: string }[] = [];

  /** The listed fields by their path in the usage object, each once. */
  hostileIn(usage: JsonObject): readonly string[] {
    return [...new Set(this.#hostile.map(({ object, field }) => `${pathTo(usage, object) ?? ""}${field}`))];
  }

  /** The count in this field; undefined where it is absent, null or impossible. */
  count(object: JsonObject | undefined, field: string): number | undefined {
    const value = object?.[field];
    if (value === undefined || value === null) return undefined;
    const count = readCount(value);
    if (count === undefined) this.#hostile.push({ object, field });
    return count;
  }

  /**
   * The first count above zero of these fields, of which servers that speak for several vendors have all and fill in
   * one; else a zero. `found` is what other places of the same thing have told.
   */
  filled(
    object: JsonObject | undefined,
    fields: readonly string[],
    found?: number | undefined,
  ): number | undefined {
    let best = found;
    for (const field of fields) {
      if (best !== undefined && best > 0) return best;
      best = this.count(object, field) ?? best;
    }
    return best;
  }

  /** Lists a field whose value contradicts another. */
  reject(field: string): void {
    this.#hostile.push({ object: undefined, field });
  }
}

/** Vendors nest two; a stranger's object may be nested without end. */
const MAX_USAGE_DEPTH = 4;

/** Path to an object from the one around it, such as "prompt_tokens_details."; undefined = it is not inside. */
function pathTo(
  around: JsonObject,
  object: JsonObject | undefined,
  depth = MAX_USAGE_DEPTH,
): string | undefined {
  if (around === object) return "";
  if (object === undefined || depth === 0) return undefined;
  for (const [field, value] of Object.entries(around)) {
    const inner = asObject(value);
    const path = inner && pathTo(inner, object, depth - 1);
    if (path !== undefined) return `${field}.${path}`;
  }
  return undefined;
}

/**
 * Input of vendors that count cached tokens inside the whole (rule 1), written and read alike. What does
 * not fit into the whole is not believed: one vendor reports more cached than sent (31 answers), another
 * the same tokens as written and as read.
 */
export function inclusiveInput(
  tally: UsageCounter,
  whole: number | undefined,
  cache: CacheCounts,
  stated?: OutputCounts,
): Buckets {
  if (whole === undefined) return {};
  const beside = stated === undefined ? NOTHING_BESIDE : besideWholes(stated, cache);
  let inputUncached = whole + beside.cached + beside.audio;
  const fits = (field: string, sum: number): boolean => {
    if (sum > inputUncached) {
      tally.reject(field);
      return false;
    }
    inputUncached -= sum;
    return true;
  };
  const isRead = fits("cached_tokens", cache.cacheRead ?? 0);
  const isWritten = fits("cache_write_tokens", writtenIn(cache));
  const { isExplicit = false, cacheRead, cacheWrite5m, cacheWrite30m, cacheWrite1h, cacheWrite12h } = cache;
  return {
    inputUncached,
    cacheRead: isRead && !isExplicit ? cacheRead : undefined,
    cacheReadExplicit: isRead && isExplicit ? cacheRead : undefined,
    cacheWrite5m: isWritten ? cacheWrite5m : undefined,
    cacheWrite30m: isWritten ? cacheWrite30m : undefined,
    cacheWrite1h: isWritten ? cacheWrite1h : undefined,
    cacheWrite12h: isWritten ? cacheWrite12h : undefined,
  };
}

function writtenIn({
  cacheWrite5m = 0,
  cacheWrite30m = 0,
  cacheWrite1h = 0,
  cacheWrite12h = 0,
}: CacheCounts): number {
  return cacheWrite5m + cacheWrite30m + cacheWrite1h + cacheWrite12h;
}

/**
 * Tokens that vendors count in the total only, beside input and output. Vendors of one name count in different ways, so
 * only the sum reveals which tokens these are: reasoning (xAI, 41 of 41 responses), audio input (Mistral's Voxtral),
 * cached input (several gateways). The rest that no stated part explains is audio if there was audio input, otherwise
 * reasoning, which Gemini's own OpenAI endpoint states nowhere.
 */
function besideWholes(counts: OutputCounts, cache: CacheCounts): Beside {
  const { input, output, total, reasoning = 0, audio = 0 } = counts;
  if (input === undefined || output === undefined || total === undefined) return NOTHING_BESIDE;
  const gap = total - input - output;
  if (gap <= 0) return NOTHING_BESIDE;
  const cached = (cache.cacheRead ?? 0) + writtenIn(cache);
  for (const beside of WAYS) {
    const parts = {
      reasoning: beside.includes("reasoning") ? reasoning : 0,
      audio: beside.includes("audio") ? audio : 0,
      cached: beside.includes("cached") ? cached : 0,
      hidden: 0,
    };
    if (parts.reasoning + parts.audio + parts.cached === gap) return parts;
  }
  return counts.heard === true ? { ...NOTHING_BESIDE, audio: gap } : { ...NOTHING_BESIDE, hidden: gap };
}

interface Beside {
  readonly reasoning: number;
  readonly audio: number;
  readonly cached: number;
  /** Thoughts that no field states. */
  readonly hidden: number;
}

const NOTHING_BESIDE: Beside = { reasoning: 0, audio: 0, cached: 0, hidden: 0 };

/** Parts that may be counted beside the totals, the likeliest first. */
const WAYS: readonly (readonly ("reasoning" | "audio" | "cached")[])[] = [
  ["reasoning"],
  ["audio"],
  ["cached"],
  ["reasoning", "audio"],
  ["reasoning", "cached"],
  ["audio", "cached"],
  ["reasoning", "audio", "cached"],
];

export interface CacheCounts extends CacheWrites {
  readonly cacheRead?: number | undefined;
  /** It was read from a cache that the caller has made. */
  readonly isExplicit?: boolean;
}

interface CacheWrites {
  readonly cacheWrite5m?: number | undefined;
  readonly cacheWrite30m?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly cacheWrite12h?: number | undefined;
}

/** Cache writes with their lifetimes; what the split leaves over is written for the vendor's usual time. */
export function splitWrites(
  tally: UsageCounter,
  whole: number | undefined,
  split: JsonObject | undefined,
): CacheWrites {
  if (split === undefined) return { cacheWrite5m: whole };
  const cacheWrite5m = tally.count(split, "ephemeral_5m_input_tokens");
  const longer = {
    cacheWrite30m: tally.count(split, "ttl_30m_tokens"),
    cacheWrite1h: tally.count(split, "ephemeral_1h_input_tokens"),
    cacheWrite12h: tally.count(split, "ttl_12h_tokens"),
  };
  const rest = writtenIn(longer);
  const parts = rest + (cacheWrite5m ?? 0);
  if (whole === undefined || whole === parts) return { cacheWrite5m, ...longer };
  if (whole > parts) return { cacheWrite5m: whole - rest, ...longer };
  tally.reject("cache_creation");
  return { cacheWrite5m: whole };
}

/** The media of both sides; `cached` is part of `input`. Undefined = not told apart. */
export interface MediaDetails {
  readonly input?: MediaCounts | undefined;
  readonly cached?: MediaCounts | undefined;
  readonly output?: MediaCounts | undefined;
}

/** Takes media out of the text of both sides. What does not fit into a side is not believed. */
function splitMedia(tally: UsageCounter, sides: Sides, { input, cached, output }: MediaDetails): Sides {
  return {
    input: input === undefined ? sides.input : splitInput(tally, sides.input, input, cached),
    output: output === undefined ? sides.output : splitOutput(tally, sides.output, output),
  };
}

interface Sides {
  readonly input: Buckets;
  readonly output: Buckets;
}

function splitInput(
  tally: UsageCounter,
  side: Buckets,
  media: MediaCounts,
  stated: MediaCounts | undefined,
): Buckets {
  const read = side.cacheReadExplicit === undefined ? "cacheRead" : "cacheReadExplicit";
  const uncached = side.inputUncached ?? 0;
  const cached = stated ?? cachedMedia(media, uncached);
  const split = { ...side };
  for (const medium of MEDIA) {
    const ofCache = cached[medium] ?? 0;
    const ofInput = (media[medium] ?? 0) - ofCache;
    split.inputUncached = (split.inputUncached ?? 0) - ofInput;
    if (ofCache > 0) split[read] = (split[read] ?? 0) - ofCache;
    if (ofInput > 0) split[`${medium}Input`] = ofInput;
    if (ofCache > 0) split[`${medium}CacheRead`] = ofCache;
    if (ofInput < 0 || (split.inputUncached ?? 0) < 0 || (split[read] ?? 0) < 0) {
      tally.reject(`${medium}_tokens`);
      return side;
    }
  }
  return split;
}

/** Cached tokens are text as far as they can be: no more media than do not fit into what was not cached. */
function cachedMedia(media: MediaCounts, uncached: number): MediaCounts {
  let left = MEDIA.reduce((sum, medium) => sum + (media[medium] ?? 0), 0) - uncached;
  const cached: MediaCounts = {};
  for (const medium of MEDIA) {
    const tokens = Math.min(Math.max(0, left), media[medium] ?? 0);
    if (tokens > 0) cached[medium] = tokens;
    left -= tokens;
  }
  return cached;
}

function splitOutput(tally: UsageCounter, side: Buckets, media: MediaCounts): Buckets {
  const split = { ...side };
  for (const medium of MEDIA) {
    const tokens = media[medium];
    if (tokens === undefined) continue;
    split.outputVisible = (split.outputVisible ?? 0) - tokens;
    split[`${medium}Output`] = tokens;
    if (split.outputVisible < 0) {
      tally.reject(`${medium}_tokens`);
      return side;
    }
  }
  return split;
}

/** Output of vendors that count reasoning inside the whole, or beside it where the stated total says so (rule 4). */
export function inclusiveOutput(tally: UsageCounter, counts: OutputCounts, cache: CacheCounts = {}): Buckets {
  const { output, reasoning } = counts;
  if (output === undefined) return {};
  const beside = besideWholes(counts, cache);
  const inside = beside.reasoning > 0 ? 0 : (reasoning ?? 0);
  if (inside > output) tally.reject("reasoning_tokens");
  const within = inside > output ? 0 : inside;
  const thoughts = within + beside.reasoning + beside.hidden;
  const isStated = reasoning !== undefined && inside <= output;
  if (!isStated && thoughts === 0) return { outputVisible: output };
  return { outputVisible: output - within, outputReasoning: thoughts };
}

export interface OutputCounts {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly reasoning: number | undefined;
  readonly total: number | undefined;
  /** Sound within the input, where that is told apart. */
  readonly audio?: number | undefined;
  /** Some was heard, whether its tokens are told apart or not. */
  readonly heard?: boolean | undefined;
}

/** The parts of a usage object that counts cached tokens inside its input (rule 1), wherever each vendor writes them. */
export interface InclusiveUsage {
  readonly input: number | undefined;
  readonly inputDetails: JsonObject | undefined;
  readonly cache: CacheCounts;
  readonly output: number | undefined;
  readonly outputDetails: JsonObject | undefined;
  readonly heard?: boolean;
  readonly calls: readonly CallCount[] | undefined;
}

/** Returns the buckets, from the details that such vendors name alike. */
export function inclusiveUsage(tally: UsageCounter, usage: JsonObject, stated: InclusiveUsage): MeteredUsage {
  const { input, inputDetails, cache, outputDetails, calls } = stated;
  const counts = {
    input,
    output: stated.output,
    reasoning: tally.count(outputDetails, "reasoning_tokens"),
    total: tally.count(usage, "total_tokens"),
    audio: tally.count(inputDetails, "audio_tokens"),
    heard: stated.heard,
  };
  const output = inclusiveOutput(tally, counts, cache);
  const buckets = metered(tally, inclusiveInput(tally, input, cache, counts), output, usage, {
    input: mediaIn(tally, inputDetails),
    cached: mediaIn(tally, asObject(inputDetails?.["cached_tokens_details"])),
    output: mediaIn(tally, outputDetails),
  });
  return calls === undefined ? buckets : { ...buckets, calls };
}

/**
 * The buckets that are known, with the vendor's own object beside them. Each is named: joining the two
 * sides by spreading them costs more than all else that metering does beside parsing.
 */
export function metered(
  tally: UsageCounter,
  textInput: Buckets,
  textOutput: Buckets,
  raw: JsonObject,
  media: MediaDetails = TEXT_ALONE,
): MeteredUsage {
  const isText = media.input === undefined && media.output === undefined;
  const sides = { input: textInput, output: textOutput };
  const { input, output } = isText ? sides : splitMedia(tally, sides, media);
  const tokens: { -readonly [bucket in keyof TokenUsage]: TokenUsage[bucket] } = {};
  if (input.inputUncached !== undefined) tokens.inputUncached = input.inputUncached;
  if (input.cacheRead !== undefined) tokens.cacheRead = input.cacheRead;
  if (input.cacheReadExplicit !== undefined) tokens.cacheReadExplicit = input.cacheReadExplicit;
  if (input.cacheWrite5m !== undefined) tokens.cacheWrite5m = input.cacheWrite5m;
  if (input.cacheWrite30m !== undefined) tokens.cacheWrite30m = input.cacheWrite30m;
  if (input.cacheWrite1h !== undefined) tokens.cacheWrite1h = input.cacheWrite1h;
  if (input.cacheWrite12h !== undefined) tokens.cacheWrite12h = input.cacheWrite12h;
  if (output.outputVisible !== undefined) tokens.outputVisible = output.outputVisible;
  if (output.outputReasoning !== undefined) tokens.outputReasoning = output.outputReasoning;
  if (!isText) {
    for (const bucket of MEDIA_BUCKETS) {
      const count = input[bucket] ?? output[bucket];
      if (count !== undefined) tokens[bucket] = count;
    }
  }
  return { tokens, raw, hostile: tally.hostileIn(raw) };
}

const TEXT_ALONE: MediaDetails = {};

const MEDIA_BUCKETS = MEDIA.flatMap((medium) =>
  (["Input", "CacheRead", "Output"] as const).map((kind): TokenBucket => `${medium}${kind}`),
);

export type Buckets = { [bucket in TokenBucket]?: number | undefined };
