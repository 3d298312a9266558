import ipaddr from "ipaddr.js";
import type { KeyHasher } from "../accounts/key-hasher.ts";
import { GatewayError } from "../errors.ts";
import type { Database, Queryable } from "../storage/database.ts";
import { beginAttempt, forgiveAttempts } from "./attempts-store.ts";
import type { SessionIdentity } from "./identity.ts";
import type { Passwords } from "./passwords.ts";
import { newSecret } from "./secrets.ts";
import { deleteSession, holdSession, insertSession } from "./sessions-store.ts";
import { findUser, holdUser, type UserRecord } from "./users-store.ts";

export interface SignInDeps {
  readonly database: Database;
  readonly hasher: KeyHasher;
  readonly passwords: Passwords;
}

export interface Claim {
  readonly email: string;
  readonly password: string;
  readonly address: string;
}

/**
 * Whose password this is. Throws sign_in_failed with the same words and after the same work whether the email, the
 * password or both are wrong or the user is disabled, and too_many_attempts before any work.
 */
export async function proveIdentity(deps: SignInDeps, claim: Claim): Promise<UserRecord> {
  await countAttempt(deps, claim.email, claim.address);
  const user = await findUser(deps.database, claim.email);
  const matched = await deps.passwords.matches(claim.password, user?.passwordHash);
  if (user === undefined || !matched || user.disabled) throw failed();
  return user;
}

/**
 * Throws sign_in_failed too where the password was changed or the user locked out since it was proven, and keeps both
 * from happening until the transaction ends: what a password opens must not outlive it.
 */
export async function stayProven(tx: Queryable, user: UserRecord): Promise<void> {
  if (!(await holdUser(tx, user))) throw failed();
}

/** The same of whom a session has let in: throws not_signed_in where it has ended since. */
export async function staySignedIn(
  tx: Queryable,
  { person, sessionId }: Pick<SessionIdentity, "person" | "sessionId">,
): Promise<void> {
  if (await holdSession(tx, person.id, sessionId)) return;
  throw new GatewayError("not_signed_in", "The session is over already.");
}

function failed(): GatewayError {
  return new GatewayError("sign_in_failed", "The e-mail address or the password is wrong.");
}

/** Counts one more attempt for an email and an address; throws too_many_attempts where there were too many. */
export async function countAttempt(
  { database, hasher }: Pick<SignInDeps, "database" | "hasher">,
  email: string,
  address: string,
): Promise<void> {
  const attempt = { emailHash: emailHashOf(hasher, email), address: networkOf(address) };
  const wait = await beginAttempt(database, attempt);
  if (wait === undefined) return;
  throw new GatewayError(
    "too_many_attempts",
    `Too many failed attempts. Try again in ${Math.ceil(wait / 60)} min.`,
    { retryAfterSeconds: wait },
  );
}

/** The same for whoever comes uninvited; never forgiven, as nobody opens accounts by the hundred. */
export function countRegistration(
  deps: Pick<SignInDeps, "database" | "hasher">,
  address: string,
): Promise<void> {
  return countAttempt(deps, `registration ${networkOf(address)}`, address);
}

/** Those of an email begin anew: it was who they said. */
export function forgive(tx: Queryable, hasher: KeyHasher, email: string): Promise<void> {
  return forgiveAttempts(tx, emailHashOf(hasher, email));
}

export interface SessionOrder {
  readonly user: Pick<UserRecord, "id" | "email">;
  readonly address: string;
  readonly userAgent: string;
  /** The session that the browser had: it ends, so that nobody can plant one and wait for the sign-in. */
  readonly replaces: { readonly userId: UserRecord["id"]; readonly sessionId: bigint } | undefined;
}

/** Begins a session and gives its secret, for the cookie. */
export async function beginSession(tx: Queryable, hasher: KeyHasher, order: SessionOrder): Promise<string> {
  const { user, address, userAgent, replaces } = order;
  const secret = newSecret();
  await insertSession(tx, { userId: user.id, hash: hasher.hash(secret), address, userAgent });
  // People before sessions, as whoever resets a password takes them: in another order both would wait for each other.
  if (replaces !== undefined) await deleteSession(tx, replaces.userId, replaces.sessionId);
  await forgive(tx, hasher, user.email);
  return secret;
}

function emailHashOf(hasher: KeyHasher, email: string): Buffer {
  return hasher.hash(`email ${email}`);
}

/** An IPv6 customer has a whole /64 to come from. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.parse(address).toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;
}
