import type { KeyHasher } from "../../accounts/key-hasher.ts";

/** What the database knows of a code; the word before it keeps codes and API keys apart. */
export function redemptionHash(hasher: KeyHasher, code: string): Buffer {
  return hasher.hash(`redemption ${code}`);
}
