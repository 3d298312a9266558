import { createHmac, timingSafeEqual } from "node:crypto";
import { randomKey } from "../base/random.ts";
import type { Seals } from "../base/seal.ts";
import type { Database } from "../storage/database.ts";
import {
  HASHING_SECRET,
  insertHashingSecret,
  learnMasterKey,
  readHashingSecret,
} from "./master-key-store.ts";

/** The form of a token in settings: `hash:` and its keyed hash, which may be stored, shown and exported. */
const KEPT = /^hash:[\w-]{43}$/;

/** A token as settings keep it. One that is kept already stays as it is, so that what was read can be written back. */
export function keepToken(hasher: KeyHasher, token: string): string {
  return KEPT.test(token) ? token : keptForm(hasher, token);
}

/** True if it is the token that is kept; how long that takes tells nothing. */
export function isKeptToken(hasher: KeyHasher, kept: string, token: string): boolean {
  const [expected, found] = [Buffer.from(kept), Buffer.from(keptForm(hasher, token))];
  return expected.length === found.length && timingSafeEqual(expected, found);
}

function keptForm(hasher: KeyHasher, token: string): string {
  return `hash:${hasher.hash(`settings token ${token}`).toString("base64url")}`;
}

/** Turns a key into what the database knows of it. */
export interface KeyHasher {
  /** HMAC-SHA-256 under the installation's own secret: without it, a dump does not even let keys be guessed. */
  hash(credential: string): Buffer;
}

/**
 * Opens the installation's hashing secret and makes it on an empty database; of several processes that
 * start at once, one makes it and all use that one. Adopts a master key that a rotation has announced.
 * Throws SealError under a wrong master key.
 */
export async function openKeyHasher(database: Database, seals: Seals): Promise<KeyHasher> {
  await learnMasterKey(database, seals);
  let sealed = await readHashingSecret(database);
  if (sealed === undefined) {
    await insertHashingSecret(database, seals.seal(randomKey(32).toString("base64"), HASHING_SECRET));
    sealed = await readHashingSecret(database);
  }
  if (sealed === undefined) throw new Error("the key hashing secret vanished while it was being made");
  const secret = Buffer.from(seals.open(sealed, HASHING_SECRET), "base64");
  return { hash: (credential) => createHmac("sha256", secret).update(credential).digest() };
}
