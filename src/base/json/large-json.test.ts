import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createLargeJson } from "./large-json.ts";

const MEGABYTE = 1024 * 1024;

/** Large enough for the thread, by a text beside the value. */
const large = (value: unknown): object => ({ text: "a".repeat(2 * MEGABYTE), value });

describe("JSON beside the event loop", () => {
  const largeJson = createLargeJson();
  afterAll(() => largeJson.close());

  const textOf = async (value: object): Promise<string> =>
    Buffer.from(await largeJson.write(value)).toString();

  it.each(["small", "large"])(
    "writes what is %s as JSON.stringify does, and reads it as JSON.parse",
    (size) =>
      fc.assert(
        fc.asyncProperty(fc.jsonValue(), async (value) => {
          const whole = size === "large" ? large(value) : { value };
          const json = JSON.stringify(whole);
          expect((await textOf(whole)) === json).toBe(true);
          expect(await largeJson.parse(json)).toStrictEqual(JSON.parse(json));
          const bytes = Buffer.from(json);
          const chunks = [bytes.subarray(0, 5), bytes.subarray(5)];
          expect(await largeJson.parse(chunks)).toStrictEqual(JSON.parse(json));
          expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
        }),
        { numRuns: size === "large" ? 30 : 100 },
      ),
  );

  it("keeps what only a text can say: `__proto__` as a field, and characters that take several bytes", async () => {
    const json = `{"__proto__":{"a":1},"text":"${"ä€😀\\u0000".repeat(MEGABYTE)}"}`;
    const value = await largeJson.parse(json);
    expect(Object.keys(value as object)).toEqual(["__proto__", "text"]);
    expect((await textOf(value as object)) === JSON.stringify(JSON.parse(json))).toBe(true);
    const read = await largeJson.parse([Buffer.from(json)]);
    expect(JSON.stringify(read) === JSON.stringify(value)).toBe(true);
  });

  it("leaves the event loop to others meanwhile", async () => {
    const json = JSON.stringify({ list: Array.from({ length: 200_000 }, (_, index) => `item ${index}`) });
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    await largeJson.parse(json);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });

  it("refuses what is no JSON as JSON.parse does", async () => {
    for (const json of ["{", `{"text":"${"a".repeat(2 * MEGABYTE)}"`]) {
      await expect(largeJson.parse(json)).rejects.toThrow(SyntaxError);
      await expect(largeJson.parse([Buffer.from(json)])).rejects.toThrow(SyntaxError);
    }
  });

  it("does all of it when more wait than may, and when it is closed", async () => {
    const own = createLargeJson();
    const json = JSON.stringify(large(1));
    const all = Promise.all(Array.from({ length: 40 }, () => own.parse(json)));
    expect(await all).toHaveLength(40);
    await own.close();
    expect(await own.parse(json)).toEqual(large(1));
    expect(Buffer.from(await own.write(large(1))).toString() === json).toBe(true);
  });
});
