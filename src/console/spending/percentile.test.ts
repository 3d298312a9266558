import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { percentile } from "./percentile.ts";

/** As the SQL function latency_bucket. */
const bucketOf = (ms: number): number => Math.floor(4 * Math.log2(Math.max(ms, 1)));

describe("a percentile read off the buckets", () => {
  it("is right within a fifth for any times", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 20, max: 3_600_000 }), { minLength: 1, maxLength: 300 }),
        fc.constantFrom(0.5, 0.95),
        (times, share) => {
          const histogram = new Map<number, number>();
          for (const ms of times) histogram.set(bucketOf(ms), (histogram.get(bucketOf(ms)) ?? 0) + 1);
          const exact = times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? 0;
          const read = percentile(histogram, share) ?? 0;
          expect(Math.abs(Math.log2(read / exact))).toBeLessThanOrEqual(0.3);
        },
      ),
    );
  });

  it("is nothing where there was nothing", () => {
    expect(percentile(new Map(), 0.5)).toBeNull();
  });
});
