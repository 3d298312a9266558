import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HeldBack } from "./held-back.ts";

const bytesOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString("latin1");

describe("what is held back of a stream", () => {
  it("is parted into whole frames and what has begun, however it is cut", () => {
    const cuts = fc.array(
      fc.record({ bytes: fc.string({ maxLength: 40 }), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
    );
    fc.assert(
      fc.property(cuts, (pieces) => {
        const held = new HeldBack();
        let whole = "";
        let open = "";
        for (const { bytes, part } of pieces) {
          const chunk = Buffer.from(bytes, "latin1");
          const closes = Math.floor(part * 2 * chunk.length) - chunk.length;
          const end = Math.max(0, closes);
          held.keep(chunk, end);
          if (end > 0) {
            whole += open + chunk.toString("latin1", 0, end);
            open = "";
          }
          open += chunk.toString("latin1", end);
        }
        expect(held.bytes).toBe(whole.length + open.length);
        expect(bytesOf(held.takeWhole())).toBe(whole);
        expect(held.bytes).toBe(open.length);
        expect(bytesOf(held.takeAll())).toBe(open);
      }),
    );
  });

  it("is a few chunks where it comes byte by byte, as each costs far more than its byte", () => {
    for (const whole of [0, 1]) {
      const held = new HeldBack();
      for (let at = 0; at < 200_000; at += 1) held.keep(Buffer.from("x"), whole);
      expect(held.bytes).toBe(200_000);
      const chunks = held.takeAll();
      expect(chunks.length).toBeLessThan(50);
      expect(bytesOf(chunks)).toBe("x".repeat(200_000));
    }
  });
});
