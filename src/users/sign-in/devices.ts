import { timingSafeEqual } from "node:crypto";
import type { KeyHasher } from "../../accounts/key-hasher.ts";
import { randomText } from "../../base/random.ts";
import type { UserRecord } from "../users-store.ts";

/** A browser that was not used for half a year is unknown again; each sign-in restarts the time. */
export const DEVICE_DAYS = 180;

/** Maximum number of users in one browser; the earliest is forgotten if there are more. */
const MAX_USERS = 4;

/** Longer than that many tokens; a longer cookie is not ours. */
const MAX_LETTERS = 400;

/** The user of the browser. A token becomes invalid when the password changes. */
type Owner = Pick<UserRecord, "id" | "passwordHash">;

/**
 * Returns the cookie of a browser in which a user has just signed in, with the tokens of others who use it too. A token
 * is `<seconds>.<nonce>.<owner>.<mac>`. The MAC under the installation's secret covers the token, its user and the
 * password's hash: nothing is stored, and a new password invalidates all tokens. `<owner>` is a MAC of the user alone.
 * With it, invalid tokens of a user are found and dropped; otherwise they would take the places of others.
 */
export function rememberDevice(
  hasher: KeyHasher,
  owner: Owner,
  { cookie, nowMs }: { readonly cookie: string | undefined; readonly nowMs: number },
): string {
  const nonce = randomText(16);
  const head = `${Math.floor(nowMs / 1_000)}.${nonce}.${tagOf(hasher, owner, nonce)}`;
  const others = tokensOf(cookie).filter((token) => {
    const read = readToken(token, nowMs);
    if (read === undefined || read.tag === tagOf(hasher, owner, read.nonce)) return false;
    return nonceOf(hasher, owner, { token, nowMs }) === undefined;
  });
  return [`${head}.${macOf(hasher, owner, head)}`, ...others].slice(0, MAX_USERS).join("~");
}

/**
 * Returns the nonce of the browser's token for this user; undefined = the user has not signed in there with this
 * password.
 */
export function knownDevice(
  hasher: KeyHasher,
  owner: Owner,
  { cookie, nowMs }: { readonly cookie: string | undefined; readonly nowMs: number },
): string | undefined {
  for (const token of tokensOf(cookie)) {
    const nonce = nonceOf(hasher, owner, { token, nowMs });
    if (nonce !== undefined) return nonce;
  }
  return undefined;
}

function tokensOf(cookie: string | undefined): readonly string[] {
  if (cookie === undefined || cookie === "" || cookie.length > MAX_LETTERS) return [];
  return cookie.split("~").slice(0, MAX_USERS);
}

const TOKEN = /^((\d{1,12})\.(\w{16})\.([\w-]{11}))\.([\w-]{43})$/;

/** The parts of a token; undefined = it is malformed or too old. */
function readToken(token: string, nowMs: number) {
  const [, head = "", seconds, nonce, tag, mac = ""] = TOKEN.exec(token) ?? [];
  if (nonce === undefined || nowMs / 1_000 - Number(seconds) > DEVICE_DAYS * 86_400) return undefined;
  return { head, nonce, mac, tag };
}

function nonceOf(
  hasher: KeyHasher,
  owner: Owner,
  { token, nowMs }: { readonly token: string; readonly nowMs: number },
): string | undefined {
  const read = readToken(token, nowMs);
  if (read === undefined) return undefined;
  const isOurs = timingSafeEqual(Buffer.from(read.mac), Buffer.from(macOf(hasher, owner, read.head)));
  return isOurs ? read.nonce : undefined;
}

function macOf(hasher: KeyHasher, { id, passwordHash }: Owner, head: string): string {
  return hasher.hash(`device ${id} ${head} ${passwordHash ?? ""}`).toString("base64url");
}

/** Identifies the user whatever the password. It differs for each token, so that a cookie does not reveal users. */
function tagOf(hasher: KeyHasher, { id }: Owner, nonce: string): string {
  return hasher.hash(`device of ${id} ${nonce}`).toString("base64url").slice(0, 11);
}
