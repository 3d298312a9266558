import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Clock } from "../base/clock.ts";
import type { UpstreamRates } from "../catalog/upstream-options.ts";
import { silentLog } from "../observe/log.ts";
import { createLimits } from "./limits.ts";
import type { TokenEstimate } from "./token-reserve.ts";
import type { UpstreamLimits } from "./upstream-limits.ts";

const CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => Date.now() };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("an upstream's requests per minute", () => {
  it("are never more than its limit, however many come at once, and are free again after the minute", async () => {
    const limits = await rig();
    const upstream = limited({ requestsPerMinute: 5 });
    const taken = await Promise.all(Array.from({ length: 20 }, () => limits.take(upstream, estimate(1))));
    expect(taken.filter((each) => each !== undefined)).toHaveLength(5);
    expect(limits.waitSeconds(upstream)).toBeGreaterThan(0);
    expect(limits.waitSeconds(upstream)).toBeLessThanOrEqual(60);
    vi.advanceTimersByTime(60_001);
    expect(limits.waitSeconds(upstream)).toBe(0);
    expect(await limits.take(upstream, estimate(1))).toBeDefined();
  });

  it("are known to be used up as soon as the last one went, so that no request needs to be refused", async () => {
    const limits = await rig();
    const upstream = limited({ requestsPerMinute: 1 });
    expect(limits.waitSeconds(upstream)).toBe(0);
    await limits.take(upstream, estimate(1));
    expect(limits.waitSeconds(upstream)).toBeGreaterThan(0);
  });

  it("that an operator raises hold at once, and what was used counts", async () => {
    const limits = await rig();
    await limits.take(limited({ requestsPerMinute: 1 }), estimate(1));
    const raised = limited({ requestsPerMinute: 2 });
    expect(limits.waitSeconds(raised)).toBe(0);
    expect(await limits.take(raised, estimate(1))).toBeDefined();
    expect(await limits.take(raised, estimate(1))).toBeUndefined();
  });

  it("are counted for each upstream by itself", async () => {
    const limits = await rig();
    await limits.take(limited({ requestsPerMinute: 1 }, 1n), estimate(1));
    expect(limits.waitSeconds(limited({ requestsPerMinute: 1 }, 2n))).toBe(0);
    expect(await limits.take(limited({ requestsPerMinute: 1 }, 2n), estimate(1))).toBeDefined();
  });
});

describe("an upstream's tokens per minute", () => {
  it("are reserved before a request, and corrected to what it used when it ends", async () => {
    const limits = await rig();
    const upstream = limited({ tokensPerMinute: 100 });
    const first = await limits.take(upstream, estimate(50));
    const second = await limits.take(upstream, estimate(50));
    expect(await limits.take(upstream, estimate(1))).toBeUndefined();
    expect(limits.waitSeconds(upstream)).toBeGreaterThan(0);
    first?.finish({ input: 10, output: 5 });
    expect(limits.waitSeconds(upstream)).toBe(0);
    second?.finish({ input: 80, output: 20 });
    expect(await limits.take(upstream, estimate(1))).toBeUndefined();
    vi.advanceTimersByTime(60_000);
    expect(await limits.take(upstream, estimate(1))).toBeDefined();
  });

  it("are given back whole by a request that came to nothing, and by one that its requests per minute refuse", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(50), { maxLength: 12 }),
        async (most, sizes) => {
          const limits = await rig();
          const upstream = limited({ requestsPerMinute: most, tokensPerMinute: 1_000_000 });
          const taken = await Promise.all(sizes.map((size) => limits.take(upstream, estimate(size))));
          expect(taken.filter((each) => each !== undefined)).toHaveLength(Math.min(most, sizes.length));
          for (const each of taken) each?.finish();
          const tokensOnly = limited({ tokensPerMinute: 1 });
          expect(await limits.take(tokensOnly, estimate(1))).toBeDefined();
        },
      ),
    );
  });
});

it("an upstream without limits takes nothing and estimates nothing", async () => {
  const limits = await rig();
  const upstream = { id: 1n };
  const never = (): never => {
    throw new Error("estimated");
  };
  expect(limits.take(upstream, never)).toBeUndefined();
  expect(limits.waitSeconds(upstream)).toBe(0);
});

async function rig(): Promise<UpstreamLimits> {
  return (await createLimits({ redisUrl: undefined, clock: CLOCK, log: silentLog })).upstreams;
}

function limited(rates: UpstreamRates, id = 1n) {
  return { id, options: { rates } };
}

function estimate(tokens: number): () => TokenEstimate {
  const bytes = { plain: 0, dense: tokens };
  return () => ({ model: "m", bytes, imageTokens: 0, inputLimit: undefined, outputLimit: 0, responses: 1 });
}
