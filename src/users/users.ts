import type { KeyHasher } from "../accounts/key-hasher.ts";
import type { Database, Queryable } from "../storage/database.ts";
import { type AuditContext, type AuditNote, insertAudit } from "./audit-store.ts";
import type { Identity } from "./identity.ts";
import { findSession, findToken } from "./identity-store.ts";
import { createOidc, type Oidc, type OidcOptions } from "./sign-in/oidc.ts";
import { createPasswords, type Passwords } from "./sign-in/passwords.ts";
import { csrfTokenOf } from "./sign-in/secrets.ts";

/** What a request carries to prove who asks. */
export interface Credentials {
  /** Of the session's cookie. */
  readonly session: string | undefined;
  /** Of `Authorization: Bearer`. */
  readonly token: string | undefined;
}

/** Those who sign in: sessions, tokens, roles, and the log of what they changed. */
export interface Users {
  /** Who asks; undefined where nothing valid is shown. A token counts before a session. */
  identify(credentials: Credentials): Promise<Identity | undefined>;
  /** Writes an entry of the audit log, in the transaction of the change. */
  audit(tx: Queryable, entry: AuditNote & AuditContext): Promise<void>;
  readonly passwords: Passwords;
  /** Signing in at identity providers. */
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
