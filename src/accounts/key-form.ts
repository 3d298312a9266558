import { crc32 } from "node:zlib";
import { randomText } from "../base/random.ts";

/**
 * The form of generated keys: `sk-` and 48 characters, the last 6 of which are a checksum of the 42
 * before them. A typo is refused without asking the database, and secret scanners can tell a real key
 * from text that looks like one.
 */
export function generateKey(): string {
  const random = randomText(SECRET_LENGTH);
  return PREFIX + random + checksum(random);
}

/** "ours" has the right checksum, "lookalike" the form but not the checksum, "other" another form. */
export function keyForm(credential: string): "ours" | "lookalike" | "other" {
  if (!GENERATED.test(credential)) return "other";
  const body = credential.slice(PREFIX.length);
  return body.endsWith(checksum(body.slice(0, SECRET_LENGTH))) ? "ours" : "lookalike";
}

/** Any key at all: generated ones and those brought along by the catalog file. */
export function isKeyText(credential: string): boolean {
  return KEY_TEXT.test(credential);
}

/** Enough of both ends for a person to recognise a key, far too little to guess it. */
export function keyHint(credential: string): string {
  // A short key of one's own must not be given away by half.
  const [head, tail] = credential.length >= 32 ? [5, 4] : [3, 2];
  return `${credential.slice(0, head)}...${credential.slice(-tail)}`;
}

const PREFIX = "sk-";
const SECRET_LENGTH = 42; // 250 bits
const GENERATED = /^sk-[0-9A-Za-z]{48}$/;
const KEY_TEXT = /^[\x21-\x7e]{16,200}$/;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** CRC-32 in base 62: 6 characters hold its 32 bits. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < 6; place += 1) {
    digits = (ALPHABET[rest % 62] ?? "") + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
