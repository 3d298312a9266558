import { once } from "node:events";
import type { Redis } from "ioredis";
import type { Caller } from "../accounts/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../observe/log.ts";
import { type Admission, RunningAdmission } from "./admission.ts";
import { createLearntInput } from "./learnt-input.ts";
import { createLearntOutput } from "./learnt-output.ts";
import { describe, exceeded } from "./rate-response.ts";
import { RedisTokenBuckets } from "./redis-token-buckets.ts";
import { createRequestCounter, type RequestCounter } from "./request-counter.ts";
import { MemoryTokenBuckets } from "./token-buckets.ts";
import { createUpstreamLimits, type UpstreamLimits } from "./upstream-limits.ts";

/** Limits of keys: requests and tokens per minute, concurrent requests. */
export interface Limits {
  /**
   * Admits a request by the number of requests, per minute and concurrent, for which only the caller needs to be known.
   * Rejects with GatewayError rate_limit_exceeded and the seconds to wait. Returns undefined for a key without limits.
   */
  admit(caller: Caller): Promise<Admission> | undefined;
  /**
   * Counts a request that counts tokens. These are free and therefore limited for every key. Resolves to the response's
   * `x-ratelimit-*` headers; rejects as `admit` does.
   */
  admitCount(caller: Caller): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

/** The limits of keys and of upstreams, which are counted in the same way. */
export interface AllLimits extends Limits {
  readonly upstreams: UpstreamLimits;
}

export interface LimitsOptions {
  /** Shares the counts among all processes; undefined = each process counts for itself. */
  readonly redisUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Agents count tokens once or twice a turn, and some twenty times to show what fills their context. */
const COUNTS_PER_MINUTE = 60;

/** Redis counts in less than a millisecond. Callers wait for it no longer than this. */
const SILENCE_LIMIT_MS = 1_000;

/** Equals the time that requests to upstreams have to connect. */
const CONNECT_LIMIT_MS = 5_000;

/**
 * Counts in this process, or in Redis for all processes. While Redis is unreachable, each process continues from the
 * last shared count, because refusing everyone would make Redis a single point of failure. Concurrent requests are
 * always counted per process: a count in Redis would leak with every process that dies.
 */
export async function createLimits({ redisUrl, clock, log }: LimitsOptions): Promise<AllLimits> {
  const redis = redisUrl === undefined ? undefined : await openRedis(redisUrl, log);
  const counter = createRequestCounter(redis, "requests");
  const counts = createRequestCounter(redis, "counts");
  const tools = {
    buckets: redis === undefined ? new MemoryTokenBuckets(clock) : new RedisTokenBuckets(redis, clock, log),
    inputs: createLearntInput(),
    outputs: createLearntOutput(),
  };
  const running = new Map<bigint, number>();

  /** Counts before anything is awaited, so that simultaneous requests see each other. */
  const enter = (keyId: bigint, most: number | undefined): (() => void) => {
    const atOnce = (running.get(keyId) ?? 0) + 1;
    if (most !== undefined && atOnce > most)
      throw exceeded(
        "concurrency",
        `This key may run ${most} ${most === 1 ? "request" : "requests"} at once.`,
        1,
      );
    running.set(keyId, atOnce);
    return () => {
      const left = (running.get(keyId) ?? 1) - 1;
      if (left > 0) running.set(keyId, left);
      else running.delete(keyId);
    };
  };

  const admit = async (caller: Caller, limits: NonNullable<Caller["rateLimits"]>): Promise<Admission> => {
    const { requestsPerMinute, tokensPerMinute } = limits;
    const key = String(caller.keyId);
    const headers: Record<string, string> = {};
    const leave = enter(caller.keyId, limits.concurrency);
    try {
      if (requestsPerMinute !== undefined)
        await countRequest(counter, { key, limit: requestsPerMinute, headers });
      return new RunningAdmission(headers, leave, key, tokensPerMinute, tools);
    } catch (error) {
      leave();
      throw error;
    }
  };

  return {
    admit: (caller) => (caller.rateLimits === null ? undefined : admit(caller, caller.rateLimits)),
    async admitCount({ keyId }) {
      const headers: Record<string, string> = {};
      await countRequest(
        counts,
        { key: String(keyId), limit: COUNTS_PER_MINUTE, headers },
        "count the tokens of",
      );
      return headers;
    },
    upstreams: createUpstreamLimits(createRequestCounter(redis, "upstream-requests"), tools, clock),
    async close() {
      redis?.disconnect();
    },
  };
}

/** Counts one request or rejects it. A rejected request leaves no trace in the count. */
async function countRequest(
  counter: RequestCounter,
  about: { readonly key: string; readonly limit: number; readonly headers: Record<string, string> },
  does = "make",
): Promise<void> {
  const { key, limit, headers } = about;
  const { used, resetSeconds } = await counter.count(key, limit);
  describe(headers, "requests", { limit, left: limit - used, resetSeconds });
  if (used <= limit) return;
  throw exceeded(
    does === "make" ? "requests_per_minute" : "counts_per_minute",
    `Rate limit exceeded: this key may ${does} ${limit} requests per minute.`,
    resetSeconds,
    headers,
  );
}

/** Returns the reason why Redis cannot count, in the client's words; undefined = it can. */
export async function redisProblem(url: string): Promise<string | undefined> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: CONNECT_LIMIT_MS,
    commandTimeout: CONNECT_LIMIT_MS,
  });
  // The first event has the cause. The call itself only rejects with "connection is closed".
  let cause: NodeJS.ErrnoException | undefined;
  redis.on("error", (error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return undefined;
  } catch (error) {
    const { message, code } = cause ?? (error as NodeJS.ErrnoException);
    return message || code || "no response";
  } finally {
    redis.disconnect();
  }
}

async function openRedis(url: string, log: Log): Promise<Redis> {
  // Most gateways have no Redis, and loading the client takes a tenth of a second.
  const { Redis } = await import("ioredis");
  // Calls fail at once while Redis is disconnected, so that the limiter of this process takes over. A silent connection
  // counts as lost; otherwise every request would wait for a hanging Redis.
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    socketTimeout: SILENCE_LIMIT_MS,
    // A server that sends its response byte by byte is never silent, so commands have a time limit as well.
    commandTimeout: SILENCE_LIMIT_MS,
  });
  let isLost = false;
  const lost = (err?: unknown): void => {
    if (!isLost) log.warn({ err }, "Redis is unreachable; counting rate limits per process");
    isLost = true;
  };
  redis.on("error", lost);
  // The client does not report an error if the server merely closes the connection.
  redis.on("reconnecting", () => lost());
  redis.on("ready", () => {
    if (isLost) log.info({}, "Redis is reachable again; sharing rate limits among all processes");
    isLost = false;
  });
  // If the gateway accepted requests before it is connected, each key could use its whole limit once more.
  await once(redis, "ready", { signal: AbortSignal.timeout(SILENCE_LIMIT_MS) }).catch(() => undefined);
  return redis;
}
