import type { SessionResponse } from "../../../../src/console/session/contract.ts";
import { queryClient } from "../../api/query-client.ts";

/** From now on the pages are this person's: nothing that was read before is. */
export function enter(session: SessionResponse): void {
  queryClient.clear();
  queryClient.setQueryData(["session"], session);
}

/** Where to go after signing in: a path of our own and of nobody else's site. */
export function ownPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/";
}

/**
 * The password that somebody has just signed in with and must change: kept while the page is open, so that
 * nobody types twenty random characters twice.
 */
let given = "";

export function rememberGiven(password: string): void {
  given = password;
}

export function givenPassword(): string {
  return given;
}
