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

it("shares out every token of a stated total once, wherever thoughts are counted (rules 3 and 4)", () => {
  const counts = fc.record({
    prompt: count,
    tools: count,
    words: count,
    thoughts: fc.integer({ min: 1, max: 9_000 }),
  });
  const beside = fc.constantFrom("beside", "within", "unstated");
  fc.assert(
    fc.property(counts, beside, ({ prompt, tools, words, thoughts }, place) => {
      const totalTokenCount = prompt + tools + words + thoughts;
      const { tokens: read, hostile } = generateContentUsage.buckets({
        ...{ promptTokenCount: prompt, toolUsePromptTokenCount: tools, totalTokenCount },
        candidatesTokenCount: place === "within" ? words + thoughts : words,
        ...(place === "unstated" ? {} : { thoughtsTokenCount: thoughts }),
      });
      expect(read).toMatchObject({
        inputUncached: prompt + tools,
        outputVisible: words,
        outputReasoning: thoughts,
      });
      expect(hostile).toEqual([]);
    }),
  );
});

it("takes thoughts for no words of the answer where no total says so, or one that cannot be", () => {
  const stated = { promptTokenCount: 7, candidatesTokenCount: 12, thoughtsTokenCount: 30 };
  const read = { inputUncached: 7, outputVisible: 12, outputReasoning: 30 };
  for (const totalTokenCount of [undefined, null, 0, 7, 19, 30, 49, -1])
    expect(generateContentUsage.buckets({ ...stated, totalTokenCount }).tokens).toMatchObject(read);
  // The vendor leaves zeros out, and at times the count that the total holds.
  expect(generateContentUsage.buckets({ promptTokenCount: 7, totalTokenCount: 37 }).tokens).toMatchObject({
    outputVisible: 0,
    outputReasoning: 30,
  });
  expect(generateContentUsage.buckets({ promptTokenCount: 7, totalTokenCount: 7 }).tokens).toMatchObject({
    outputVisible: 0,
  });
});

it("counts cache writes, which it has no count for, as input (rule 2)", () => {
  expect(encodeUsage({ inputUncached: 1, cacheWrite5m: 2, cacheWrite1h: 4, cacheRead: 8 })).toMatchObject({
    promptTokenCount: 15,
    cachedContentTokenCount: 8,
  });
});
