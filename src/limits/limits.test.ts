import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Caller } from "../accounts/caller.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { GatewayError } from "../errors.ts";
import { silentLog } from "../observe/log.ts";
import type { Admission } from "./admission.ts";
import { createLearntInput } from "./learnt-input.ts";
import { createLimits, type Limits } from "./limits.ts";
import { MemoryTokenBuckets } from "./token-buckets.ts";
import { type PromptBytes, type TokenEstimate, tokensToReserve } from "./token-reserve.ts";

const KEY = 7n;

describe("tokens that are reserved", () => {
  const about = aboutInput(100);
  const reserved = (estimate: TokenEstimate, output: number | undefined, limit: number): number =>
    tokensToReserve(estimate, { rates: { plain: 1 / 5, dense: 1 }, output }, limit);

  it("are the input and the output that is allowed, where nothing is learnt", () => {
    expect(reserved({ ...about, outputLimit: 50 }, undefined, 10_000)).toBe(150);
    expect(reserved({ ...about, outputLimit: 32_000 }, undefined, 100_000)).toBe(4_196);
    expect(reserved({ ...about, outputLimit: undefined }, undefined, 100_000)).toBe(4_196);
    expect(reserved({ ...about, outputLimit: 0 }, undefined, 10_000)).toBe(100);
    expect(reserved({ ...about, outputLimit: 50, responses: 3 }, undefined, 10_000)).toBe(250);
  });

  it("are half as long again as answers are, at least 256, never above what is allowed or half of the limit", () => {
    expect(reserved({ ...about, outputLimit: 32_000 }, 1_000, 100_000)).toBe(1_600);
    expect(reserved({ ...about, outputLimit: 32_000 }, 3, 100_000)).toBe(356);
    expect(reserved({ ...about, outputLimit: 20 }, 1_000, 100_000)).toBe(120);
    expect(reserved({ ...about, outputLimit: 32_000 }, 1e6, 100_000)).toBe(4_196);
    expect(reserved({ ...about, outputLimit: 32_000 }, 1_000, 1_000)).toBe(500);
    expect(reserved({ ...about, outputLimit: 0 }, undefined, 1)).toBe(1);
  });

  it("are at most what the model reads, and those of images beside the text", () => {
    const bytes = { plain: 5_000, dense: 4_000 };
    const wide = { ...aboutInput(3_000), bytes, outputLimit: 0 };
    expect(reserved(wide, undefined, 100_000)).toBe(8_000);
    expect(reserved({ ...wide, inputLimit: 4_000 }, undefined, 100_000)).toBe(4_000);
  });
});

describe("a key's limit of tokens", () => {
  it("gives back its tokens evenly, second by second", async () => {
    const { reserve, wait } = await rig();
    const first = await reserve(60, { input: 30 });
    first.finish({ input: 60, output: 0 });
    const refused = await reserve(60, { input: 30 }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 429, reason: "rate_limit_exceeded", retryAfterSeconds: 1 });
    wait(1_000);
    const second = await reserve(60, { input: 1 });
    expect(second.headers).toMatchObject({
      "x-ratelimit-limit-tokens": "60",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "60s",
    });
  });

  it("says truly how long a debt lasts: a request is let in then and not before", async () => {
    const { reserve, wait } = await rig();
    (await reserve(100, { input: 1 })).finish({ input: 350, output: 0 });
    const refused = await reserve(100, { input: 1 }).catch((error: unknown) => error);
    const seconds = refused instanceof GatewayError ? refused.retryAfterSeconds : undefined;
    // 251 of 350 tokens must be given back, at 100 a minute.
    expect(seconds).toBe(151);
    wait(150_000);
    await expect(reserve(100, { input: 1 })).rejects.toThrow("100 tokens per minute");
    wait(1_000);
    await reserve(100, { input: 1 });
  });

  it("keeps what was used when it changes", async () => {
    const { reserve } = await rig();
    (await reserve(100, { input: 50 })).finish({ input: 90, output: 0 });
    expect((await reserve(1_000, { input: 10 })).headers["x-ratelimit-remaining-tokens"]).toBe("900");
    await expect(reserve(80, { input: 1 })).rejects.toThrow("80 tokens per minute");
  });

  it("learns how long answers are, by key and model", async () => {
    const { reserve } = await rig();
    const left = async (model: string): Promise<number> => {
      const admission = await reserve(100_000, { input: 0, outputLimit: 32_000, model });
      admission.finish({ input: 0, output: 400 });
      return Number(admission.headers["x-ratelimit-remaining-tokens"]);
    };
    expect(await left("a")).toBe(100_000 - 4_096);
    expect(await left("a")).toBe(100_000 - 400 - 600);
    expect(await left("b")).toBe(100_000 - 800 - 4_096);
  });
});

