import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../identity.ts";
import { USER_COLUMNS, type UserRecord } from "../users-store.ts";

/** An identity provider's name for somebody: unique below its issuer, spelt exactly so. */
export interface OidcSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** A subject that signs in as a user. */
export interface LinkedIdentity extends OidcSubject {
  readonly id: bigint;
  readonly createdAt: Date;
}

/** Whom an identity provider knows under this subject. */
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

/** From now on the provider's subject is this person; undefined where it stands for somebody already. */
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
 * The same for somebody who has no subject yet, of whatever provider; false where they have another one. Of many
 * subjects that come at once one is linked.
 */
export async function linkFirstIdentity(
  tx: Queryable,
  userId: UserId,
  identity: OidcSubject,
): Promise<boolean> {
  await tx.execute("select from users where id = $1 for no key update", [userId]);
  // Statements of their own: one that waited for the lock would still see what was linked before.
  const linked = await readIdentities(tx, userId);
  if (linked.length === 0) return (await linkIdentity(tx, userId, identity)) !== undefined;
  return linked.some(({ issuer, subject }) => issuer === identity.issuer && subject === identity.subject);
}

/** The subjects that sign in as somebody, the first linked first. */
export function readIdentities(db: Queryable, userId: UserId): Promise<LinkedIdentity[]> {
  return db.query<LinkedIdentity>(
    `select ${COLUMNS} from oidc_identities where user_id = $1 order by id limit ${MAX_LISTED}`,
    [userId],
  );
}

/** The subject that stands for this person no more; undefined where they had no such. */
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

/** Linked by hand one by one: nobody has more, and nobody reads more. */
const MAX_LISTED = 100;

const COLUMNS = `id, issuer, subject, created_at as "createdAt"`;
