import { randomBytes, randomInt } from "node:crypto";

/** The only door to randomness: everything here is unguessable, fit for keys and ids. */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` characters of [0-9A-Za-z], each uniform. */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 * 62: bytes above it would make the first letters more likely.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** `size` random bytes. */
export function randomKey(size: number): Buffer {
  return randomBytes(size);
}

/** A whole number from 0 up to, not including, `bound`. */
export function randomBelow(bound: number): number {
  return randomInt(bound);
}

// Ids are drawn from a pool of random bytes: one system call for 256 of them, not one each, because
// every request needs an id on the hot path.
const ID_BYTES = 16;
let pool = Buffer.alloc(0);
let used = 0;

/** 32 hexadecimal characters, unique across processes and restarts. */
export function randomId(): string {
  if (used + ID_BYTES > pool.length) {
    pool = randomBytes(ID_BYTES * 256);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString("hex", used - ID_BYTES, used);
}
