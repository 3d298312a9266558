import type { KeyHasher } from "../../accounts/key-hasher.ts";
import type { Database, Queryable } from "../../storage/database.ts";
import { type AuditContext, insertAudit } from "../audit-store.ts";
import type { UserId } from "../identity.ts";
import { deleteInvitationsBy } from "../members/invitations-store.ts";
import { deleteTokens } from "../tokens-store.ts";
import { allowPassword, findUser, setPassword } from "../users-store.ts";
import { createPasswords } from "./passwords.ts";
import { newPassword } from "./secrets.ts";
import { deleteOtherSessions } from "./sessions-store.ts";
import { forgive } from "./sign-in.ts";
import { deleteTotp } from "./totps-store.ts";

/**
 * Gives a user a new password, to be changed at the next sign-in, and removes two-factor authentication. Sessions,
 * console tokens and open invitations end, failed attempts are forgotten, and for a day the password counts even if
 * settings require an identity provider. Returns undefined if nobody has this address.
 */
export async function resetAccess(
  database: Database,
  hasher: KeyHasher,
  email: string,
  origin: AuditContext,
): Promise<string | undefined> {
  const user = await findUser(database, email);
  if (user === undefined) return undefined;
  const password = newPassword(hasher);
  const passwordHash = await createPasswords(hasher).hash(password);
  await database.transaction(async (tx) => {
    await renewPassword(tx, hasher, { ...user, passwordHash });
    await deleteTotp(tx, user.id);
    await allowPassword(tx, user.id);
    await insertAudit(tx, { action: "password.reset", subject: email, ...origin });
  });
  return password;
}

/**
 * Replaces a password by one that must be changed at the next sign-in, and ends everything that the old one gave access
 * to: sessions, console tokens, and invitations, which could be used to return. Failed attempts are forgotten.
 */
export async function renewPassword(
  tx: Queryable,
  hasher: KeyHasher,
  user: { readonly id: UserId; readonly email: string; readonly passwordHash: string },
): Promise<void> {
  await setPassword(tx, user.id, user.passwordHash, { mustChange: true });
  await endAccess(tx, user.id, null);
  await forgive(tx, hasher, user);
}

/** Ends all access of a user, and the ways to regain it: sessions except one, console tokens, invitations. */
export async function endAccess(tx: Queryable, id: UserId, keptSession: bigint | null): Promise<void> {
  await deleteOtherSessions(tx, id, keptSession);
  await deleteTokens(tx, id);
  await deleteInvitationsBy(tx, id, null);
}
