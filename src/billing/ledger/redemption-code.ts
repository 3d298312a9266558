import { crc32 } from "node:zlib";
import { randomKey } from "../../base/random.ts";

/**
 * A new redemption code: `FG-` and four groups of four letters. 14 of the letters are random (70 bits), the last
 * two a checksum of them, so that a typo is distinguished from a code that does not exist, and costs nobody
 * one of their attempts.
 */
export function generateRedemptionCode(): string {
  const random = [...randomKey(RANDOM_LETTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  const letters = random + checksum(random);
  return `FG-${letters.match(/.{4}/g)?.join("-") ?? ""}`;
}

/**
 * The code that somebody typed, in its one written form: any case, any blanks and dashes, O for 0 and I or L for 1.
 * Undefined for what cannot be a code, a mistyped one among it.
 */
export function readRedemptionCode(typed: string): string | undefined {
  const letters = typed
    .toUpperCase()
    .replace(/[\s\u2010-\u2015-]/g, "")
    .replace(/^FG(?=.{16}$)/, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  if (!/^[0-9A-HJKMNP-TV-Z]{16}$/.test(letters)) return undefined;
  if (checksum(letters.slice(0, RANDOM_LETTERS)) !== letters.slice(RANDOM_LETTERS)) return undefined;
  return `FG-${letters.match(/.{4}/g)?.join("-") ?? ""}`;
}

/** Enough to tell codes apart in a list; 50 of its 70 bits stay unknown. */
export function redemptionCodeHint(code: string): string {
  return `${code.slice(0, 7)}…`;
}

// Crockford's: no letter that reads like another. 32 of them, so that a byte's remainder is uniform.
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_LETTERS = 14;

/** Ten bits of CRC-32: one mistyped code in a thousand passes, and is then unknown. */
function checksum(letters: string): string {
  const sum = crc32(letters) >>> 22;
  return `${ALPHABET[sum >>> 5]}${ALPHABET[sum & 31]}`;
}
