import { timingSafeEqual } from "node:crypto";
import type { KeyHasher } from "../accounts/key-hasher.ts";
import { randomText } from "../base/random.ts";
import type { UserRecord } from "./users-store.ts";

/** Whoever was away for half a year is a stranger like others; each sign-in begins the time anew. */
export const DEVICE_DAYS = 180;

/** People who share a browser; the one who came first is forgotten when more come. */
const MOST_USERS = 4;

/** More than that many tokens are long. What is longer is no cookie of ours. */
const MOST_LETTERS = 400;

/** Whose browser it is: the token ends with the password. */
type Owner = Pick<UserRecord, "id" | "passwordHash">;

/**
 * The cookie of a browser in which somebody has just signed in, with the tokens of others who use it too. A token is
 * `<seconds>.<nonce>.<mac>`, the mac under the installation's secret over its user and the kept form of the password:
 * nothing is kept of it here, and another password ends every one.
 */
export function rememberDevice(
  hasher: KeyHasher,
  owner: Owner,
  { cookie, nowMs }: { readonly cookie: string | undefined; readonly nowMs: number },
): string {
  const head = `${Math.floor(nowMs / 1_000)}.${randomText(16)}`;
  const others = tokensOf(cookie).filter((token) => nonceOf(hasher, owner, { token, nowMs }) === undefined);
  return [`${head}.${macOf(hasher, owner, head)}`, ...others].slice(0, MOST_USERS).join("~");
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
  if (cookie === undefined || cookie === "" || cookie.length > MOST_LETTERS) return [];
  return cookie.split("~").slice(0, MOST_USERS);
}

const TOKEN = /^((\d{1,12})\.(\w{16}))\.([\w-]{43})$/;

function nonceOf(
  hasher: KeyHasher,
  owner: Owner,
  { token, nowMs }: { readonly token: string; readonly nowMs: number },
): string | undefined {
  const [, head = "", seconds, nonce, mac = ""] = TOKEN.exec(token) ?? [];
  if (nonce === undefined || nowMs / 1_000 - Number(seconds) > DEVICE_DAYS * 86_400) return undefined;
  const isOurs = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(hasher, owner, head)));
  return isOurs ? nonce : undefined;
}

function macOf(hasher: KeyHasher, { id, passwordHash }: Owner, head: string): string {
  return hasher.hash(`device ${id} ${head} ${passwordHash ?? ""}`).toString("base64url");
}
