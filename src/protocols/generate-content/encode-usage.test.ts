import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeUsage } from "./encode-usage.ts";
import { generateContentUsage } from "./usage.ts";

const count = fc.nat(100_000);
const tokens = fc.record(
  { inputUncached: count, outputVisible: count, cacheRead: count, outputReasoning: count },
  { requiredKeys: ["inputUncached", "outputVisible"] },
);

it("reads back every bucket that it wrote, and states a total that adds up (rules 1 and 3)", () => {
  fc.assert(
    fc.property(tokens, (told) => {
      const wire = encodeUsage(told);
      expect(generateContentUsage.buckets(wire)).toMatchObject({ tokens: told, hostile: [] });
      const {
        promptTokenCount,
        candidatesTokenCount,
        thoughtsTokenCount = 0,
        totalTokenCount,
      } = wire as Record<string, number>;
      expect(totalTokenCount).toBe(
        (promptTokenCount ?? 0) + (candidatesTokenCount ?? 0) + thoughtsTokenCount,
      );
    }),
  );
});

it("counts cache writes, which it has no count for, as input (rule 2)", () => {
  expect(encodeUsage({ inputUncached: 1, cacheWrite5m: 2, cacheWrite1h: 4, cacheRead: 8 })).toMatchObject({
    promptTokenCount: 15,
    cachedContentTokenCount: 8,
  });
});
