import type { Queryable } from "../storage/database.ts";
import type { UserId } from "./identity.ts";
import { USER_COLUMNS, type UserRecord } from "./users-store.ts";

/** Whom an identity provider knows under this subject. */
export function findByIdentity(
  db: Queryable,
  issuer: string,
  subject: string,
): Promise<UserRecord | undefined> {
  return db.maybeOne<UserRecord>(
    `select ${USER_COLUMNS} from oidc_identities o join users u on u.id = o.user_id
     where o.issuer = $1 and o.subject = $2`,
    [issuer, subject],
  );
}

/** From now on the provider's subject is this person. */
export async function linkIdentity(
  tx: Queryable,
  identity: { readonly issuer: string; readonly subject: string; readonly userId: UserId },
): Promise<void> {
  await tx.execute(
    "insert into oidc_identities (issuer, subject, user_id) values ($1, $2, $3) on conflict do nothing",
    [identity.issuer, identity.subject, identity.userId],
  );
}
