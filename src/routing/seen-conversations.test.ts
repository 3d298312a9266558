import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ConversationKey, conversationKey } from "./conversation.ts";
import { createConversationSample } from "./seen-conversations.ts";

const HOUR_MS = 3_600_000;

function keyOf(index: number): ConversationKey {
  return conversationKey(createHash("sha256").update(`seen ${index}`).digest("hex"));
}

describe("the share of conversations that are seen once", () => {
  it("is exact while there are few, whatever their order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 60 }), { maxLength: 120 }), (asked) => {
        const sample = createConversationSample();
        for (const index of asked) sample.see("m", keyOf(index), 0);
        const distinct = new Set(asked);
        const once = [...distinct].filter((index) => asked.indexOf(index) === asked.lastIndexOf(index));
        expect(sample.of("m", 0)).toEqual({ sampled: distinct.size, once: once.length });
        expect(sample.of("other", 0)).toEqual({ sampled: 0, once: 0 });
      }),
      { numRuns: 200 },
    );
  });

  it("is told from a sample of 256 where there are many, however late the others come back", () => {
    const sample = createConversationSample();
    const COUNT = 20_000;
    for (let index = 0; index < COUNT; index += 1) sample.see("m", keyOf(index), 0);
    // Three in four come back after all have been there.
    for (let index = 0; index < COUNT; index += 1) if (index % 4 > 0) sample.see("m", keyOf(index), 1);
    const { sampled, once } = sample.of("m", 1);
    expect(sampled).toBe(256);
    // Five standard deviations of a sample of 256; the keys are the same in every run.
    expect(Math.abs(once / sampled - 0.25)).toBeLessThan(0.135);
  });

  it("is of the last one to two hours, and of each model for itself", () => {
    const sample = createConversationSample();
    sample.see("m", keyOf(1), 0);
    sample.see("m", keyOf(2), 0);
    sample.see("m", keyOf(1), HOUR_MS);
    sample.see("n", keyOf(1), HOUR_MS);
    const seen = (nowMs: number) => Object.fromEntries(sample.all(nowMs));
    expect(seen(HOUR_MS)).toEqual({ m: { sampled: 2, once: 1 }, n: { sampled: 1, once: 1 } });
    expect(seen(2 * HOUR_MS)).toEqual({ m: { sampled: 1, once: 0 }, n: { sampled: 1, once: 1 } });
    expect(seen(4 * HOUR_MS)).toEqual({});
  });
});
