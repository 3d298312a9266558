import type { KeyHasher } from "../accounts/key-hasher.ts";
import type { Database, Queryable } from "../storage/database.ts";
import { insertAudit } from "./audit-store.ts";
import type { UserId } from "./identity.ts";
import { deleteInvitationsBy } from "./invitations-store.ts";
import { createPasswords } from "./passwords.ts";
import { newPassword } from "./secrets.ts";
import { deleteOtherSessions } from "./sessions-store.ts";
import { forgive } from "./sign-in.ts";
import { deleteTokens } from "./tokens-store.ts";
import { deleteTotp } from "./totps-store.ts";
import { findUser, setPassword } from "./users-store.ts";

/**
 * Gives somebody a new password, to be changed at once, and takes their codes away; their sessions, console
 * tokens and open invitations end, and failed attempts are forgotten. Undefined where there is nobody with this address.
 */
export async function resetAccess(
  database: Database,
  hasher: KeyHasher,
  email: string,
): Promise<string | undefined> {
  const user = await findUser(database, email);
  if (user === undefined) return undefined;
  const password = newPassword();
  const passwordHash = await createPasswords(hasher).hash(password);
  await database.transaction(async (tx) => {
    await renewPassword(tx, user.id, passwordHash);
    await deleteTotp(tx, user.id);
    await forgive(tx, hasher, email);
    const origin = { identity: undefined, requestId: "command line", address: "" };
    await insertAudit(tx, { action: "password.reset", subject: email, ...origin });
  });
  return password;
}

/**
 * Replaces a password by one to be changed at once, and ends what the old one opened: sessions, console tokens, and
 * invitations, by which whoever had it could come back.
 */
export async function renewPassword(tx: Queryable, id: UserId, passwordHash: string): Promise<void> {
  await setPassword(tx, id, passwordHash, { mustChange: true });
  await endAccess(tx, id, null);
}

/** Ends all by which somebody is in or could come back: sessions but the one that is kept, console tokens, invitations. */
export async function endAccess(tx: Queryable, id: UserId, keptSession: bigint | null): Promise<void> {
  await deleteOtherSessions(tx, id, keptSession);
  await deleteTokens(tx, id);
  await deleteInvitationsBy(tx, id, null);
}
