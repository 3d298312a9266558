import { GatewayError } from "../../errors.ts";
import type { Identity, SessionIdentity, UserId } from "../../people/identity.ts";
import { readAccountNames } from "../../people/members-store.ts";
import { sessionCookie } from "../../people/session-cookie.ts";
import { SESSION_DAYS } from "../../people/sessions-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { SessionAnswer } from "./contract.ts";

/** Who is signed in, and what every page needs to know. */
export async function sessionAnswerOf(deps: ConsoleDeps, identity: Identity): Promise<SessionAnswer> {
  const { person } = identity;
  const accounts = await readAccountNames(deps.database, [...person.roles.keys()]);
  return {
    person: {
      id: String(person.id),
      email: person.email,
      name: person.name,
      is_operator: person.isOperator,
      has_totp: person.hasTotp,
    },
    must_change_password: person.mustChangePassword,
    accounts: accounts.map(({ id, name }) => ({
      id: String(id),
      name,
      role: person.roles.get(id) ?? "viewer",
    })),
    csrf_token: identity.via === "session" ? identity.csrfToken : null,
    public_url: await deps.publicUrl(),
    version: deps.version,
  };
}

/** The answer to a sign-in: what GET /session says, and the cookie. */
export async function signedIn(
  deps: ConsoleDeps,
  secret: string,
): Promise<{ answer: SessionAnswer; cookies: string[] }> {
  const identity = await deps.people.identify({ session: secret, token: undefined });
  if (identity === undefined) throw new GatewayError("not_signed_in", "The session is over already.");
  return { answer: await sessionAnswerOf(deps, identity), cookies: [await cookieOf(deps, secret)] };
}

/** The session's cookie; "" takes it away. */
export async function cookieOf(deps: ConsoleDeps, secret: string): Promise<string> {
  return sessionCookie(secret, { publicUrl: await deps.publicUrl(), seconds: SESSION_DAYS * 86_400 });
}

/** What only the person at the browser may do, not a script with a token of theirs. */
export function browserOf(identity: Identity | undefined): SessionIdentity {
  if (identity?.via === "session") return identity;
  throw new GatewayError("forbidden", "Sign in with a browser for this: a console token may not do it.");
}

/** The same, with a password of their own: one that was printed or read out is for nothing but choosing another. */
export function settledOf(identity: Identity | undefined): SessionIdentity {
  const browser = browserOf(identity);
  if (!browser.person.mustChangePassword) return browser;
  throw new GatewayError("password_change_required", "Choose a password of your own first.");
}

/** The session that a new one takes the place of. */
export function sessionOf(
  identity: Identity | undefined,
): { readonly userId: UserId; readonly sessionId: bigint } | undefined {
  return identity?.via === "session"
    ? { userId: identity.person.id, sessionId: identity.sessionId }
    : undefined;
}
