import type { KeyHasher } from "../../accounts/key-hasher.ts";
import { randomText } from "../../base/random.ts";

/** 42 characters of 62 are 250 bits: nobody guesses one, and a fast keyed hash at rest is enough. */
const SECRET_LENGTH = 42;

/** A session's secret or the one-time part of an invitation's link. */
export function newSecret(): string {
  return randomText(SECRET_LENGTH);
}

/** `fct_` and 48 characters; the prefix lets secret scanners find one that was published. */
export function newConsoleToken(): string {
  return `fct_${randomText(48)}`;
}

/** 16 characters of 62 are 95 bits. */
const PASSWORD_LENGTH = 16;

/** What the gateway makes where somebody must type it once: characters of chance, and four by which it knows its own. */
export function newPassword(hasher: KeyHasher): string {
  const text = randomText(PASSWORD_LENGTH);
  return text + passwordCheck(hasher, text);
}

/**
 * True if the gateway has made this password, for whomever. Who does not know the installation's secret guesses one
 * that looks so once in millions of attempts, and the right one never.
 */
export function isMadePassword(hasher: KeyHasher, password: string): boolean {
  const [text, check] = [password.slice(0, PASSWORD_LENGTH), password.slice(PASSWORD_LENGTH)];
  return check === passwordCheck(hasher, text);
}

function passwordCheck(hasher: KeyHasher, text: string): string {
  const mac = hasher.hash(`made password ${text}`).subarray(0, 3);
  // Letters and digits only: nobody reads out a dash.
  return mac.toString("base64url").replaceAll("-", "0").replaceAll("_", "1");
}

/**
 * What the pages of a session send along with each write. Follows from the session's secret, so nothing is kept
 * of it, and says nothing about the secret.
 */
export function csrfTokenOf(hasher: KeyHasher, session: string): string {
  return hasher.hash(`csrf ${session}`).toString("base64url");
}
