import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LearntFactor } from "./learnt-factor.ts";

const BODY = [Buffer.from('{"messages":[]}')];

function learn(factor: LearntFactor, reported: number, counted: number): void {
  factor.keep("m", BODY, reported);
  const samples = factor.take("m");
  factor.learn(
    "m",
    samples,
    samples.map(() => counted),
  );
}

describe("the factor of a model's own count", () => {
  it("is 1 where nothing is known, and the ratio of the first report after that", () => {
    const factor = new LearntFactor();
    expect(factor.of("m")).toBe(1);
    learn(factor, 150, 100);
    expect(factor.of("m")).toBe(1.5);
    expect(factor.of("another")).toBe(1);
  });

  it("stays between 0.8 and 2, whatever vendors report", () => {
    const tokens = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(tokens, tokens)), (reports) => {
        const factor = new LearntFactor();
        for (const [reported, counted] of reports) learn(factor, reported, counted);
        expect(factor.of("m")).toBeGreaterThanOrEqual(0.8);
        expect(factor.of("m")).toBeLessThanOrEqual(2);
      }),
    );
  });

  it("comes near what is reported again and again, and is hardly moved by one odd report", () => {
    const factor = new LearntFactor();
    for (let times = 0; times < 20; times += 1) learn(factor, 120, 100);
    learn(factor, 200, 100);
    expect(factor.of("m")).toBeLessThan(1.5);
    for (let times = 0; times < 20; times += 1) learn(factor, 120, 100);
    expect(factor.of("m")).toBeCloseTo(1.2, 2);
  });

  it("keeps a few small requests only", () => {
    const factor = new LearntFactor();
    factor.keep("m", [Buffer.alloc(20_000)], 5_000);
    factor.keep("m", BODY, 3);
    expect(factor.take("m")).toEqual([]);
    for (let times = 0; times < 100; times += 1) factor.keep("m", BODY, 100);
    expect(factor.take("m").length).toBeLessThan(10);
    expect(factor.take("m")).toEqual([]);
  });
});
