import type { AccountId } from "../accounts/caller.ts";
import type { UserId } from "./identity.ts";

/**
 * A change, for the audit log: what was done to what, and how it stood before and after. Values are
 * what a person may read: never a secret.
 */
export interface AuditNote {
  /** Noun and verb, as in `key.revoke`, `upstream.update`, `balance.adjust`. */
  readonly action: string;
  /** What was changed, for people: a name, or an id where there is none. */
  readonly subject: string;
  /** The account it belongs to; its owners may read the entry. */
  readonly accountId?: AccountId | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Who did it, where that is not who was signed in before it: signing in, accepting an invitation. */
  readonly actorId?: UserId;
}
