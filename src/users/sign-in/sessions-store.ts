import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../identity.ts";

/** A session ends after this time even if it is in use. */
export const SESSION_DAYS = 30;

/** A session ends after this time without use. */
const IDLE_DAYS = 7;

/** Condition for a row of sessions to be valid. */
export const ALIVE = `expires_at > now() and last_seen_at > now() - interval '${IDLE_DAYS} days'`;

/** Nobody uses more browsers than this. */
const MAX_LISTED = 100;

/** Longer descriptions of browsers are cut. */
const MAX_AGENT_LETTERS = 300;

export interface NewSession {
  readonly userId: UserId;
  readonly hash: Buffer;
  readonly address: string;
  readonly userAgent: string;
  readonly provider: string | null;
}

/** Creates a session, and deletes everyone's sessions that ended long ago. */
export async function insertSession(tx: Queryable, session: NewSession): Promise<void> {
  await tx.execute(
    `delete from sessions where id in (
       select id from sessions where expires_at < now() limit 1000 for update skip locked)`,
  );
  await tx.execute(
    `insert into sessions (user_id, hash, address, user_agent, provider, expires_at)
     values ($1, $2, $3, $4, $5, now() + interval '${SESSION_DAYS} days')`,
    [
      session.userId,
      session.hash,
      session.address,
      session.userAgent.slice(0, MAX_AGENT_LETTERS),
      session.provider,
    ],
  );
  await tx.execute("update users set last_sign_in_at = now() where id = $1", [session.userId]);
}

/**
 * Locks a session's user until the transaction ends, so that the password can't be changed or reset. Returns false if
 * the session is over.
 */
export async function holdSession(tx: Queryable, userId: UserId, id: bigint): Promise<boolean> {
  await tx.execute("select from users where id = $1 for no key update", [userId]);
  // This is a separate statement, because one that waited for the lock would still see the earlier sessions.
  return (await tx.maybeOne("select from sessions where id = $1", [id])) !== undefined;
}

/** Returns false if this user has no such session. */
export async function deleteSession(tx: Queryable, userId: UserId, id: bigint): Promise<boolean> {
  return (await tx.execute("delete from sessions where user_id = $1 and id = $2", [userId, id])) > 0;
}

/** Ends all sessions of a user except one; returns their number. */
export function deleteOtherSessions(tx: Queryable, userId: UserId, kept: bigint | null): Promise<number> {
  return tx.execute("delete from sessions where user_id = $1 and id is distinct from $2", [userId, kept]);
}

export interface SessionRow {
  readonly id: bigint;
  readonly createdAt: Date;
  /** Exact to the minute. */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly address: string;
  readonly userAgent: string;
}

/** Valid sessions of a user, latest use first. */
export function readSessions(db: Queryable, userId: UserId): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    `select id, created_at as "createdAt", last_seen_at as "lastSeenAt", expires_at as "expiresAt", address,
            user_agent as "userAgent"
     from sessions where user_id = $1 and ${ALIVE} order by last_seen_at desc, id desc limit ${MAX_LISTED}`,
    [userId],
  );
}
