import { timingSafeEqual } from "node:crypto";
import type { KeyHasher } from "../../accounts/key-hasher.ts";
import { randomText } from "../../base/random.ts";
import type { UserRecord } from "../users-store.ts";

/** Whoever was away for half a year is a stranger like others; each sign-in begins the time anew. */
export const DEVICE_DAYS = 180;

/** People who share a browser; the one who came first is forgotten when more come. */
const MAX_USERS = 4;

/** More than that many tokens are long. What is longer is no cookie of ours. */
const MAX_LETTERS = 400;

/** Whose browser it is: the token ends with the password. */
type Owner = Pick<UserRecord, "id" | "passwordHash">;

/**
 * The cookie of a browser in which somebody has just signed in, with the tokens of others who use it too. A token is
 * `<seconds>.<nonce>.<owner>.<mac>`, the mac under the installation's secret over it, its user and the kept form of the
 * password: nothing is kept of it here, and another password ends every one. `<owner>` is a mac over the user alone, by
 * which those that have ended are found and dropped: they would take the places of people who still use the browser.
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

/** The nonce of the browser's token for this user, or undefined: they have not signed in there with this password. */
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

/** The parts of a token; undefined where it is none, or too old. */
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

/** Whose it is, whatever their password; another for each token, so that a cookie says nothing to who reads it. */
function tagOf(hasher: KeyHasher, { id }: Owner, nonce: string): string {
  return hasher.hash(`device of ${id} ${nonce}`).toString("base64url").slice(0, 11);
}
