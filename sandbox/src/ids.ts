import { randomBytes } from "node:crypto";

/** Ids are cut from long random texts: one draw serves some hundred of them. */
const BLOCK_BYTES = 6_144;

/** `prefix` plus `length` letters and digits, as the vendors' ids look. */
export const newId = idMaker((bytes) => bytes.toString("base64").replace(/[+/=]/g, "x"));

/** `prefix` plus `length` hexadecimal digits. */
export const newHexId = idMaker((bytes) => bytes.toString("hex"));

function idMaker(spell: (bytes: Buffer) => string): (prefix: string, length: number) => string {
  let block = "";
  let used = 0;
  return (prefix, length) => {
    if (used + length > block.length) {
      block = spell(randomBytes(BLOCK_BYTES));
      used = 0;
    }
    used += length;
    return prefix + block.slice(used - length, used);
  };
}
