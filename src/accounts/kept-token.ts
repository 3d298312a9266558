import { timingSafeEqual } from "node:crypto";
import type { KeyHasher } from "./key-hasher.ts";

/** What settings hold of a token: `hash:` and its keyed hash, so that they may be stored, shown and exported. */
const KEPT = /^hash:[\w-]{43}$/;

/** A token as settings keep it. One that is kept already stays as it is, so that what was read can be written back. */
export function keepToken(hasher: KeyHasher, token: string): string {
  return KEPT.test(token) ? token : keptForm(hasher, token);
}

/** Whether it is the token that is kept; how long that takes tells nothing. */
export function isKeptToken(hasher: KeyHasher, kept: string, given: string): boolean {
  const [expected, found] = [Buffer.from(kept), Buffer.from(keptForm(hasher, given))];
  return expected.length === found.length && timingSafeEqual(expected, found);
}

function keptForm(hasher: KeyHasher, token: string): string {
  return `hash:${hasher.hash(`settings token ${token}`).toString("base64url")}`;
}
