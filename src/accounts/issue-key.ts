import type { Queryable } from "../storage/database.ts";
import type { AccountId, KeyId } from "./caller.ts";
import { generateKey } from "./key-form.ts";
import type { KeyHasher } from "./key-hasher.ts";
import { createKey, type KeyOrigin, type KeyTerms, lockKeyNames } from "./keys-store.ts";

export interface IssuedKey {
  readonly id: KeyId;
  readonly name: string;
  /** The key itself: shown only once, as only its hash is kept. */
  readonly key: string;
}

export type KeyOrder = { readonly accountId: AccountId; readonly name?: string | undefined } & KeyTerms &
  KeyOrigin;

/**
 * Makes a new key of an account. Without a name it gets the first free one of key-1, key-2 ...;
 * undefined = the account has a key of the given name that is not revoked.
 */
export async function issueKeyWithin(
  tx: Queryable,
  hasher: KeyHasher,
  order: KeyOrder,
): Promise<IssuedKey | undefined> {
  const taken = await lockKeyNames(tx, order.accountId);
  const name = order.name ?? freeName(taken);
  if (taken.has(name)) return undefined;
  const key = generateKey();
  return { id: await createKey(tx, hasher, { ...order, name, credential: key }), name, key };
}

function freeName(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`key-${number}`)) number += 1;
  return `key-${number}`;
}
