import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../identity.ts";

/** However busy, a session ends then; whoever is there signs in again. */
export const SESSION_DAYS = 30;

/** A session ends when nobody used it for this long. */
const IDLE_DAYS = 7;

/** The condition under which a row of sessions lets somebody in. */
export const ALIVE = `expires_at > now() and last_seen_at > now() - interval '${IDLE_DAYS} days'`;

/** Nobody has more browsers than this, and nobody reads more. */
const MAX_LISTED = 100;

/** More than this of a browser's description tells nobody more. */
const MAX_AGENT_LETTERS = 300;

export interface NewSession {
  readonly userId: UserId;
  readonly hash: Buffer;
  readonly address: string;
  readonly userAgent: string;
}

/** Begins a session; those of anybody that are long over go at the same time. */
export async function insertSession(tx: Queryable, session: NewSession): Promise<void> {
  await tx.execute(
    `delete from sessions where id in (
       select id from sessions where expires_at < now() limit 1000 for update skip locked)`,
  );
  await tx.execute(
    `insert into sessions (user_id, hash, address, user_agent, expires_at)
     values ($1, $2, $3, $4, now() + interval '${SESSION_DAYS} days')`,
    [session.userId, session.hash, session.address, session.userAgent.slice(0, MAX_AGENT_LETTERS)],
  );
  await tx.execute("update users set last_sign_in_at = now() where id = $1", [session.userId]);
}

/** Keeps a password from being changed or reset until the transaction ends; false where this session of its owner is over. */
export async function holdSession(tx: Queryable, userId: UserId, id: bigint): Promise<boolean> {
  await tx.execute("select from users where id = $1 for no key update", [userId]);
  // A statement of its own: one that waited for the lock would still see the sessions of before.
  return (await tx.maybeOne("select from sessions where id = $1", [id])) !== undefined;
}

/** False = this person has no such session. */
export async function deleteSession(tx: Queryable, userId: UserId, id: bigint): Promise<boolean> {
  return (await tx.execute("delete from sessions where user_id = $1 and id = $2", [userId, id])) > 0;
}

/** Ends all sessions of somebody but one; gives their number. */
export function deleteOtherSessions(tx: Queryable, userId: UserId, kept: bigint | null): Promise<number> {
  return tx.execute("delete from sessions where user_id = $1 and id is distinct from $2", [userId, kept]);
}

export interface SessionRow {
  readonly id: bigint;
  readonly createdAt: Date;
  /** True to the minute. */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly address: string;
  readonly userAgent: string;
}

/** The sessions that still let somebody in, the latest used first. */
export function readSessions(db: Queryable, userId: UserId): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    `select id, created_at as "createdAt", last_seen_at as "lastSeenAt", expires_at as "expiresAt", address,
            user_agent as "userAgent"
     from sessions where user_id = $1 and ${ALIVE} order by last_seen_at desc, id desc limit ${MAX_LISTED}`,
    [userId],
  );
}
