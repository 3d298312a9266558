import { createHash } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { CacheTtl } from "./prompt.ts";
import { BASE_TOKENS, type Segment, tokensOfSegments } from "./segments.ts";
import { encodeTokens } from "./tokens.ts";
import type { InputUsage } from "./usage.ts";

/** The shortest prefix any vendor caches. */
const MINIMUM_TOKENS = 1_024;
/** Automatic caching grows in steps of this many tokens, as OpenAI documents. */
const STEP_TOKENS = 128;
/** From a breakpoint, an older entry is looked for this many blocks back, as Anthropic documents. */
const LOOK_BACK_BLOCKS = 20;
/** Entries are 20-byte hashes; two hundred thousand stay below 50 MB. */
const MAX_ENTRIES = 200_000;

const TTL_MS: Readonly<Record<CacheTtl, number>> = { "5m": 300_000, "1h": 3_600_000 };

interface Entry {
  ttlMs: number;
  expiresMs: number;
}

/** Prompt caches as vendors keep them: by exact prefix, per credential and model, renewed by each hit. */
export interface PromptCache {
  /** Breakpoints set by the caller (`cache_control`). */
  readMarked(scope: string, segments: readonly Segment[]): InputUsage;
  /** Any prefix of 1,024 tokens or more, in steps of 128; writes cost nothing. */
  readAutomatic(scope: string, segments: readonly Segment[]): InputUsage;
  clear(): void;
}

export function createPromptCache(clock: Clock): PromptCache {
  const entries = new Map<string, Entry>();

  const hit = (key: string): boolean => {
    const entry = entries.get(key);
    if (entry === undefined) return false;
    const now = clock.nowMs();
    if (entry.expiresMs <= now) {
      entries.delete(key);
      return false;
    }
    entry.expiresMs = now + entry.ttlMs;
    return true;
  };

  const write = (key: string, ttlMs: number): void => {
    entries.delete(key);
    entries.set(key, { ttlMs, expiresMs: clock.nowMs() + ttlMs });
    if (entries.size <= MAX_ENTRIES) return;
    const oldest = entries.keys().next().value;
    if (oldest !== undefined) entries.delete(oldest);
  };

  return {
    readMarked: (scope, segments) => readMarked(prefixesOf(scope, segments), hit, write),
    readAutomatic(scope, segments) {
      const total = tokensOfSegments(segments);
      if (total < MINIMUM_TOKENS) return uncached(total);
      const steps = stepsOf(scope, segments);
      let read = 0;
      for (const [index, key] of steps.entries()) {
        if (hit(key)) read = MINIMUM_TOKENS + index * STEP_TOKENS;
        else write(key, TTL_MS["5m"]);
      }
      return { ...uncached(total - read), cacheRead: read };
    },
    clear: () => entries.clear(),
  };
}

function uncached(tokens: number): InputUsage {
  return { inputUncached: tokens, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
}

interface Prefix {
  key: string;
  /** Tokens up to and including this segment. */
  tokens: number;
  ttl: CacheTtl | undefined;
}

function prefixesOf(scope: string, segments: readonly Segment[]): Prefix[] {
  let key = scope;
  let tokens = BASE_TOKENS;
  return segments.map((segment) => {
    key = createHash("sha1").update(key).update("\0").update(segment.key).digest("base64");
    tokens += segment.tokens;
    return { key, tokens, ttl: segment.cache };
  });
}

function readMarked(
  prefixes: readonly Prefix[],
  hit: (key: string) => boolean,
  write: (key: string, ttlMs: number) => void,
): InputUsage {
  const total = prefixes.at(-1)?.tokens ?? BASE_TOKENS;
  const marks = prefixes.flatMap((prefix, index) => (prefix.ttl === undefined ? [] : [{ ...prefix, index }]));
  const longest = marks.flatMap(({ index }) => {
    const found = prefixes
      .slice(Math.max(0, index - LOOK_BACK_BLOCKS), index + 1)
      .filter((prefix) => prefix.tokens >= MINIMUM_TOKENS && hit(prefix.key));
    return found.map((prefix) => prefix.tokens);
  });
  const usage = { ...uncached(0), cacheRead: Math.max(0, ...longest) };
  let counted = usage.cacheRead;
  for (const mark of marks) {
    if (mark.ttl === undefined || mark.tokens <= counted || mark.tokens < MINIMUM_TOKENS) continue;
    write(mark.key, TTL_MS[mark.ttl]);
    if (mark.ttl === "5m") usage.cacheWrite5m += mark.tokens - counted;
    else usage.cacheWrite1h += mark.tokens - counted;
    counted = mark.tokens;
  }
  return { ...usage, inputUncached: total - counted };
}

/** One chained hash per 128-token step from 1,024 tokens on. */
function stepsOf(scope: string, segments: readonly Segment[]): string[] {
  const tokens: number[] = Array.from({ length: BASE_TOKENS }, () => 0);
  for (const segment of segments) {
    // Media has no text tokens: its digest stands for them.
    const encoded = encodeTokens(segment.text);
    for (let index = 0; index < segment.tokens; index += 1) tokens.push(encoded[index % encoded.length] ?? 0);
  }
  const keys: string[] = [];
  let key = scope;
  let done = 0;
  for (let end = MINIMUM_TOKENS; end <= tokens.length; end += STEP_TOKENS) {
    key = createHash("sha1")
      .update(key)
      .update(Uint32Array.from(tokens.slice(done, end)))
      .digest("base64");
    keys.push(key);
    done = end;
  }
  return keys;
}
