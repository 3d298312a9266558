import { createLru } from "../base/lru.ts";
import type { ConversationKey } from "./conversation.ts";

/** Conversations of one model that this process has been asked for. */
export interface SeenConversations {
  /** A sample of at most 256, drawn by their keys. */
  readonly sampled: number;
  /** The conversations among these that only one request has named. */
  readonly once: number;
}

export interface ConversationSample {
  see(model: string, key: ConversationKey, nowMs: number): void;
  of(model: string, nowMs: number): SeenConversations;
  /** Conversations of every model with any. */
  all(nowMs: number): Iterable<readonly [string, SeenConversations]>;
}

/** A share is told to three points. */
const MAX_SAMPLED = 256;

/** Some 20 KB each when full; half of them are always there. */
const MAX_MODELS = 1_000;

/** A conversation counts for one to two of these, since its first requests may be its last for long. */
const WINDOW_MS = 3_600_000;

/** Keys, as numbers, with how many requests named them. Those below the limit are all there. */
interface Window {
  readonly counts: Map<number, number>;
  /** No key from here on is kept. */
  limit: number;
}

interface Sample {
  current: Window;
  previous: Window;
  startedMs: number;
}

/**
 * Estimates the share of conversations that are seen once: where clients make up a new name for each request it is nearly all
 * of them, and none stays at its place. The keys with the lowest hashes are a fair sample: a key that is in it at the end has
 * been in it since it was first seen.
 */
export function createConversationSample(): ConversationSample {
  const samples = createLru<string, Sample>(MAX_MODELS);

  const sampleOf = (model: string, nowMs: number): Sample => {
    const sample = samples.get(model) ?? { current: window(), previous: window(), startedMs: nowMs };
    const passed = Math.floor((nowMs - sample.startedMs) / WINDOW_MS);
    if (passed > 0) {
      sample.previous = passed === 1 ? sample.current : window();
      sample.current = window();
      sample.startedMs += passed * WINDOW_MS;
    }
    return sample;
  };

  return {
    see(model, key, nowMs) {
      const sample = sampleOf(model, nowMs);
      samples.set(model, sample);
      const { current, previous } = sample;
      const hash = key.high * 2 ** 21 + (key.low >>> 11);
      if (hash >= current.limit) return;
      const before = current.counts.get(hash) ?? previous.counts.get(hash) ?? 0;
      current.counts.set(hash, before + 1);
      if (current.counts.size <= MAX_SAMPLED) return;
      current.limit = Math.max(...current.counts.keys());
      current.counts.delete(current.limit);
    },
    of(model, nowMs) {
      return samples.get(model) === undefined ? NONE : countOf(sampleOf(model, nowMs));
    },
    *all(nowMs) {
      for (const [model] of [...samples.entries()]) {
        const seen = countOf(sampleOf(model, nowMs));
        if (seen.sampled > 0) yield [model, seen];
      }
    },
  };
}

const NONE: SeenConversations = { sampled: 0, once: 0 };

function window(): Window {
  return { counts: new Map(), limit: Number.POSITIVE_INFINITY };
}

/** Over both windows, as far as either has all. */
function countOf({ current, previous }: Sample): SeenConversations {
  const limit = Math.min(current.limit, previous.limit);
  const counts = new Map([...previous.counts, ...current.counts]);
  const kept = [...counts].filter(([hash]) => hash < limit).sort(([one], [other]) => one - other);
  const sampled = kept.slice(0, MAX_SAMPLED);
  return { sampled: sampled.length, once: sampled.filter(([, seen]) => seen === 1).length };
}
