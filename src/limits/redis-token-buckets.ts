import type { Redis } from "ioredis";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../observe/log.ts";
import { MAX_DEBT_MINUTES, type TokenTake } from "./token-bucket.ts";
import { MemoryTokenBuckets, type TokenBuckets } from "./token-buckets.ts";

/**
 * The arithmetic of `token-bucket.ts` in one step, by the clock of Redis, so that processes whose clocks differ agree.
 * ARGV: the limit; the tokens; 1 to take them only if there is room, 0 to add them in any case; the tokens that the
 * calling process counted while Redis was unreachable; and the debt that it knows the key to have at least, because
 * Redis may come back empty.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, tokens = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'debt', 'at')
local debt, at = tonumber(kept[1] or '0'), tonumber(kept[2] or now)
debt = math.max(0, debt - math.max(0, now - at) * limit / 60000)
debt = math.max(debt + tonumber(ARGV[4]), tonumber(ARGV[5]))
local taken = ARGV[3] == '0' or limit - debt >= 1
if taken then debt = debt + tokens end
debt = math.min(math.max(0, debt), limit * ${MAX_DEBT_MINUTES})
if debt > 0 then
  redis.call('HSET', KEYS[1], 'debt', tostring(debt), 'at', now)
  redis.call('EXPIRE', KEYS[1], ${MAX_DEBT_MINUTES * 60})
else
  redis.call('DEL', KEYS[1])
end
return { taken and 1 or 0, tostring(debt) }
`;

/**
 * Buckets shared by all processes. While Redis is unreachable, each process continues from the debts that it saw last.
 * Once Redis is back, it adds what it counted in the meantime.
 */
export class RedisTokenBuckets implements TokenBuckets {
  readonly #redis: Redis;
  readonly #own: MemoryTokenBuckets;
  /** Tokens that Redis has not counted. */
  readonly #missed: MemoryTokenBuckets;
  readonly #log: Log;

  constructor(redis: Redis, clock: Clock, log: Log) {
    this.#redis = redis;
    this.#own = new MemoryTokenBuckets(clock);
    this.#missed = new MemoryTokenBuckets(clock);
    this.#log = log;
  }

  async take(key: string, limit: number, tokens: number): Promise<TokenTake> {
    try {
      return await this.#run(key, limit, tokens, 1);
    } catch {
      // The connection's own events log the failure once; a message per request would flood the log.
      const take = this.#own.take(key, limit, tokens);
      if (take.taken) this.#missed.correct(key, limit, tokens);
      return take;
    }
  }

  async correct(key: string, limit: number, tokens: number): Promise<void> {
    try {
      await this.#run(key, limit, tokens, 0);
    } catch (err) {
      // A lost connection has been logged already.
      if (this.#redis.status === "ready")
        this.#log.warn({ err }, "Redis token count failed; counting the tokens in this process only");
      this.#own.correct(key, limit, tokens);
      this.#missed.correct(key, limit, tokens);
    }
  }

  async #run(key: string, limit: number, tokens: number, onlyIfRoom: 0 | 1): Promise<TokenTake> {
    const missed = this.#missed.debtOf(key, limit);
    const known = missed > 0 ? this.#own.debtOf(key, limit) : 0;
    // Removed before Redis is called; otherwise simultaneous requests would all add it.
    if (missed > 0) this.#missed.learn(key, limit, 0);
    try {
      const take = await this.#ask(key, limit, [limit, tokens, onlyIfRoom, missed, known]);
      this.#own.learn(key, limit, take.debt);
      return take;
    } catch (error) {
      if (missed > 0) this.#missed.correct(key, limit, missed);
      throw error;
    }
  }

  async #ask(key: string, limit: number, words: readonly number[]): Promise<TokenTake> {
    const response: unknown = await this.#redis.eval(SCRIPT, 1, `faregate:token-debt:${key}`, ...words);
    const [taken, debtText] = Array.isArray(response) ? (response as unknown[]) : [];
    const debt = typeof debtText === "string" && debtText !== "" ? Number(debtText) : Number.NaN;
    // A value that is no response of the script could refuse requests or admit all of them.
    if ((taken !== 0 && taken !== 1) || !(debt >= 0 && debt <= limit * MAX_DEBT_MINUTES))
      throw new Error("Redis returned an unexpected response to the script");
    return { taken: taken === 1, debt };
  }
}