describe("tokens that a key's prompts have by their bytes", () => {
  const PLAIN = { plain: 8_000, dense: 100 };
  const DENSE = { plain: 100, dense: 8_000 };

  it("rise at once to what a response shows and fall slowly, by key and model, and by class of bytes", () => {
    const inputs = createLearntInput();
    inputs.learn("k", "m", PLAIN, 4_100);
    expect(inputs.of("k", "m")).toEqual({ plain: 1 / 2, dense: 1 });
    inputs.learn("k", "m", PLAIN, 2_100);
    expect(inputs.of("k", "m").plain).toBeCloseTo(1 / 2 - 1 / 32);
    inputs.learn("k", "m", DENSE, 2_000);
    expect(inputs.of("k", "m").dense).toBeLessThan(1);
    expect(inputs.of("k", "m").dense).toBeGreaterThan(0.9);
    expect(inputs.of("k", "other")).toEqual({ plain: 1 / 5, dense: 1 });
  });

  it("are never above one a byte nor below English, whatever responses say", () => {
    const nat = fc.nat(20_000);
    fc.assert(
      fc.property(fc.array(fc.tuple(nat, nat, fc.nat(100_000)), { maxLength: 200 }), (responses) => {
        const inputs = createLearntInput();
        for (const [plain, dense, tokens] of responses) {
          inputs.learn("k", "m", { plain, dense }, tokens);
          for (const rate of Object.values(inputs.of("k", "m"))) {
            expect(rate).toBeGreaterThanOrEqual(1 / 5);
            expect(rate).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  it("are not learnt where most of them are not those of the body", () => {
    const inputs = createLearntInput();
    inputs.learn("k", "m", PLAIN, 8_101);
    inputs.learn("k", "m", PLAIN, 0);
    inputs.learn("k", "m", { plain: 90, dense: 0 }, 60);
    expect(inputs.of("k", "m")).toEqual({ plain: 1 / 5, dense: 1 });
  });

  it("hold the limit in the next burst of a text that had more than it looked like", async () => {
    const { reserve } = await rig();
    const limit = 20_000;
    const bytes = { plain: 5_000, dense: 0 };
    const burst = async (): Promise<Admission[]> => {
      const tried = Array.from({ length: 100 }, () => reserve(limit, { input: 0, bytes }));
      const settled = await Promise.allSettled(tried);
      return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    };
    const [first, ...others] = await burst();
    expect(others).toHaveLength(19);
    first?.finish({ input: 2_500, output: 0 });
    for (const admission of others) admission.finish();
    expect((await burst()).length * 2_500).toBeLessThanOrEqual(limit + 2_500);
  });
});

describe("a key's limit of requests", () => {
  it("keeps its window when it changes, and does not count whom it refused", async () => {
    const { limits } = await rig();
    const ask = (limit: number): Promise<Admission> | undefined =>
      limits.admit(callerOf({ requestsPerMinute: limit }));
    await ask(2);
    await ask(2);
    for (let index = 0; index < 5; index += 1) await expect(ask(2)).rejects.toThrow("2 requests per minute");
    expect((await ask(10))?.headers["x-ratelimit-remaining-requests"]).toBe("7");
    await expect(ask(3)).rejects.toThrow("3 requests per minute");
  });
});

const FATES = ["answered", "refused", "failed", "told twice", "left before its tokens"] as const;

describe("whatever becomes of requests", () => {
  it("each is corrected exactly once: what is owed is what was used, and what is reserved by those that run", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            fate: fc.constantFrom(...FATES),
            input: fc.nat(300),
            used: fc.nat(500),
            endsAfter: fc.nat(5),
          }),
          { maxLength: 40 },
        ),
        async (requests) => {
          const limit = 1_000;
          const { limits, reserve, left } = await rig();
          let open: { admission: Admission; fate: string; used: number; reserved: number; left: number }[] =
            [];
          let expected = 0;
          for (const { fate, input, used, endsAfter } of requests) {
            if (fate === "left before its tokens") {
              (await limits.admit(callerOf({ tokensPerMinute: limit })))?.finish();
            } else if (expected > limit - 1) {
              await expect(reserve(limit, { input, outputLimit: 0 })).rejects.toThrow("tokens per minute");
            } else {
              const admission = await reserve(limit, { input, outputLimit: 0 });
              const reserved = Math.max(1, Math.min(input, limit / 2));
              expected += reserved;
              open.push({ admission, fate, used, reserved, left: endsAfter });
            }
            const ended = open.filter(({ left }) => left === 0);
            open = open.filter(({ left }) => left > 0).map((each) => ({ ...each, left: each.left - 1 }));
            for (const { admission, fate: end, used: tokens, reserved } of ended) {
              const counted = end === "answered" || end === "told twice" ? tokens : 0;
              admission.finish(counted === 0 ? undefined : { input: counted, output: 0 });
              if (end === "told twice") admission.finish({ input: 99, output: 99 });
              expected += counted - reserved;
            }
            expect(await left(limit)).toBe(Math.max(0, limit - expected));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("no more than the limit and one request passes, over any time, as a simple model of the bucket says too", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(
          fc.record({
            waitMs: fc.nat(20_000),
            tokens: fc.integer({ min: 1, max: 1_000 }),
            limit: fc.boolean(),
          }),
          { maxLength: 60 },
        ),
        (limit, steps) => {
          let nowMs = 5;
          const buckets = new MemoryTokenBuckets(clockOf(() => nowMs));
          let owed = 0;
          let passed = 0;
          for (const { waitMs, tokens } of steps) {
            nowMs += waitMs;
            owed = Math.max(0, owed - (waitMs * limit) / 60_000);
            const { taken, debt } = buckets.take("k", limit, tokens);
            if (Math.abs(limit - owed - 1) > 1e-6) expect(taken).toBe(limit - owed >= 1);
            if (taken) {
              owed = Math.min(owed + tokens, limit * 60);
              passed += tokens;
            }
            expect(debt).toBeCloseTo(owed, 3);
            expect(passed).toBeLessThanOrEqual(limit + 1_000 + ((nowMs - 5) * limit) / 60_000);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("keys that owe nothing any more take no memory", () => {
    let nowMs = 0;
    const buckets = new MemoryTokenBuckets(clockOf(() => nowMs));
    for (let key = 0; key < 50_000; key += 1) {
      nowMs += 1_000;
      buckets.take(String(key), 600, 100);
    }
    expect(buckets.size).toBeLessThan(2_000);
  });
});

interface Rig {
  readonly limits: Limits;
  /** Admits a request of the key and reserves its tokens. */
  reserve(
    limit: number,
    estimate: {
      readonly input: number;
      readonly outputLimit?: number;
      readonly model?: string;
      readonly bytes?: PromptBytes;
    },
  ): Promise<Admission>;
  /** Tokens that the key has left. */
  left(limit: number): Promise<number>;
  wait(ms: number): void;
}

async function rig(): Promise<Rig> {
  let nowMs = 1_000;
  const clock = clockOf(() => nowMs);
  const limits = await createLimits({ redisUrl: undefined, clock, log: silentLog });
  const reserve: Rig["reserve"] = async (
    limit,
    { input, outputLimit = 0, model = "m", bytes = NO_BYTES },
  ) => {
    const admission = await limits.admit(callerOf({ tokensPerMinute: limit }));
    if (admission === undefined) throw new Error("the key has limits");
    try {
      await admission.reserveTokens(() => ({ ...aboutInput(input), model, bytes, outputLimit }));
    } catch (error) {
      admission.finish();
      throw error;
    }
    return admission;
  };
  return {
    limits,
    reserve,
    async left(limit) {
      const admission = await reserve(limit, { input: 0, outputLimit: 0 }).catch(() => undefined);
      admission?.finish();
      // The request itself took one.
      return admission === undefined ? 0 : Number(admission.headers["x-ratelimit-remaining-tokens"]) + 1;
    },
    wait: (ms) => {
      nowMs += ms;
    },
  };
}

const NO_BYTES: PromptBytes = { plain: 0, dense: 0 };

/** A request with so many input tokens beside its text, of which nothing is learnt. */
function aboutInput(tokens: number): Omit<TokenEstimate, "outputLimit"> {
  return {
    model: "m",
    bytes: NO_BYTES,
    imageTokens: tokens,
    inputLimit: undefined,
    responses: 1,
  };
}

function clockOf(nowMs: () => number): Clock {
  return { nowMs, monotonicMs: nowMs };
}

function callerOf(rateLimits: Caller["rateLimits"]): Caller {
  return { keyId: KEY, rateLimits } as Caller;
}

describe("a Redis that answers wrongly", () => {
  const ANSWERS: Readonly<Record<string, string>> = {
    word: "+OK\r\n",
    "empty text": "$0\r\n\r\n",
    texts: "*2\r\n$1\r\na\r\n$1\r\nb\r\n",
    null: "$-1\r\n",
    number: ":1\r\n",
    "no numbers": "*0\r\n",
    "too large": "*2\r\n:99999999999999999\r\n:99999999999999999\r\n",
    negative: "*2\r\n:-1\r\n:-1\r\n",
    error: "-BUSY Redis is busy\r\n",
    "an answer without end": "$1000000\r\nx",
  };

  it.each(Object.keys(ANSWERS))("leaves the counting to the process: %s", async (name) => {
    let asked = 0;
    const redis = createServer((socket) => {
      const drip = setInterval(() => name.endsWith("end") && asked > 0 && socket.write("x"), 100);
      socket.on("close", () => clearInterval(drip)).on("error", () => undefined);
      socket.on("data", (chunk) => {
        for (const [, command = ""] of chunk.toString("latin1").matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
          const greeting = GREETINGS[command.toLowerCase()];
          if (greeting === undefined) asked += 1;
          socket.write(greeting ?? ANSWERS[name] ?? "");
        }
      });
    }).listen(0, "127.0.0.1");
    await once(redis, "listening");
    const url = `redis://127.0.0.1:${(redis.address() as AddressInfo).port}`;
    const limits = await createLimits({ redisUrl: url, clock: systemClock, log: silentLog });
    try {
      const rateLimits = { requestsPerMinute: 2, tokensPerMinute: 1_000 };
      const caller = { keyId: KEY, rateLimits } as unknown as Caller;
      // The process counts by itself until the connection is ready.
      await vi.waitFor(async () => {
        await limits.admitCount({ ...caller, keyId: 8n as Caller["keyId"] });
        expect(asked).toBeGreaterThan(0);
      }, 20_000);
      const outcomes = await Promise.all(
        [1, 2, 3].map(async () => {
          try {
            const admission = await limits.admit(caller);
            await admission?.reserveTokens(() => ({ ...aboutInput(10), outputLimit: 10 }));
            return admission?.headers["x-ratelimit-reset-tokens"];
          } catch (error) {
            return error instanceof GatewayError ? error.retryAfterSeconds : error;
          }
        }),
      );
      expect(outcomes.filter((each) => typeof each === "string" && /^\d+s$/.test(each))).toHaveLength(2);
      const [wait] = outcomes.filter((each) => typeof each === "number");
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
    } finally {
      await limits.close();
      redis.close();
    }
  });
});

/** What a client asks when it connects. */
const GREETINGS: Readonly<Record<string, string>> = {
  hello: "+OK\r\n",
  client: "+OK\r\n",
  info: "$21\r\nredis_version:7.0.0\r\n\r\n",
};
