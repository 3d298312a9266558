import type { Redis } from "ioredis";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { Caller } from "../accounts/caller.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../observe/log.ts";

/** Rates of keys: requests and tokens per minute, requests at once. */
export interface Limits {
  /**
   * Lets a request in, or rejects with GatewayError rate_limit_exceeded and the seconds to wait.
   * Undefined at once for a key without limits.
   */
  admit(caller: Caller): Promise<Admission> | undefined;
  close(): Promise<void>;
}

/** A request that was let in. */
export interface Admission {
  /** `x-ratelimit-*` of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request is over and used this many tokens. Call once. */
  finish(tokens: number): void;
}

export interface LimitsOptions {
  /** Rates shared by all replicas; undefined = counted per process. */
  readonly redisUrl: string | undefined;
  readonly log: Log;
}

const WINDOW_SECONDS = 60;

/** Counting takes Redis less than a millisecond; callers wait for it. */
const SILENCE_LIMIT_MS = 1_000;

/**
 * Counts in this process, or in Redis for all replicas; while Redis is away each replica counts for
 * itself, since refusing everyone would make a helper of ours a single point of failure. Requests at
 * once are always counted per process: a count in Redis would leak with every process that dies.
 */
export async function createLimits({ redisUrl, log }: LimitsOptions): Promise<Limits> {
  const redis = redisUrl === undefined ? undefined : await openRedis(redisUrl, log);
  const limiters = new Map<string, RateLimiterAbstract>();
  const running = new Map<bigint, number>();

  /** One limiter for each kind and size of limit; keys are counted apart inside it. */
  const limiterOf = (kind: "requests" | "tokens", points: number): RateLimiterAbstract => {
    const name = `${kind}:${points}`;
    let limiter = limiters.get(name);
    if (limiter === undefined) {
      const memory = new RateLimiterMemory({ keyPrefix: name, points, duration: WINDOW_SECONDS });
      limiter =
        redis === undefined
          ? memory
          : new RateLimiterRedis({
              storeClient: redis,
              keyPrefix: `faregate:${name}`,
              points,
              duration: WINDOW_SECONDS,
              insuranceLimiter: memory,
            });
      limiters.set(name, limiter);
    }
    return limiter;
  };

  /** Counted before anything is awaited, so that requests of one moment see each other. */
  const enter = (keyId: bigint, most: number | undefined): (() => void) => {
    const atOnce = (running.get(keyId) ?? 0) + 1;
    if (most !== undefined && atOnce > most) throw exceeded(`This key may run ${most} requests at once.`, 1);
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
      const tokens = tokensPerMinute === undefined ? undefined : limiterOf("tokens", tokensPerMinute);
      if (tokens !== undefined && tokensPerMinute !== undefined) {
        const used = await tokens.get(key);
        describe(headers, "tokens", tokensPerMinute, used);
        if (used !== null && used.consumedPoints >= tokensPerMinute) {
          const message = `This key may use ${tokensPerMinute} tokens per minute.`;
          throw exceeded(message, used.msBeforeNext / 1000, headers);
        }
      }
      if (requestsPerMinute !== undefined) {
        const counted = await consumed(limiterOf("requests", requestsPerMinute), key);
        describe(headers, "requests", requestsPerMinute, counted);
        if (counted.consumedPoints > requestsPerMinute) {
          const message = `This key may make ${requestsPerMinute} requests per minute.`;
          throw exceeded(message, counted.msBeforeNext / 1000, headers);
        }
      }
      return {
        headers,
        finish(used) {
          leave();
          if (tokens === undefined || used === 0) return;
          tokens
            .penalty(key, used)
            .catch((err: unknown) => log.warn({ err }, "used tokens could not be counted"));
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  };

  return {
    admit: (caller) => (caller.rateLimits === null ? undefined : admit(caller, caller.rateLimits)),
    async close() {
      redis?.disconnect();
    },
  };
}

/** Counts one request; the library tells a full count by a rejection with the same state. */
function consumed(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes> {
  return limiter.consume(key).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  });
}

function describe(
  headers: Record<string, string>,
  kind: string,
  limit: number,
  state: RateLimiterRes | null,
): void {
  headers[`x-ratelimit-limit-${kind}`] = String(limit);
  headers[`x-ratelimit-remaining-${kind}`] = String(Math.max(0, limit - (state?.consumedPoints ?? 0)));
  headers[`x-ratelimit-reset-${kind}`] = `${Math.ceil((state?.msBeforeNext ?? 0) / 1000)}s`;
}

function exceeded(
  message: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
): GatewayError {
  return new GatewayError("rate_limit_exceeded", message, {
    retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    headers,
  });
}

async function openRedis(url: string, log: Log): Promise<Redis> {
  // Most gateways have none, and loading the client costs a tenth of a second.
  const { Redis } = await import("ioredis");
  // Fails at once while disconnected, so that the limiter of this process takes over; a connection that says nothing is one
  // that is lost, or every request would wait for a Redis that hangs.
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    socketTimeout: SILENCE_LIMIT_MS,
  });
  redis.on("error", (err) =>
    log.warn({ err }, "Redis cannot be reached: rates are counted per process meanwhile"),
  );
  return redis;
}
