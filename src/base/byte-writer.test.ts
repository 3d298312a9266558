import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "./byte-writer.ts";

const pieces = fc.oneof(
  fc.record({ text: fc.string({ unit: "binary", maxLength: 80 }) }),
  fc.record({
    digits: fc.oneof(fc.nat(2000), fc.maxSafeNat(), fc.constantFrom(-3, 0.5, 2 ** 60, 9_999_999, 10_000_000)),
  }),
  fc.record({ bytes: fc.uint8Array({ maxLength: 100 }) }),
  fc.record({ byte: fc.nat(255) }),
);

describe("a sheet", () => {
  it("has what was written on it, in order, however small its room was", () => {
    fc.assert(
      fc.property(fc.array(pieces), fc.integer({ min: 1, max: 64 }), (written, room) => {
        const writer = new ByteWriter(room);
        const expected: Buffer[] = [];
        for (const piece of written) {
          if ("text" in piece) {
            writer.text(piece.text);
            expected.push(Buffer.from(piece.text));
          } else if ("digits" in piece) {
            writer.digits(piece.digits);
            expected.push(Buffer.from(String(piece.digits)));
          } else if ("bytes" in piece) {
            writer.bytes(piece.bytes);
            expected.push(Buffer.from(piece.bytes));
          } else {
            writer.byte(piece.byte);
            expected.push(Buffer.from([piece.byte]));
          }
        }
        expect(writer.view()).toEqual(Buffer.concat(expected));
      }),
    );
  });

  it("takes a number of 32 bits in place of eight bytes", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (value) => {
        const writer = new ByteWriter();
        writer.text("a 00000000 z");
        writer.hexAt(2, value);
        expect(writer.view().toString()).toBe(`a ${value.toString(16).padStart(8, "0")} z`);
      }),
    );
  });
});
