import type { Redis } from "ioredis";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";

const WINDOW_SECONDS = 60;

/** The library only counts: whose limit it is, and how large now, is compared here, so that a changed limit keeps its window. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Requests of one key in the current minute, the one that was just counted included. */
export interface RequestCount {
  readonly used: number;
  readonly resetSeconds: number;
}

/** Counts the requests of each key, minute by minute. */
export interface RequestCounter {
  /** A request beyond the limit leaves no trace in the count. */
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
 * Counts in Redis. While it is away each process goes on from the count that it saw last, and adds to Redis what it counted
 * meanwhile once that is back: losing Redis doesn't give a key its limit anew on each process.
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

  /** Undefined = Redis is away, or says what is no count. */
  async #countShared(key: string, limit: number): Promise<RateLimiterRes | undefined> {
    const missed = await usedOf(this.#missed, key);
    // Taken out before Redis is asked, so that requests of one moment don't all add it.
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
      // A Redis that comes back empty has forgotten what was counted before it was lost, too.
      const forgotten = known + 1 - counted.consumedPoints;
      const whole =
        missed > 0 && forgotten > 0 && isValid(counted)
          ? await this.#shared.penalty(key, forgotten)
          : counted;
      return isValid(whole) ? whole : undefined;
    } catch {
      // The connection's own events tell the log once, not each request.
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

/** A count that only rises would refuse beyond the limit that an operator raises meanwhile. */
async function countWithin(counts: RateLimiterMemory, key: string, limit: number): Promise<RateLimiterRes> {
  const counted = await consume(counts, key, 1);
  if (counted.consumedPoints > limit) await counts.reward(key);
  return counted;
}

/** The library tells a full count by a rejection with the same state. */
function consume(counts: RateLimiterAbstract, key: string, requests: number): Promise<RateLimiterRes> {
  return counts.consume(key, requests).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  });
}

/** The library takes whatever Redis says for a count. */
function isValid({ consumedPoints, msBeforeNext }: RateLimiterRes): boolean {
  const isCount = Number.isSafeInteger(consumedPoints) && consumedPoints > 0;
  return isCount && msBeforeNext >= 0 && msBeforeNext <= WINDOW_SECONDS * 1_000;
}

function countOf({ consumedPoints, msBeforeNext }: RateLimiterRes): RequestCount {
  return { used: consumedPoints, resetSeconds: msBeforeNext / 1000 };
}
