import { type MeteredUsage, readCount, type TokenUsage } from "../../usage/usage.ts";
import { asObject, type JsonObject } from "../json.ts";

/**
 * Takes token counts out of a vendor's usage object. A value that cannot be one (negative, a fraction,
 * a word, absurdly large) counts as missing and its field is listed, so that it never reaches arithmetic.
 */
export class Tally {
  readonly #hostile: string[] = [];

  get hostile(): readonly string[] {
    return this.#hostile;
  }

  /** The count in this field; undefined where it is absent, null or impossible. */
  count(object: JsonObject | undefined, field: string): number | undefined {
    const value = object?.[field];
    if (value === undefined || value === null) return undefined;
    const count = readCount(value);
    if (count === undefined) this.#hostile.push(field);
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
    this.#hostile.push(field);
  }
}

/**
 * Input of vendors that count cached tokens inside the whole (rule 1), written and read alike. What does
 * not fit into the whole is not believed: one vendor reports more cached than sent (31 answers), another
 * the same tokens as written and as read.
 */
export function inclusiveInput(
  tally: Tally,
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
  const { cacheRead, cacheWrite5m, cacheWrite1h } = cache;
  const isRead = fits("cached_tokens", cacheRead ?? 0);
  const isWritten = fits("cache_write_tokens", (cacheWrite5m ?? 0) + (cacheWrite1h ?? 0));
  return {
    inputUncached,
    cacheRead: isRead ? cacheRead : undefined,
    cacheWrite5m: isWritten ? cacheWrite5m : undefined,
    cacheWrite1h: isWritten ? cacheWrite1h : undefined,
  };
}

/**
 * What vendors count beside input and output and in the total alone. The same vendor's name serves several
 * ways of counting, so only the sum tells which parts are: thoughts (xAI, 41 of 41 answers), sound that was
 * heard (Mistral's Voxtral), cached input (several gateways). What no stated part explains is sound where some was heard, else
 * thoughts that Gemini's own OpenAI endpoint states nowhere.
 */
function besideWholes(counts: OutputCounts, cache: CacheCounts): Beside {
  const { input, output, total, reasoning = 0, audio = 0 } = counts;
  if (input === undefined || output === undefined || total === undefined) return NOTHING_BESIDE;
  const gap = total - input - output;
  if (gap <= 0) return NOTHING_BESIDE;
  const cached = (cache.cacheRead ?? 0) + (cache.cacheWrite5m ?? 0) + (cache.cacheWrite1h ?? 0);
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

/** Which parts may stand beside the wholes, the likeliest first. */
const WAYS: readonly (readonly ("reasoning" | "audio" | "cached")[])[] = [
  ["reasoning"],
  ["audio"],
  ["cached"],
  ["reasoning", "audio"],
  ["reasoning", "cached"],
  ["audio", "cached"],
  ["reasoning", "audio", "cached"],
];

export interface CacheCounts {
  readonly cacheRead?: number | undefined;
  readonly cacheWrite5m?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
}

/** Cache writes with their lifetimes; what the split leaves over is written for 5 minutes. */
export function splitWrites(
  tally: Tally,
  whole: number | undefined,
  split: JsonObject | undefined,
): Pick<CacheCounts, "cacheWrite5m" | "cacheWrite1h"> {
  const short = tally.count(split, "ephemeral_5m_input_tokens");
  const long = tally.count(split, "ephemeral_1h_input_tokens");
  if (short === undefined && long === undefined) return { cacheWrite5m: whole };
  const parts = (short ?? 0) + (long ?? 0);
  if (whole === undefined || whole === parts) return { cacheWrite5m: short, cacheWrite1h: long };
  if (whole > parts) return { cacheWrite5m: whole - (long ?? 0), cacheWrite1h: long };
  tally.reject("cache_creation");
  return { cacheWrite5m: whole };
}

/** Output of vendors that count reasoning inside the whole, or beside it where the stated total says so (rule 4). */
export function inclusiveOutput(tally: Tally, counts: OutputCounts, cache: CacheCounts = {}): Buckets {
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

/**
 * The buckets that are known, with the vendor's own object beside them. Each is named: joining the two
 * sides by spreading them costs more than all else that metering does beside parsing.
 */
export function metered(tally: Tally, input: Buckets, output: Buckets, raw: JsonObject): MeteredUsage {
  const tokens: { -readonly [bucket in keyof TokenUsage]: TokenUsage[bucket] } = {};
  if (input.inputUncached !== undefined) tokens.inputUncached = input.inputUncached;
  if (input.cacheRead !== undefined) tokens.cacheRead = input.cacheRead;
  if (input.cacheWrite5m !== undefined) tokens.cacheWrite5m = input.cacheWrite5m;
  if (input.cacheWrite1h !== undefined) tokens.cacheWrite1h = input.cacheWrite1h;
  if (output.outputVisible !== undefined) tokens.outputVisible = output.outputVisible;
  if (output.outputReasoning !== undefined) tokens.outputReasoning = output.outputReasoning;
  return { tokens, raw, hostile: tally.hostile };
}

export type Buckets = { readonly [bucket in keyof TokenUsage]?: number | undefined };

/**
 * Joins what a stream states one time after the other: per field the last value wins, never a sum, since
 * vendors repeat or raise their counts (rule 6). Null is no statement, and nor are zeros alone behind counts.
 */
export function latestCounts(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  if (earlier === undefined) return later;
  const isEmpty = Object.values(later).every((value) => typeof value !== "number" || value === 0);
  return joinCounts(earlier, later, isEmpty, 0);
}

function joinCounts(earlier: JsonObject, later: JsonObject, isEmpty: boolean, depth: number): JsonObject {
  const joined: Record<string, unknown> = { ...earlier };
  for (const field of Object.keys(later)) {
    const value = later[field];
    // The one name that would set an object's prototype is no count's.
    if (value === null || value === undefined || field === "__proto__") continue;
    if (isEmpty && value === 0 && Number(joined[field]) > 0) continue;
    const before = asObject(joined[field]);
    const now = asObject(value);
    const nested = before !== undefined && now !== undefined && depth < MAX_DEPTH;
    joined[field] = nested ? joinCounts(before, now, isEmpty, depth + 1) : value;
  }
  return joined;
}

/** Vendors nest usage two deep; more is not theirs. */
const MAX_DEPTH = 4;
