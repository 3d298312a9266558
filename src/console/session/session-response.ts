import { GatewayError } from "../../errors.ts";
import type { Identity, SessionIdentity, UserId } from "../../users/identity.ts";
import { readAccountNames } from "../../users/members/members-store.ts";
import { DEVICE_DAYS, rememberDevice } from "../../users/sign-in/devices.ts";
import { deviceCookie, deviceCookieName, sessionCookie } from "../../users/sign-in/session-cookie.ts";
import { SESSION_DAYS } from "../../users/sign-in/sessions-store.ts";
import { readUser, type UserRecord } from "../../users/users-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { Call } from "../operation.ts";
import type { SessionResponse } from "./contract.ts";
import { lacksTwoFactor } from "./sign-in-rules.ts";

/** The signed-in user, and the facts that every page needs. */
export async function sessionResponseOf(deps: ConsoleDeps, identity: Identity): Promise<SessionResponse> {
  const { user } = identity;
  const accounts = await readAccountNames(deps.database, [...user.roles.keys()]);
  return {
    user: {
      id: String(user.id),
      email: user.email,
      name: user.name,
      is_operator: user.isOperator,
      operator_role: user.operatorRole,
      has_totp: user.hasTotp,
    },
    must_change_password: user.mustChangePassword,
    must_set_up_totp: lacksTwoFactor(identity, deps.catalog.current().settings.signIn),
    accounts: accounts.map(({ id, name, suspended }) => ({
      id: String(id),
      name,
      role: user.roles.get(id) ?? "viewer",
      suspended,
    })),
    csrf_token: identity.via === "session" ? identity.csrfToken : null,
    public_url: await deps.publicUrl(),
    version: deps.version,
  };
}

/** The response to a sign-in: what GET /session says, the session's cookie, and the one by which the browser is known. */
export async function signedIn(
  deps: ConsoleDeps,
  secret: string,
  device: string | undefined,
): Promise<{ response: SessionResponse; cookies: string[] }> {
  const identity = await deps.users.identify({ session: secret, token: undefined });
  const user = identity && (await readUser(deps.database, identity.user.id));
  if (identity === undefined || user === undefined)
    throw new GatewayError("not_signed_in", "The session has ended.");
  const cookies = [await cookieOf(deps, secret), await deviceCookieOf(deps, user, device)];
  return { response: await sessionResponseOf(deps, identity), cookies };
}

/** The cookie by which a browser shows that somebody has signed in there before, as it came with a request. */
export async function deviceOf(
  deps: ConsoleDeps,
  { cookie }: Pick<Call<unknown, unknown>, "cookie">,
): Promise<string | undefined> {
  return cookie(deviceCookieName(await deps.publicUrl()));
}

/** The same for the browser that one is signed in with now. `device`: what it had. */
export async function deviceCookieOf(
  deps: ConsoleDeps,
  user: Pick<UserRecord, "id" | "passwordHash">,
  device: string | undefined,
): Promise<string> {
  const known = { cookie: device, nowMs: deps.clock.nowMs() };
  return deviceCookie(rememberDevice(deps.hasher, user, known), {
    publicUrl: await deps.publicUrl(),
    seconds: DEVICE_DAYS * 86_400,
  });
}

/** The session's cookie; "" takes it away. */
export async function cookieOf(deps: ConsoleDeps, secret: string): Promise<string> {
  return sessionCookie(secret, { publicUrl: await deps.publicUrl(), seconds: SESSION_DAYS * 86_400 });
}

/** Refuses tokens for operations that are reserved to a user at a browser. */
export function browserOf(identity: Identity | undefined): SessionIdentity {
  if (identity?.via === "session") return identity;
  throw new GatewayError("forbidden", "This requires a browser session; console tokens aren't allowed.");
}

/** The same, with a password of their own: one that was printed or read out is for nothing but choosing another. */
export function settledOf(identity: Identity | undefined): SessionIdentity {
  const browser = browserOf(identity);
  if (!browser.user.mustChangePassword) return browser;
  throw new GatewayError("password_change_required", "Change your password first.");
}

/** The session that a new one takes the place of. */
export function sessionOf(
  identity: Identity | undefined,
): { readonly userId: UserId; readonly sessionId: bigint } | undefined {
  return identity?.via === "session"
    ? { userId: identity.user.id, sessionId: identity.sessionId }
    : undefined;
}
