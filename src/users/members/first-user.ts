import type { KeyHasher } from "../../accounts/key-hasher.ts";
import type { Database } from "../../storage/database.ts";
import { insertAudit } from "../audit-store.ts";
import { createPasswords } from "../sign-in/passwords.ts";
import { newPassword } from "../sign-in/secrets.ts";
import { hasUsers, insertUser } from "../users-store.ts";
import { ownFirstAccounts } from "./members-store.ts";

/**
 * The address is the same in every installation, so an identity provider's statement about it proves nothing: see
 * linksByAddress().
 */
export const FIRST_EMAIL = "admin@localhost";

/** In an old installation with more accounts, the operator finds the others in the list for operators. */
const MAX_OWNED = 20;

export interface FirstUser {
  readonly email: string;
  /** Generated just now, to be shown once; undefined = the operator chose the password. */
  readonly madePassword: string | undefined;
}

/**
 * Creates the first operator if nobody can sign in yet: in an empty database, or one from before there were users. The
 * operator becomes an owner of existing accounts. A generated password must be changed at the first sign-in, because it
 * was printed. Returns undefined if there is a user. Of several processes that start at once, one creates the user.
 */
export async function ensureFirstUser(
  database: Database,
  hasher: KeyHasher,
  givenPassword: string | undefined,
): Promise<FirstUser | undefined> {
  if (await hasUsers(database)) return undefined;
  const madePassword = givenPassword === undefined ? newPassword(hasher) : undefined;
  const passwordHash = await createPasswords(hasher).hash(givenPassword ?? madePassword ?? "");
  const made = await database.transaction(async (tx) => {
    const id = await insertUser(tx, {
      email: FIRST_EMAIL,
      name: "First operator",
      passwordHash,
      mustChangePassword: madePassword !== undefined,
      operatorRole: "operator",
      emailTrusted: true,
    });
    if (id === undefined) return false;
    await ownFirstAccounts(tx, id, MAX_OWNED);
    const after = { operator_role: "operator" };
    const origin = { identity: undefined, requestId: "start", address: "" };
    await insertAudit(tx, { action: "user.create", subject: FIRST_EMAIL, after, ...origin });
    return true;
  });
  return made ? { email: FIRST_EMAIL, madePassword } : undefined;
}
