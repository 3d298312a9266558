import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readByteRange } from "./file-response.ts";

describe("a wanted range of bytes", () => {
  it.each([
    ["bytes=0-0", { first: 0, last: 0 }],
    ["bytes=2-5", { first: 2, last: 5 }],
    ["bytes=2-", { first: 2, last: 9 }],
    ["bytes=-3", { first: 7, last: 9 }],
    ["bytes=-30", { first: 0, last: 9 }],
    ["bytes=8-30", { first: 8, last: 9 }],
    ["Bytes=1-2", { first: 1, last: 2 }],
    ["bytes=10-", "none"],
    ["bytes=10-20", "none"],
    ["bytes=-0", "none"],
    [undefined, "all"],
    ["", "all"],
    ["bytes=", "all"],
    ["bytes=-", "all"],
    ["bytes=5-2", "all"],
    ["bytes=0-1,3-4", "all"],
    ["items=0-1", "all"],
    ["bytes=a-b", "all"],
    ["bytes=99999999999999999999-", "all"],
  ])("%s of ten bytes is %o", (header, wanted) => {
    expect(readByteRange(header, 10)).toEqual(wanted);
  });

  it("never leaves the file", () => {
    const part = fc.oneof(fc.constant(""), fc.nat(300).map(String));
    fc.assert(
      fc.property(part, part, fc.nat(200), (from, to, size) => {
        const wanted = readByteRange(`bytes=${from}-${to}`, size);
        if (typeof wanted === "string") return;
        expect(wanted.first).toBeGreaterThanOrEqual(0);
        expect(wanted.first).toBeLessThanOrEqual(wanted.last);
        expect(wanted.last).toBeLessThan(size);
      }),
    );
  });
});
