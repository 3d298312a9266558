import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LongNumber, losesPrecision, parseExact, writeExact } from "./exact-json.ts";

describe("JSON with all its digits", () => {
  it.each([
    ["an id beyond 53 bits", '{"id":12345678901234567890}'],
    ["a negative one, deep inside", '{"rows":[[{"id":-9007199254740993}]]}'],
    ["a fraction beyond a double", '{"at":1731234567.1234567890}'],
    ["a number beyond all doubles", '{"far":1e400,"near":1e-400}'],
    ["one in lists of one", "[[12345678901234567890]]"],
    ["one in a list of others", "[1,2,12345678901234567890,4]"],
    [
      "names that JavaScript has its own way with",
      '{"__proto__":12345678901234567890,"toJSON":9007199254740993}',
    ],
  ])("is written as it was read: %s", (_, json) => {
    expect(losesPrecision(json)).toBe(true);
    expect(writeExact(parseExact(json))).toBe(json);
  });

  it.each([
    ['{"id":9007199254740991,"at":1.50,"few":1e3,"sum":0.30000000000000004}'],
    ['{"id":"12345678901234567890","quote":"\\"12345678901234567890","slash":"\\\\","next":": 1e999"}'],
    ['{"12345678901234567890":1}'],
    ["12345678901234567"],
  ])("is what JSON.parse says where a double holds all: %s", (json) => {
    expect(losesPrecision(json)).toBe(false);
    expect(parseExact(json)).toEqual(JSON.parse(json));
  });

  it("keeps the digits where values are copied and put elsewhere", () => {
    const { tool } = parseExact('{"tool":{"name":"t","max":9223372036854775807}}') as {
      tool: { name: string; max: unknown };
    };
    const { name: _, ...rest } = tool;
    expect(writeExact([{ ...rest, more: [tool.max] }])).toBe(
      '[{"max":9223372036854775807,"more":[9223372036854775807]}]',
    );
  });

  it("is an ordinary number to all others", () => {
    const [long] = parseExact("[9223372036854775807]") as unknown[];
    expect(long).toBeInstanceOf(LongNumber);
    expect(Number(long)).toBe(2 ** 63);
    const doubled = JSON.stringify({ long: 2 ** 63 });
    expect(JSON.stringify({ long })).toBe(doubled);
    expect(writeExact(structuredClone({ long }))).toBe(doubled);
  });

  it("says the same as JSON.parse and JSON.stringify, but for the digits", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.bigInt(), fc.string(), (json, id, word) => {
        const whole = `{"word":${JSON.stringify(word)}, "first" : ${id} ,"list":[ ${id}\t,${json}],"last":\n${id}}`;
        const written = writeExact(parseExact(whole));
        expect(JSON.parse(written)).toEqual(JSON.parse(whole));
        expect(written.startsWith(`{"word":${JSON.stringify(word)},"first":${id},"list":[${id},`)).toBe(true);
        expect(written.endsWith(`],"last":${id}}`)).toBe(true);
      }),
    );
  });

  it.each([
    ["{"],
    ['{"a":12345678901234567890'],
    ['{"a" 12345678901234567890}'],
    ["[12345678901234567890.]"],
    ["[012345678901234567890]"],
    ["{12345678901234567890: 1}"],
  ])("is refused where JSON.parse refuses: %s", (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it("takes strings of millions of escapes, and any depth", () => {
    const long = `{"id":12345678901234567890,"log":${JSON.stringify("\n".repeat(5_000_000))}}`;
    expect(writeExact(parseExact(long)) === long).toBe(true);
    const deep = `${"[".repeat(50_000)}12345678901234567890${"]".repeat(50_000)}`;
    let inner = parseExact(deep);
    while (Array.isArray(inner)) inner = inner[0];
    expect(writeExact(inner)).toBe("12345678901234567890");
  });
});
