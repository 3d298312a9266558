import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressRanges, isAddressRange, MAX_RANGES, readAddressList } from "./address-list.ts";

describe("a list of addresses", () => {
  it.each([
    ["192.0.2.7", ["192.0.2.7"], true],
    ["192.0.2.8", ["192.0.2.7"], false],
    ["192.0.2.200", ["192.0.2.128/25"], true],
    ["192.0.2.1", ["192.0.2.128/25"], false],
    ["192.0.2.1", ["10.0.0.0/8", "192.0.2.0/24"], true],
    ["::ffff:192.0.2.1", ["192.0.2.0/24"], true],
    ["192.0.2.1", ["::ffff:192.0.2.0/120"], true],
    ["2001:db8::1", ["2001:db8::/32"], true],
    ["2001:DB8:0:0::1", ["2001:db8::1"], true],
    ["2001:db9::1", ["2001:db8::/32"], false],
    ["192.0.2.1", ["0.0.0.0/0"], true],
    ["2001:db8::1", ["0.0.0.0/0"], false],
    ["192.0.2.1", ["::/0"], false],
    ["", ["0.0.0.0/0", "::/0"], false],
  ])("says of %j whether it is in %j", (address, ranges, expected) => {
    expect(readAddressList(ranges).includes(address)).toBe(expected);
  });

  it("holds every address of a range of v4, and no other, for each length of prefix", () => {
    const number = fc.nat({ max: 0xffff_ffff });
    const text = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
    const property = (start: number, bits: number, address: number): void => {
      const mask = bits === 0 ? 0 : (0xffff_ffff << (32 - bits)) >>> 0;
      const expected = (start & mask) >>> 0 === (address & mask) >>> 0;
      const list = readAddressList([`${text(start)}/${bits}`]);
      expect(list.includes(text(address))).toBe(expected);
      expect(list.includes(`::ffff:${text(address)}`)).toBe(expected);
    };
    fc.assert(fc.property(number, fc.nat({ max: 32 }), number, property));
  });

  it.each([
    "",
    "1",
    "0x7f.1",
    "192.0.2",
    "192.0.2.0/33",
    "192.0.2.0/08",
    "192.0.2.0/",
    "2001:db8::/129",
    "fe80::1%eth0",
    "localhost",
    "192.0.2.1:80",
    "192.0.2.0/24 ",
  ])("takes no %j", (text) => {
    expect(isAddressRange(text)).toBe(false);
  });

  it("is refused with the range that is none, and beyond its bound", () => {
    const refused = addressRanges.safeParse(["192.0.2.1", "192.0.2.0/33", "nowhere"]);
    expect(refused.error?.issues[0]?.message).toContain('"192.0.2.0/33" is neither an address nor a range');
    expect(addressRanges.safeParse(Array(MAX_RANGES + 1).fill("192.0.2.1")).success).toBe(false);
    expect(addressRanges.safeParse([]).success).toBe(false);
    expect(addressRanges.parse([" 192.0.2.1 "])).toEqual(["192.0.2.1"]);
  });
});
