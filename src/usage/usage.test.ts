import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  byClass,
  MAX_TOKENS_REPORTED,
  readCount,
  TOKEN_BUCKETS,
  TOKEN_CLASSES,
  totalInput,
  totalOutput,
} from "./usage.ts";

describe("usage", () => {
  it("counts every bucket in exactly one of the two totals", () => {
    for (const bucket of TOKEN_BUCKETS) {
      expect(totalInput({ [bucket]: 7 }) + totalOutput({ [bucket]: 7 }), bucket).toBe(7);
    }
    const all = Object.fromEntries(TOKEN_BUCKETS.map((bucket, index) => [bucket, 2 ** index]));
    expect(totalInput(all) + totalOutput(all)).toBe(2 ** TOKEN_BUCKETS.length - 1);
    expect([totalInput({}), totalOutput({})]).toEqual([0, 0]);
  });

  it("counts every bucket in exactly one of the classes, of its own side", () => {
    const counts = fc.record(
      Object.fromEntries(TOKEN_BUCKETS.map((bucket) => [bucket, fc.nat({ max: 1_000_000 })])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(counts, (usage) => {
        const classes = byClass(usage);
        expect([totalInput(classes), totalOutput(classes)]).toEqual([totalInput(usage), totalOutput(usage)]);
        for (const name of Object.keys(classes)) expect(TOKEN_CLASSES).toContain(name);
      }),
    );
  });

  it("believes whole numbers from 0 to a thousand million and nothing else", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.double(), fc.integer(), fc.maxSafeInteger()), (value) => {
        const believed =
          Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS_REPORTED;
        expect(readCount(value)).toBe(believed ? value : undefined);
      }),
    );
    for (const hostile of [
      -1,
      0.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 64 - 1,
      "5",
      null,
      true,
      1e9 + 1,
    ]) {
      expect(readCount(hostile)).toBeUndefined();
    }
    expect([readCount(0), readCount(MAX_TOKENS_REPORTED)]).toEqual([0, MAX_TOKENS_REPORTED]);
  });
});
