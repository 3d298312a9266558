import type { KeyHasher } from "../../accounts/key-hasher.ts";
import type { Database } from "../../storage/database.ts";
import { insertAudit } from "../audit-store.ts";
import { createPasswords } from "../sign-in/passwords.ts";
import { newPassword } from "../sign-in/secrets.ts";
import { hasUsers, insertUser } from "../users-store.ts";
import { ownFirstAccounts } from "./members-store.ts";

/** The same at every installation, so no provider's word for it proves anything: see linksByAddress(). */
export const FIRST_EMAIL = "admin@localhost";

/** Whoever runs an old installation with more accounts than this finds them in the list for operators. */
const MAX_OWNED = 20;

export interface FirstUser {
  readonly email: string;
  /** Made just now, to be shown only once; undefined where the operator gave one. */
  readonly madePassword: string | undefined;
}

/**
 * Where nobody can sign in yet (an empty database, or one from before there were people), makes the first
 * operator, who owns the accounts there are. A password that we made must be changed at once: it was printed.
 * Undefined where there is somebody; of several processes that start at once, one makes the user.
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
