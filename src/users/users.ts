import type { KeyHasher } from "../accounts/key-hasher.ts";
import type { Database, Queryable } from "../storage/database.ts";
import { type AuditContext, type AuditNote, insertAudit } from "./audit-store.ts";
import type { Identity } from "./identity.ts";
import { findSession, findToken } from "./identity-store.ts";
import { createOidc, type Oidc, type OidcOptions } from "./sign-in/oidc.ts";
import { createPasswords, type Passwords } from "./sign-in/passwords.ts";
import { csrfTokenOf } from "./sign-in/secrets.ts";

/** Credentials in a request. */
export interface Credentials {
  /** From the session's cookie. */
  readonly session: string | undefined;
  /** From `Authorization: Bearer`. */
  readonly token: string | undefined;
}

/** Users of the console: sessions, tokens, roles, and the log of their changes. */
export interface Users {
  /** Returns the sender of a request; undefined = no valid credentials. A token takes precedence over a session. */
  identify(credentials: Credentials): Promise<Identity | undefined>;
  /** Adds an entry to the audit log, in the transaction of the change. */
  audit(tx: Queryable, entry: AuditNote & AuditContext): Promise<void>;
  readonly passwords: Passwords;
  /** Sign-in through identity providers. */
  readonly oidc: Oidc;
}

export interface UsersOptions extends OidcOptions {
  readonly database: Database;
  readonly hasher: KeyHasher;
}

export function createUsers({ database, hasher, ...rest }: UsersOptions): Users {
  return {
    async identify({ session, token }) {
      if (token !== undefined) return findToken(database, hasher.hash(token));
      if (session === undefined) return undefined;
      const found = await findSession(database, hasher.hash(session));
      return found && { ...found, csrfToken: csrfTokenOf(hasher, session) };
    },
    audit: insertAudit,
    passwords: createPasswords(hasher),
    oidc: createOidc(rest),
  };
}
