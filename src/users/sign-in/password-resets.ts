import type { KeyHasher } from "../../accounts/key-hasher.ts";
import type { Queryable } from "../../storage/database.ts";
import { findUser } from "../users-store.ts";
import { insertReset } from "./password-resets-store.ts";
import { linkSecretOf } from "./secrets.ts";

/**
 * Makes the link of a reset work that somebody asked for, and gives its secret part, each time the same. "nobody" = no user with
 * a password has this address, or it has had enough links; "expired" = it was asked for too long ago. This is done when the e-mail is
 * sent, so that the answer to the request tells nothing, be it by its words or by its time.
 */
export async function openReset(
  db: Queryable,
  hasher: KeyHasher,
  { email, nonce, at }: { readonly email: string; readonly nonce: string; readonly at: number },
): Promise<string | "nobody" | "expired"> {
  const user = await findUser(db, email);
  if (user === undefined || user.disabled || user.passwordHash === null) return "nobody";
  const secret = linkSecretOf(hasher, "password reset", nonce);
  const state = await insertReset(db, { hash: hasher.hash(secret), userId: user.id, at });
  return state === "open" ? secret : state;
}
