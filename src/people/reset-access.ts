import type { KeyHasher } from "../accounts/key-hasher.ts";
import type { Database } from "../storage/database.ts";
import { insertAudit } from "./audit-store.ts";
import { createPasswords } from "./passwords.ts";
import { newPassword } from "./secrets.ts";
import { deleteOtherSessions } from "./sessions-store.ts";
import { forgive } from "./sign-in.ts";
import { deleteTotp } from "./totps-store.ts";
import { findUser, setPassword } from "./users-store.ts";

/**
 * Gives somebody a new password, to be changed at once, and takes their codes away; their sessions end, and
 * failed attempts are forgotten. Undefined where there is nobody with this address.
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
    await setPassword(tx, user.id, passwordHash, { mustChange: true });
    await deleteTotp(tx, user.id);
    await deleteOtherSessions(tx, user.id, null);
    await forgive(tx, hasher, email);
    const origin = { identity: undefined, requestId: "command line", address: "" };
    await insertAudit(tx, { action: "password.reset", subject: email, ...origin });
  });
  return password;
}
