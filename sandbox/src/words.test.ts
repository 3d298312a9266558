import { beforeAll, describe, expect, it } from "vitest";
import { createSeeded } from "./seeded.ts";
import { countTokens, firstTokens, loadTokenizer } from "./tokens.ts";
import { piecesInto, piecesOf, WORDS, wordsOf } from "./words.ts";

const TEXTS = [
  "",
  " ",
  "one",
  "one two three four five six seven",
  "\nlead and trail \n",
  "河流把石头带到大海里去了然后又回来了直到永远",
  "🌊".repeat(60),
];

describe("words", () => {
  beforeAll(loadTokenizer);

  it("are one token each, so that N words are N tokens", () => {
    for (const word of WORDS) expect(countTokens(`${word} ${word}`), word).toBe(2);
    expect(countTokens(wordsOf(5_000, createSeeded(7)))).toBe(5_000);
  });

  it("are cut into pieces that join to the same text, never inside a character", () => {
    for (const text of TEXTS) {
      const pieces = piecesOf(text);
      expect(pieces.join("")).toBe(text);
      for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
    }
  });

  it("are cut into as many pieces as asked", () => {
    const text = wordsOf(250, createSeeded(3));
    const pieces = piecesInto(text, 100);
    expect(pieces).toHaveLength(100);
    expect(pieces.join("")).toBe(text);
  });

  it("are cut at a token limit to a beginning of the text within the limit", () => {
    for (const text of TEXTS) {
      for (const limit of [0, 1, 2, 5, 1_000]) {
        const cut = firstTokens(text, limit);
        expect(text.startsWith(cut)).toBe(true);
        expect(countTokens(cut)).toBeLessThanOrEqual(Math.max(limit, 0));
      }
    }
  });
});
