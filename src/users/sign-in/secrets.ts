import type { KeyHasher } from "../../accounts/key-hasher.ts";
import { randomText } from "../../base/random.ts";

/** 42 characters of 62 have 250 bits. They can't be guessed, so a fast keyed hash is enough for storage. */
const SECRET_LENGTH = 42;

/** Generates the secret of a session, or the nonce that a link's secret is derived from. */
export function newSecret(): string {
  return randomText(SECRET_LENGTH);
}

/**
 * The one-time part of a link that may be sent by e-mail. It follows from a nonce and the installation's secret, so that the queue
 * of e-mail holds nothing that opens the link to who reads the database.
 */
export function linkSecretOf(
  hasher: KeyHasher,
  purpose: "invitation" | "password reset",
  nonce: string,
): string {
  return hasher.hash(`${purpose} link ${nonce}`).toString("base64url");
}

/** `fct_` and 48 characters. Secret scanners recognise published tokens by the prefix. */
export function newConsoleToken(): string {
  return `fct_${randomText(48)}`;
}

/** 16 characters of 62 have 95 bits. */
const PASSWORD_LENGTH = 16;

/** Generates a password that a user types once: random characters, and four by which the gateway recognises its own. */
export function newPassword(hasher: KeyHasher): string {
  const text = randomText(PASSWORD_LENGTH);
  return text + passwordCheck(hasher, text);
}

/**
 * True if the gateway generated this password for any user. Without the installation's secret, a guess passes this
 * check once in millions of attempts, and is the right password practically never.
 */
export function isMadePassword(hasher: KeyHasher, password: string): boolean {
  const [text, check] = [password.slice(0, PASSWORD_LENGTH), password.slice(PASSWORD_LENGTH)];
  return check === passwordCheck(hasher, text);
}

function passwordCheck(hasher: KeyHasher, text: string): string {
  const mac = hasher.hash(`made password ${text}`).subarray(0, 3);
  // Only letters and digits, which are easy to read out.
  return mac.toString("base64url").replaceAll("-", "0").replaceAll("_", "1");
}

/**
 * Returns the value that a session's pages send with each write. It is derived from the session's secret without
 * revealing it, so nothing is stored.
 */
export function csrfTokenOf(hasher: KeyHasher, session: string): string {
  return hasher.hash(`csrf ${session}`).toString("base64url");
}
