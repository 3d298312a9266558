import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { promptBytes } from "./prompt-bytes.ts";

const ENGLISH =
  "Most lighthouses were built on rocks that ships had struck before. The keeper's day began at dusk, when the lamp was lit, " +
  "and ended after sunrise. In 1886 a storm broke eleven of the windows; nobody was hurt, but the lamp stayed dark for two nights. " +
  "What the crew wrote about it is kept in the town's library, together with their letters. ";

const bodyOf = (content: string): Buffer =>
  Buffer.from(JSON.stringify({ model: "text", messages: [{ role: "user", content }] }));

const expected = ({ plain, dense }: ReturnType<typeof promptBytes>): number => plain / 5 + dense;

describe("the tokens that bytes are expected to have", () => {
  it("are about those of ordinary English", () => {
    const text = ENGLISH.repeat(10);
    const tokens = countTokens(text);
    const found = expected(promptBytes([bodyOf(text)], []));
    expect(found).toBeGreaterThan(tokens);
    expect(found).toBeLessThan(tokens * 1.3);
  });

  const letters = "abcdefghijklmnopqrstuvwxyz";
  const capitals = letters.toUpperCase();
  const digits = "0123456789";
  it.each([
    ["base64", `${letters}${capitals}${digits}+/`],
    ["hexadecimal digits", `${digits}abcdef`],
    ["digits", digits],
    ["signs", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~\"\\"],
    ["line ends", "\n\t\r "],
    ["capitals", capitals],
    ["letters of no word", letters],
    ["a rare script", "ꀀꁁꂂꃃꄄꅅꆆꇇꈈꉉ"],
    ["other scripts", "жЖअ中字한あ𓀀"],
    ["emoji", "😀🏴👩🎉🧿"],
  ])("are hardly fewer than those of dense text: %s", (_, all) => {
    const unit = fc.constantFrom(...all);
    fc.assert(
      fc.property(fc.array(unit, { minLength: 900, maxLength: 900 }), (units) => {
        const text = units.join("");
        expect(expected(promptBytes([bodyOf(text)], []))).toBeGreaterThan(countTokens(text) * 0.85);
      }),
      { numRuns: 20 },
    );
  });

  it("are hardly fewer where everything is spelled by escapes", () => {
    const text = "ꀀꁁꂂ".repeat(100);
    const spelled = bodyOf(text)
      .toString()
      .replace(/[ꀀ-꓿]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
    expect(expected(promptBytes([Buffer.from(spelled)], []))).toBeGreaterThan(countTokens(text));
  });

  it("are one for each token number of a list", () => {
    const input = Array.from({ length: 500 }, (_, index) => index % 7);
    const found = expected(promptBytes([Buffer.from(JSON.stringify({ model: "e", input }))], []));
    expect(found).toBeGreaterThanOrEqual(500);
  });
});

describe("the bytes of a prompt", () => {
  it("are the same however the body is cut", () => {
    const texts = fc.array(fc.constantFrom("a", "bcdf", "B", "7", " ", "\n", '"', "\\", "ꀀ", "\u0001"));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(200)), (units, cuts) => {
        const body = bodyOf(units.join(""));
        const at = [0, ...cuts.map((cut) => cut % body.length).sort((a, b) => a - b), body.length];
        const chunks = at.slice(1).map((end, index) => body.subarray(at[index], end));
        expect(promptBytes(chunks, [])).toEqual(promptBytes([body], []));
      }),
    );
  });

  it("leave out images, wherever the body is cut", () => {
    const [before, image, after] = ['{"a":"7x","image":', `"${"QUJD77".repeat(30)}"`, ',"b":"a1"}'];
    const body = Buffer.from(before + image + after);
    const images = [{ start: before.length, end: before.length + image.length }];
    const rest = promptBytes([Buffer.from(before + after)], []);
    for (let cut = 0; cut <= body.length; cut += 1)
      expect(promptBytes([body.subarray(0, cut), body.subarray(cut)], images)).toEqual(rest);
  });

  it("of a large body are counted by its beginning", () => {
    const { plain, dense } = promptBytes([bodyOf(ENGLISH.repeat(2_000))], []);
    const small = promptBytes([bodyOf(ENGLISH.repeat(200))], []);
    expect(dense / plain).toBeCloseTo(small.dense / small.plain, 2);
  });
});
