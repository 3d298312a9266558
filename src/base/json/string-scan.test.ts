import fc from "fast-check";
import { expect, it } from "vitest";
import { StringScan } from "./string-scan.ts";

it("finds the first byte that is not plain, wherever the chunk lies in memory", () => {
  const run = new StringScan();
  fc.assert(
    fc.property(
      fc.nat({ max: 300 }),
      fc.nat({ max: 7 }),
      fc.nat({ max: 40 }),
      fc.array(fc.tuple(fc.nat({ max: 300 }), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      (length, offset, from, changes) => {
        const bytes = Buffer.alloc(length + offset, "plain é ").subarray(offset);
        for (const [at, byte] of changes) if (at < length) bytes[at] = byte;
        const expected = bytes.findIndex(
          (byte, at) => at >= from && (byte < 0x20 || byte === 0x22 || byte === 0x5c),
        );
        expect(run.end(bytes, Math.min(from, length))).toBe(expected < 0 ? length : expected);
      },
    ),
    { numRuns: 5_000 },
  );
});
