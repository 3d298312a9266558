import ipaddr from "ipaddr.js";
import type { KeyHasher } from "../../accounts/key-hasher.ts";
import type { Clock } from "../../base/clock.ts";
import { GatewayError } from "../../errors.ts";
import type { Database, Queryable } from "../../storage/database.ts";
import type { SessionIdentity, UserId } from "../identity.ts";
import { findUser, holdUser, type UserRecord } from "../users-store.ts";
import { type Attempt, beginAttempt, forgiveAttempts } from "./attempts-store.ts";
import { knownDevice } from "./devices.ts";
import type { Passwords } from "./passwords.ts";
import { isMadePassword, newSecret } from "./secrets.ts";
import { deleteSession, holdSession, insertSession } from "./sessions-store.ts";

export interface SignInDeps {
  readonly database: Database;
  readonly hasher: KeyHasher;
  readonly passwords: Passwords;
  readonly clock: Clock;
}

export interface Claim {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  /** Cookie of a browser in which a user has signed in before. */
  readonly device: string | undefined;
}

/** A user whose password was checked, with the counter of the attempt. */
export interface ProvenUser extends UserRecord {
  readonly counter: Buffer;
}

/**
 * Returns the user for this email and password. Throws sign_in_failed, with the same words and after the same work,
 * whether the email, the password or both are wrong or the user is disabled. Throws too_many_attempts before any work.
 */
export async function proveIdentity(deps: SignInDeps, claim: Claim): Promise<ProvenUser> {
  const { database, passwords } = deps;
  const user = await findUser(database, claim.email);
  const attempt = attemptOf(deps, claim, user);
  // An attempt that would not be checked is not counted either, so that a flood does not fill the table.
  passwords.expectRoom(attempt);
  await count(database, attempt);
  const matched = await passwords.matches(claim.password, user?.passwordHash, attempt);
  if (user === undefined || !matched || user.disabled) throw failed();
  return { ...user, counter: attempt.counter };
}

/**
 * Strangers share one counter for each email address. A browser in which the user has signed in has its own counter, so
 * that nobody can lock it out from elsewhere; so has a password that the gateway generated, because it can't be
 * guessed.
 */
function attemptOf(
  { hasher, clock }: SignInDeps,
  { email, password, address, device }: Claim,
  user: UserRecord | undefined,
): Attempt {
  // The check also runs if there is no such user, so that the time reveals nothing.
  const owner = user ?? { id: 0n as UserId, passwordHash: null };
  const nonce = knownDevice(hasher, owner, { cookie: device, nowMs: clock.nowMs() });
  const network = networkOf(address);
  if (user !== undefined && nonce !== undefined)
    return { counter: hasher.hash(`device ${user.id} ${nonce}`), address: network, known: true };
  if (isMadePassword(hasher, password))
    return { counter: hasher.hash(`made ${email}`), address: network, known: true };
  return { counter: emailHashOf(hasher, email), address: network, known: false };
}

/**
 * Throws sign_in_failed if the password was changed or the user disabled since the check. Locks both until the
 * transaction ends, because a session must not outlive its password.
 */
export async function stayProven(tx: Queryable, user: UserRecord): Promise<void> {
  if (!(await holdUser(tx, user))) throw failed();
}

/** The same for a user with a session: throws not_signed_in if it has ended. */
export async function staySignedIn(
  tx: Queryable,
  { user, sessionId }: Pick<SessionIdentity, "user" | "sessionId">,
): Promise<void> {
  if (await holdSession(tx, user.id, sessionId)) return;
  throw new GatewayError("not_signed_in", "The session has ended.");
}

function failed(): GatewayError {
  return new GatewayError("sign_in_failed", "Incorrect email or password.");
}

async function count(database: Database, attempt: Attempt): Promise<void> {
  const wait = await beginAttempt(database, attempt);
  if (wait === undefined) return;
  throw new GatewayError(
    "too_many_attempts",
    `Too many failed attempts. Try again in ${Math.ceil(wait / 60)} min.`,
    { retryAfterSeconds: wait },
  );
}

type CountDeps = Pick<SignInDeps, "database" | "hasher">;

/**
 * Counts an attempt of a signed-in user to prove a password or code; throws too_many_attempts if there were too many.
 * Attempts of strangers do not count. Returns the counter for forgiveAttempts().
 */
export async function countProof(
  { database, hasher }: CountDeps,
  id: UserId,
  address: string,
): Promise<Buffer> {
  const counter = proofCounter(hasher, id);
  await count(database, { counter, address: networkOf(address), known: true });
  return counter;
}

/**
 * Counts registrations without an invitation. They are never forgotten, because nobody opens accounts by the hundred.
 */
export function countRegistration({ database, hasher }: CountDeps, address: string): Promise<void> {
  const network = networkOf(address);
  const counter = emailHashOf(hasher, `registration ${network}`);
  return count(database, { counter, address: network, known: false });
}

/** Counts an e-mail that is asked for to an address; never forgiven, as nobody's mailbox is to be filled. */
export function countMail({ database, hasher }: CountDeps, email: string, address: string): Promise<void> {
  const counter = hasher.hash(`mail ${email}`);
  return count(database, { counter, address: networkOf(address), known: false });
}

/** Forgets all failed attempts for a user, including those of others. */
export async function forgive(
  tx: Queryable,
  hasher: KeyHasher,
  { id, email }: Pick<UserRecord, "id" | "email">,
): Promise<void> {
  await forgiveAttempts(tx, emailHashOf(hasher, email));
  await forgiveAttempts(tx, proofCounter(hasher, id));
}

function proofCounter(hasher: KeyHasher, id: UserId): Buffer {
  return hasher.hash(`proof ${id}`);
}

export interface SessionOrder {
  readonly user: Pick<UserRecord, "id" | "email">;
  readonly address: string;
  readonly userAgent: string;
  /** The browser's previous session. It ends, so that nobody can plant a session and wait for the user to sign in. */
  readonly replaces: { readonly userId: UserRecord["id"]; readonly sessionId: bigint } | undefined;
  /** Id of the identity provider that authenticated the user; null = a password did. */
  readonly provider: string | null;
  /** Counter of the attempt, see ProvenUser; undefined = the user was authenticated elsewhere. */
  readonly counter?: Buffer | undefined;
}

/** Creates a session and returns its secret, for the cookie. */
export async function beginSession(tx: Queryable, hasher: KeyHasher, order: SessionOrder): Promise<string> {
  const { user, address, userAgent, provider, replaces, counter } = order;
  const secret = newSecret();
  await insertSession(tx, { userId: user.id, hash: hasher.hash(secret), address, userAgent, provider });
  // Users are locked before sessions, as in a password reset; another order could deadlock.
  if (replaces !== undefined) await deleteSession(tx, replaces.userId, replaces.sessionId);
  if (counter !== undefined) await forgiveAttempts(tx, counter);
  return secret;
}

function emailHashOf(hasher: KeyHasher, email: string): Buffer {
  return hasher.hash(`email ${email}`);
}

/** An IPv6 customer usually has a whole /64. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.parse(address).toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;
}
