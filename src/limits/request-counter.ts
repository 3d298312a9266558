import type { Redis } from "ioredis";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";

const WINDOW_SECONDS = 60;

/**
 * The library only counts. The comparison with the key's present limit is done here, so that a changed limit keeps its
 * window.
 */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A key's requests in the current minute, including the one just counted. */
export interface RequestCount {
  readonly used: number;
  readonly resetSeconds: number;
}

/** Counts the requests of each key per minute. */
export interface RequestCounter {
  /** A request beyond the limit is not counted. */
  count(key: string, limit: number): Promise<RequestCount>;
}

/** Counts in this process, or in Redis for all processes. */
export function createRequestCounter(redis: Redis | undefined, name: string): RequestCounter {
  return redis === undefined ? new MemoryRequestCounter(name) : new RedisRequestCounter(redis, name);
}

class MemoryRequestCounter implements RequestCounter {
  readonly #counts: RateLimiterMemory;

  constructor(name: string) {
    this.#counts = memoryCounts(name);
  }

  async count(key: string, limit: number): Promise<RequestCount> {
    return countOf(await countWithin(this.#counts, key, limit));
  }
}

/**
 * Counts in Redis. While Redis is unreachable, each process continues from the count that it saw last, and adds what it
 * counted in the meantime once Redis is back. So an outage of Redis doesn't give each key its limit anew in each
 * process.
 */
class RedisRequestCounter implements RequestCounter {
  readonly #shared: RateLimiterRedis;
  readonly #own: RateLimiterMemory;
  /** Requests of the last minute that Redis has not counted. */
  readonly #missed: RateLimiterMemory;

  constructor(redis: Redis, name: string) {
    this.#own = memoryCounts(name);
    this.#missed = memoryCounts(name);
    this.#shared = new RateLimiterRedis({
      points: UNLIMITED,
      duration: WINDOW_SECONDS,
      keyPrefix: `faregate:${name}`,
      storeClient: redis,
    });
  }

  async count(key: string, limit: number): Promise<RequestCount> {
    return countOf((await this.#countShared(key, limit)) ?? (await this.#countHere(key, limit)));
  }

  /** Undefined = Redis is unreachable, or its response is no count. */
  async #countShared(key: string, limit: number): Promise<RateLimiterRes | undefined> {
    const missed = await usedOf(this.#missed, key);
    // Removed before Redis is called; otherwise simultaneous requests would all add it.
    if (missed > 0) await this.#missed.delete(key);
    const counted = await this.#consumeShared(key, missed, missed === 0 ? 0 : await usedOf(this.#own, key));
    if (counted === undefined) {
      if (missed > 0) await this.#missed.penalty(key, missed);
      return undefined;
    }
    if (counted.consumedPoints > limit) await this.#shared.reward(key).catch(() => undefined);
    await this.#own.set(key, Math.min(counted.consumedPoints, limit), counted.msBeforeNext / 1000);
    return counted;
  }

  async #consumeShared(key: string, missed: number, known: number): Promise<RateLimiterRes | undefined> {
    try {
      const counted = await consume(this.#shared, key, 1 + missed);
      // If Redis comes back empty, it also lacks what it had counted before it was lost.
      const forgotten = known + 1 - counted.consumedPoints;
      const whole =
        missed > 0 && forgotten > 0 && isValid(counted)
          ? await this.#shared.penalty(key, forgotten)
          : counted;
      return isValid(whole) ? whole : undefined;
    } catch {
      // The connection's own events log the failure once; a message per request would flood the log.
      return undefined;
    }
  }

  async #countHere(key: string, limit: number): Promise<RateLimiterRes> {
    const counted = await countWithin(this.#own, key, limit);
    if (counted.consumedPoints <= limit) await this.#missed.penalty(key, 1);
    return counted;
  }
}

function memoryCounts(name: string): RateLimiterMemory {
  return new RateLimiterMemory({ keyPrefix: name, points: UNLIMITED, duration: WINDOW_SECONDS });
}

async function usedOf(counts: RateLimiterMemory, key: string): Promise<number> {
  return (await counts.get(key))?.consumedPoints ?? 0;
}

/** Refused requests are not counted: otherwise, after an operator raised the limit, the count could still exceed it. */
async function countWithin(counts: RateLimiterMemory, key: string, limit: number): Promise<RateLimiterRes> {
  const counted = await consume(counts, key, 1);
  if (counted.consumedPoints > limit) await counts.reward(key);
  return counted;
}

/** The library reports a full count by a rejection that has the same fields. */
function consume(counts: RateLimiterAbstract, key: string, requests: number): Promise<RateLimiterRes> {
  return counts.consume(key, requests).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  });
}

/** The library accepts any response of Redis as a count. */
function isValid({ consumedPoints, msBeforeNext }: RateLimiterRes): boolean {
  const isCount = Number.isSafeInteger(consumedPoints) && consumedPoints > 0;
  return isCount && msBeforeNext >= 0 && msBeforeNext <= WINDOW_SECONDS * 1_000;
}

function countOf({ consumedPoints, msBeforeNext }: RateLimiterRes): RequestCount {
  return { used: consumedPoints, resetSeconds: msBeforeNext / 1000 };
}
