import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../identity.ts";
import { USER_COLUMNS, type UserRecord } from "../users-store.ts";

/** An identity provider's id of a user: unique per issuer, compared exactly. */
export interface OidcSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** A subject that is linked to a user. */
export interface LinkedIdentity extends OidcSubject {
  readonly id: bigint;
  readonly createdAt: Date;
}

/** Returns the user who is linked to this subject. */
export function findByIdentity(
  db: Queryable,
  { issuer, subject }: OidcSubject,
): Promise<UserRecord | undefined> {
  return db.maybeOne<UserRecord>(
    `select ${USER_COLUMNS} from oidc_identities o join users u on u.id = o.user_id
     where o.issuer = $1 and o.subject = $2`,
    [issuer, subject],
  );
}

/** Links the provider's subject to this user; undefined = it is linked to a user already. */
export function linkIdentity(
  tx: Queryable,
  userId: UserId,
  { issuer, subject }: OidcSubject,
): Promise<LinkedIdentity | undefined> {
  return tx.maybeOne<LinkedIdentity>(
    `insert into oidc_identities (issuer, subject, user_id) values ($1, $2, $3) on conflict do nothing
     returning ${COLUMNS}`,
    [issuer, subject, userId],
  );
}

/**
 * Links a subject to a user who has none, of any provider; false = the user has another one. Of several simultaneous
 * calls, one succeeds.
 */
export async function linkFirstIdentity(
  tx: Queryable,
  userId: UserId,
  identity: OidcSubject,
): Promise<boolean> {
  await tx.execute("select from users where id = $1 for no key update", [userId]);
  // This is a separate statement, because one that waited for the lock would still see the earlier links.
  const linked = await readIdentities(tx, userId);
  if (linked.length === 0) return (await linkIdentity(tx, userId, identity)) !== undefined;
  return linked.some(({ issuer, subject }) => issuer === identity.issuer && subject === identity.subject);
}

/** Subjects that are linked to a user, oldest link first. */
export function readIdentities(db: Queryable, userId: UserId): Promise<LinkedIdentity[]> {
  return db.query<LinkedIdentity>(
    `select ${COLUMNS} from oidc_identities where user_id = $1 order by id limit ${MAX_LISTED}`,
    [userId],
  );
}

/** Removes the link of a subject and returns it; undefined = this user had none. */
export function unlinkIdentity(
  tx: Queryable,
  userId: UserId,
  id: bigint,
): Promise<LinkedIdentity | undefined> {
  return tx.maybeOne<LinkedIdentity>(
    `delete from oidc_identities where user_id = $1 and id = $2 returning ${COLUMNS}`,
    [userId, id],
  );
}

/** Links are made by hand one by one, so nobody has more than this. */
const MAX_LISTED = 100;

const COLUMNS = `id, issuer, subject, created_at as "createdAt"`;
