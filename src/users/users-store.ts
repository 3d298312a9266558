import type { Queryable } from "../storage/database.ts";
import type { UserId } from "./identity.ts";
import { OPERATOR_ROLES, type OperatorRole } from "./scopes.ts";

/** A user with the data for signing in. */
export interface UserRecord {
  readonly id: UserId;
  readonly email: string;
  readonly name: string;
  /** Null = the user signs in through an identity provider only. */
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  readonly emailTrusted: boolean;
  readonly operatorRole: OperatorRole | null;
  /** See SignedInUser. */
  readonly mayUsePassword: boolean;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly mustChangePassword?: boolean;
  readonly operatorRole?: OperatorRole;
  /** See users.email_trusted. */
  readonly emailTrusted: boolean;
}

export function findUser(db: Queryable, email: string): Promise<UserRecord | undefined> {
  return db.maybeOne<UserRecord>(`select ${USER_COLUMNS} from users u where email = $1`, [email]);
}

export function readUser(db: Queryable, id: UserId): Promise<UserRecord | undefined> {
  return db.maybeOne<UserRecord>(`select ${USER_COLUMNS} from users u where id = $1`, [id]);
}

/** Returns undefined if another user has this address. */
export async function insertUser(tx: Queryable, user: NewUser): Promise<UserId | undefined> {
  const row = await tx.maybeOne<{ id: UserId }>(
    `insert into users (email, name, password_hash, must_change_password, operator_role, email_trusted)
     values ($1, $2, $3, $4, $5, $6) on conflict (email) do nothing returning id`,
    [
      user.email,
      user.name,
      user.passwordHash,
      user.mustChangePassword ?? false,
      user.operatorRole ?? null,
      user.emailTrusted,
    ],
  );
  return row?.id;
}

export async function hasUsers(db: Queryable): Promise<boolean> {
  return (await db.maybeOne("select 1 as one from users limit 1")) !== undefined;
}

/**
 * Locks a user until the transaction ends, so that nobody changes the password or disables them. Returns false if
 * either was done since the record was read.
 */
export async function holdUser(
  tx: Queryable,
  { id, passwordHash }: Pick<UserRecord, "id" | "passwordHash">,
): Promise<boolean> {
  const row = await tx.maybeOne(
    `select from users where id = $1 and password_hash = $2 and not disabled for no key update`,
    [id, passwordHash],
  );
  return row !== undefined;
}

/** Sets a password and ends open reset links. One that the gateway generated must be changed at the next sign-in. */
export async function setPassword(
  tx: Queryable,
  id: UserId,
  passwordHash: string,
  { mustChange }: { readonly mustChange: boolean },
): Promise<void> {
  await tx.execute("update users set password_hash = $2, must_change_password = $3 where id = $1", [
    id,
    passwordHash,
    mustChange,
  ]);
  await tx.execute("update password_resets set used_at = now() where user_id = $1 and used_at is null", [id]);
}

/** For a day their password counts though settings require an identity provider. */
export async function allowPassword(tx: Queryable, id: UserId): Promise<void> {
  await tx.execute("update users set password_until = now() + interval '1 day' where id = $1", [id]);
}

export const USER_COLUMNS = `u.id, u.email, u.name, u.password_hash as "passwordHash", u.disabled,
  u.email_trusted as "emailTrusted", u.operator_role as "operatorRole",
  coalesce(u.password_until > now(), false) as "mayUsePassword"`;

export async function setName(tx: Queryable, id: UserId, name: string): Promise<void> {
  await tx.execute("update users set name = $2 where id = $1", [id, name]);
}

/** In which language somebody is written to. */
export async function setLanguage(tx: Queryable, id: UserId, language: "en" | "zh"): Promise<void> {
  await tx.execute("update users set language = $2 where id = $1", [id, language]);
}

/** In which language whoever has this address is written to; undefined = unknown. */
export async function languageOf(db: Queryable, email: string): Promise<"en" | "zh" | undefined> {
  const row = await db.maybeOne<{ language: "en" | "zh" | null }>(
    "select language from users where email = $1",
    [email],
  );
  return row?.language ?? undefined;
}

/** Accepts an identity provider's statement that this user owns the address. */
export async function trustEmail(tx: Queryable, id: UserId): Promise<void> {
  await tx.execute("update users set email_trusted = true where id = $1 and not email_trusted", [id]);
}

/**
 * Ignores identity providers' statements about the address from now on, because an operator has decided which subject
 * is this user.
 */
export async function distrustEmail(tx: Queryable, id: UserId): Promise<void> {
  await tx.execute("update users set email_trusted = false where id = $1", [id]);
}

/** Gives a user an operator's role. A higher role is kept. */
export async function makeOperator(tx: Queryable, id: UserId, role: OperatorRole): Promise<void> {
  await tx.execute(
    `update users set operator_role = $2, operator_role_by = null where id = $1
       and coalesce(array_position($3::text[], operator_role), 0) < array_position($3::text[], $2)`,
    [id, role, OPERATOR_ROLES],
  );
}
