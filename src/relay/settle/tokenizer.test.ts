import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { loadCounter } from "./tokenizer.ts";

const WORDS = "The lighthouse keeper counted the ships that passed before the fog came in. ".repeat(200);

describe("the count of a text's tokens", () => {
  it("is the tokenizer's own for words as people write them", async () => {
    const count = await loadCounter();
    for (const text of [
      "",
      "Hi",
      WORDS,
      'const a = { "b": [1, 2.5, null] };\n\n\tprint("é")',
      "灯台守は船を数えた。",
    ])
      expect(count(text)).toBe(countTokens(text));
  });

  it("goes by the ratio of the beginning for what is longer, or not here", async () => {
    const count = await loadCounter();
    expect(count(WORDS, WORDS.length)).toBe(2 * count(WORDS));
    expect(count(WORDS.repeat(100))).toBeCloseTo(100 * count(WORDS), -3);
  });

  // The tokenizer joins the letters of one word in time that grows with the square: a minute for each of these.
  it.each([
    ["letters", "a"],
    ["letters of two kinds", "aB"],
    ["a script without blanks", "灯"],
    ["blanks", " "],
    ["line ends", "\n"],
    ["signs", "-"],
    ["signs and line ends", "!\n"],
    ["surrogates", "😀"],
    ["digits", "7"],
  ])("takes one word of 400,000 in its stride: %s", async (_, unit) => {
    const count = await loadCounter();
    const text = unit.repeat(400_000 / unit.length);
    const short = unit.repeat(10_000 / unit.length);
    const due = (countTokens(short) * text.length) / short.length;
    expect(count(text)).toBeGreaterThanOrEqual(due * 0.9);
    expect(count(text)).toBeLessThanOrEqual(due * 1.2 + 1);
  });
});
