import type { Redis } from "ioredis";
import type { Log } from "../observe/log.ts";
import { MAX_DEBT_MINUTES, type TokenTake } from "./token-bucket.ts";
import type { MemoryTokenBuckets, TokenBuckets } from "./token-buckets.ts";

/**
 * The arithmetic of `token-bucket.ts` in one step, by the clock of Redis, so that processes whose clocks differ agree.
 * ARGV: the limit, the tokens, and 1 to take them only where there is room, 0 to add them in any case.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, tokens = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'debt', 'at')
local debt, at = tonumber(kept[1] or '0'), tonumber(kept[2] or now)
debt = math.max(0, debt - math.max(0, now - at) * limit / 60000)
if ARGV[3] == '1' and limit - debt < 1 then return { 0, tostring(debt) } end
debt = math.min(math.max(0, debt + tokens), limit * ${MAX_DEBT_MINUTES})
if debt > 0 then
  redis.call('HSET', KEYS[1], 'debt', tostring(debt), 'at', now)
  redis.call('EXPIRE', KEYS[1], ${MAX_DEBT_MINUTES * 60})
else
  redis.call('DEL', KEYS[1])
end
return { 1, tostring(debt) }
`;

/** Buckets that all replicas share; while Redis is away each process has its own, which begin as if nothing was used. */
export class RedisTokenBuckets implements TokenBuckets {
  readonly #redis: Redis;
  readonly #own: MemoryTokenBuckets;
  readonly #log: Log;

  constructor(redis: Redis, own: MemoryTokenBuckets, log: Log) {
    this.#redis = redis;
    this.#own = own;
    this.#log = log;
  }

  async take(key: string, limit: number, tokens: number): Promise<TokenTake> {
    try {
      return await this.#run(key, limit, tokens, 1);
    } catch {
      // The connection's own events tell the log once, not each request.
      return this.#own.take(key, limit, tokens);
    }
  }

  async correct(key: string, limit: number, tokens: number): Promise<void> {
    try {
      await this.#run(key, limit, tokens, 0);
    } catch (err) {
      // Of a lost connection the log has one message already.
      if (this.#redis.status === "ready")
        this.#log.warn(
          { err },
          "Redis did not count a request's tokens, so they are counted only in this process",
        );
      this.#own.correct(key, limit, tokens);
    }
  }

  async #run(key: string, limit: number, tokens: number, onlyIfRoom: 0 | 1): Promise<TokenTake> {
    const response: unknown = await this.#redis.eval(
      SCRIPT,
      1,
      `faregate:token-debt:${key}`,
      limit,
      tokens,
      onlyIfRoom,
    );
    const [taken, debtText] = Array.isArray(response) ? (response as unknown[]) : [];
    const debt = typeof debtText === "string" && debtText !== "" ? Number(debtText) : Number.NaN;
    // What is no response to the script would refuse requests, or let all in.
    if ((taken !== 0 && taken !== 1) || !(debt >= 0 && debt <= limit * MAX_DEBT_MINUTES))
      throw new Error("Redis returned an unexpected response to the script");
    return { taken: taken === 1, debt };
  }
}
