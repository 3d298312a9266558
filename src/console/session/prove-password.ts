import { GatewayError } from "../../errors.ts";
import type { SignedInUser } from "../../users/identity.ts";
import { forgiveAttempts } from "../../users/sign-in/attempts-store.ts";
import { countProof } from "../../users/sign-in/sign-in.ts";
import { readUser, type UserRecord } from "../../users/users-store.ts";
import type { ConsoleDeps } from "../deps.ts";

interface Proof {
  readonly user: SignedInUser;
  readonly password: string;
  /** The caller's address: attempts are counted, so that an open session cannot be used to guess passwords. */
  readonly address: string;
  /** The field of the body. */
  readonly param: string;
}

/**
 * Throws unless it is the password of who is signed in; counts as an attempt, of who is signed in and nobody else. Gives whose it is, for
 * stayProven() in the transaction of what it allows.
 */
export async function provePassword(
  deps: ConsoleDeps,
  { user, password, address, param }: Proof,
): Promise<UserRecord> {
  const { database, hasher, users } = deps;
  const counter = await countProof({ database, hasher }, user.id, address);
  const record = await readUser(database, user.id);
  const matched = await users.passwords.matches(password, record?.passwordHash, { known: true });
  if (record === undefined || !matched) throw new GatewayError("forbidden", "Incorrect password.", { param });
  await forgiveAttempts(database, counter);
  return record;
}
