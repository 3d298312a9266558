import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../identity.ts";
import { USER_COLUMNS, type UserRecord } from "../users-store.ts";

/** An e-mail takes minutes at most, and a link that lies around opens a way in. */
const LIFE = "1 hour";

/** More links within their life are no help to who waits for one: their mailbox is being filled by somebody else. */
const MOST_PER_LIFE = 5;

export interface ResetLink {
  readonly hash: Buffer;
  readonly userId: UserId;
  /** Unix seconds of when it was asked for. */
  readonly at: number;
}

/** Makes a link work, as often as this is called for it. "nobody" = its user has had enough of them. */
export async function insertReset(
  db: Queryable,
  { hash, userId, at }: ResetLink,
): Promise<"open" | "nobody" | "expired"> {
  await db.execute("delete from password_resets where expires_at < now() - interval '1 day'");
  await db.execute(
    `insert into password_resets (hash, user_id, expires_at)
     select $1, $2, to_timestamp($3) + interval '${LIFE}'
      where (select count(*) from password_resets where user_id = $2 and created_at > now() - interval '${LIFE}') < ${MOST_PER_LIFE}
     on conflict do nothing`,
    [hash, userId, at],
  );
  const row = await db.maybeOne<{ isOpen: boolean }>(
    `select expires_at > now() and used_at is null as "isOpen" from password_resets where hash = $1`,
    [hash],
  );
  return row === undefined ? "nobody" : row.isOpen ? "open" : "expired";
}

/** Whose password a link lets choose anew; undefined = it works no more. */
export function findReset(db: Queryable, hash: Buffer): Promise<UserRecord | undefined> {
  return db.maybeOne<UserRecord>(
    `select ${USER_COLUMNS} from password_resets r join users u on u.id = r.user_id
      where r.hash = $1 and r.used_at is null and r.expires_at > now() and not u.disabled`,
    [hash],
  );
}

/** Uses a link up; false = somebody was quicker, or the password was changed otherwise. */
export async function takeReset(tx: Queryable, hash: Buffer): Promise<boolean> {
  const statement = `update password_resets set used_at = now()
    where hash = $1 and used_at is null and expires_at > now()`;
  return (await tx.execute(statement, [hash])) > 0;
}
