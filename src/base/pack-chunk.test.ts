import fc from "fast-check";
import { expect, it } from "vitest";
import { packChunk } from "./pack-chunk.ts";

it("keeps every byte in order, in few chunks and in twice the memory at most", () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 70_000 }));
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 200 }), (sizes) => {
      const given = sizes.map((bytes, index) => Buffer.alloc(bytes, index % 251));
      const chunks: Buffer[] = [];
      let bytes = 0;
      for (const chunk of given) {
        bytes += chunk.length;
        packChunk(chunks, chunk, bytes);
      }
      expect(Buffer.concat(chunks).equals(Buffer.concat(given))).toBe(true);
      const copied = new Set(chunks.slice(1).map(({ buffer }) => buffer));
      const small = [...copied].filter(({ byteLength }) => byteLength <= 64 * 1024);
      expect(small.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThanOrEqual(
        3 * bytes + 65_536,
      );
    }),
    { numRuns: 300 },
  );
});

it("makes few chunks of a body that comes byte by byte, and touches none of what it is given", () => {
  const chunks: Buffer[] = [];
  const read = Buffer.alloc(64 * 1024, "a");
  for (let at = 0; at < read.length; at += 1) packChunk(chunks, read.subarray(at, at + 1), at + 1);
  expect(chunks.length).toBeLessThan(20);
  const [first] = chunks;
  expect(first?.length).toBe(1);
  expect(read.equals(Buffer.alloc(64 * 1024, "a"))).toBe(true);
});
