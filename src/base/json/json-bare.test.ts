import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BareRule } from "./json-bare.ts";
import { createBodyScan } from "./json-scan.ts";
import { compileWatch } from "./json-watch.ts";

const RULE: BareRule = {
  id: "input.id",
  kind: "type",
  empty: ["status"],
  content: { "": ["content"], message: ["content", "role"], reference: [], thought: ["sealed", "content"] },
};
const WATCH = compileWatch(["model", "input.id"], { unique: ["model"], bare: RULE });

function bareIds(text: string, cut = text.length): unknown[] {
  const scanner = createBodyScan(WATCH);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += cut) scanner.write(bytes.subarray(at, at + cut));
  return scanner
    .end()
    .all("input.id")
    .map(({ value }) => value);
}

/** The rule once more, over parsed values. */
function expected(items: readonly Record<string, unknown>[]): unknown[] {
  const isEmpty = (value: unknown): boolean =>
    value === null ||
    value === "" ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return items
    .filter((item) => {
      if (item["id"] === undefined) return false;
      const kind = item["type"] ?? "";
      const members = typeof kind === "string" ? RULE.content[kind] : [];
      const own = members ?? Object.keys(item).filter((key) => !["id", "type", "status"].includes(key));
      return own.every((key) => item[key] === undefined || isEmpty(item[key]));
    })
    .map(({ id }) => id);
}

const value = fc.oneof(
  fc.constantFrom<unknown>(null, "", "x", 0, true, [], {}, [{}], [[]], [{ id: "inner", content: [] }], {
    id: "inner",
  }),
);
const item = fc.record(
  {
    type: fc.constantFrom<unknown>("message", "reference", "thought", "other", "", null, 7),
    id: fc.constantFrom("a", "b", "c"),
    content: value,
    role: value,
    sealed: value,
    status: value,
    unheard_of: value,
  },
  { requiredKeys: [] },
);

describe("a scan for bare objects", () => {
  it("finds the ids of objects without content of their own, however the body is cut", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), (input, cut) => {
        expect(bareIds(JSON.stringify({ model: "m", input, after: { input } }), cut)).toEqual(
          expected(input),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("finds them among any number of others, and tells how many were left out", () => {
    const own = Array.from({ length: 3_000 }, (_, index) => ({
      type: "message",
      id: `own-${index}`,
      role: "user",
    }));
    expect(bareIds(JSON.stringify({ input: [...own, { id: "bare" }, ...own] }))).toEqual(["bare"]);
    const scanner = createBodyScan(WATCH);
    scanner.write(Buffer.from(`{"input":[{${'"id":"x",'.repeat(20)}"id":"y"}]}`));
    const scan = scanner.end();
    expect(scan.count("input.id")).toBe(21);
    expect(scan.all("input.id").length).toBeLessThan(21);
  });

  it("counts what can be read in two ways as bare", () => {
    expect(bareIds('{"input":[{"type":"message","type":"reference","id":"a","content":"x"}]}')).toEqual([
      "a",
    ]);
    expect(bareIds('{"input":[{"id":"a","content":"x","content":[]}]}')).toEqual(["a"]);
    expect(bareIds('{"input":[{"ty\\u0070e":"reference","\\u0069d":"a","content":"x"}]}')).toEqual(["a"]);
    expect(bareIds('{"input":{"id":"alone"}}')).toEqual(["alone"]);
  });
});
