import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeResult, encodeResult } from "./tool-results.ts";

describe("a tool's result as an object", () => {
  it.each([
    ["an id beyond 53 bits", '{"id":12345678901234567890}'],
    ["one deep inside", '{"rows":[{"id": -9007199254740993}]}'],
    ["a fraction beyond a double", '{"at":1731234567.1234567890}'],
    ["a number beyond all doubles", '{"far":1e400}'],
  ])("stays text where its numbers would come out others: %s", (_, text) => {
    expect(encodeResult({ text })).toEqual({ output: text });
    expect(decodeResult({ output: text })).toEqual({ text });
    expect(encodeResult({ text, isError: true })).toEqual({ error: text });
  });

  it.each([
    ['{ "id": 9007199254740991, "at": 1.50, "few": 1e3 }', { id: 9007199254740991, at: 1.5, few: 1000 }],
    [
      '{"id":"12345678901234567890","quote":"\\"12345678901234567890"}',
      {
        id: "12345678901234567890",
        quote: '"12345678901234567890',
      },
    ],
    ["{\n}", {}],
  ])("is what its JSON says where that comes through: %s", (text, object) => {
    expect(encodeResult({ text })).toEqual(object);
  });

  it("comes back with the same numbers and words, whatever they are", () => {
    const number = fc.oneof(
      fc.bigInt().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
      fc.stringMatching(/^-?[1-9][0-9]{0,30}\.[0-9]{1,30}(e-?[0-9]{1,3})?$/),
    );
    fc.assert(
      fc.property(number, fc.string(), (digits, word) => {
        const text = `{"number":${digits},"word":${JSON.stringify(word)}}`;
        const back = decodeResult(encodeResult({ text })).text;
        const [, told = ""] = /^\{"number":([^,]+),/.exec(back) ?? [];
        expect(exact(told)).toBe(exact(digits));
        expect((JSON.parse(back) as { word: string }).word).toBe(word);
      }),
    );
  });
});

/** A decimal by its digits, without those that say nothing, and the power of ten of the last. */
function exact(decimal: string): string {
  const [mantissa = "", power = "0"] = decimal.split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return "0";
  const sign = decimal.startsWith("-") ? "-" : "";
  return `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`;
}
