import { isIP } from "node:net";
import { z } from "zod";
import { readCidr } from "./safe-fetch-address.ts";

/** Addresses from which something may be used. */
export interface AddressList {
  includes(address: string): boolean;
}

/** Each request looks at all of them; who has more has a network of its own, which is one range. */
export const MAX_RANGES = 100;

/** True for a single address, or a range of them as a CIDR, that is spelt in full. */
export function isAddressRange(text: string): boolean {
  const [, address = "", bits] = /^([0-9a-fA-F.:]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128));
}

/** Reads the ranges once; an address of v4 is the same however it is spelt, also mapped into v6. */
export function readAddressList(ranges: readonly string[]): AddressList {
  const tests = ranges.flatMap((range) => readCidr(range) ?? []);
  return { includes: (address) => tests.some((holds) => holds(address)) };
}

/** A list of ranges as console, catalog file and settings take it. The first that is none is named. */
export const addressRanges = z
  .array(z.string().trim().max(60))
  .min(1, "must name an address or a range; null or omitted allows all")
  .max(MAX_RANGES)
  .refine((ranges) => ranges.every(isAddressRange), {
    error: ({ input }) => {
      const wrong = (input as readonly string[]).find((range) => !isAddressRange(range));
      return `${JSON.stringify(wrong)} is neither an address nor a range such as 192.0.2.0/24 or 2001:db8::/32`;
    },
  });
