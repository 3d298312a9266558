import type { KeyHasher } from "../accounts/key-hasher.ts";
import { randomText } from "../base/random.ts";

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

/** Twenty characters of 62: what the gateway makes where somebody must type it once. */
export function newPassword(): string {
  return randomText(20);
}

/**
 * What the pages of a session send along with each write. Follows from the session's secret, so nothing is kept
 * of it, and says nothing about the secret.
 */
export function csrfTokenOf(hasher: KeyHasher, session: string): string {
  return hasher.hash(`csrf ${session}`).toString("base64url");
}
