import { type MeteredUsage, readCount, type TokenUsage } from "../usage/usage.ts";
import { asObject, type JsonObject } from "./json.ts";

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
  let inputUncached = whole + besideWhole(whole, cache, stated);
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

/** Some servers count cached tokens beside the whole; the stated total tells which, as it does of reasoning. */
function besideWhole(whole: number, cache: CacheCounts, stated: OutputCounts | undefined): number {
  const cached = (cache.cacheRead ?? 0) + (cache.cacheWrite5m ?? 0) + (cache.cacheWrite1h ?? 0);
  if (stated?.output === undefined || cached === stated.reasoning) return 0;
  return stated.total === whole + cached + stated.output ? cached : 0;
}

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

/**
 * Output of vendors that count reasoning inside the whole. One of them counts it outside (41 of 41
 * answers); the stated total tells which, since the same vendor's name serves both kinds (rule 4).
 */
export function inclusiveOutput(tally: Tally, counts: OutputCounts): Buckets {
  const { input, output, reasoning, total } = counts;
  if (output === undefined) return {};
  if (reasoning === undefined) return { outputVisible: output };
  const outside = reasoning > 0 && input !== undefined && total === input + output + reasoning;
  if (outside) return { outputVisible: output, outputReasoning: reasoning };
  if (reasoning > output) {
    tally.reject("reasoning_tokens");
    return { outputVisible: output };
  }
  return { outputVisible: output - reasoning, outputReasoning: reasoning };
}

export interface OutputCounts {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly reasoning: number | undefined;
  readonly total: number | undefined;
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
