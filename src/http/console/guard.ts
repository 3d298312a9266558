import type { IncomingMessage } from "node:http";
import { parse } from "cookie";
import { type AccountRecord, readAccount } from "../../accounts/accounts-store.ts";
import type { AccountId } from "../../accounts/caller.ts";
import type { ConsoleDeps } from "../../console/deps.ts";
import { includesRole, isAccountRole, type Operation, scopeOf } from "../../console/operation.ts";
import { expectWayIn, lacksTwoFactor } from "../../console/session/sign-in-rules.ts";
import { GatewayError } from "../../errors.ts";
import type { Identity, TokenIdentity } from "../../users/identity.ts";
import { leastOperatorRole, operatorReaches, type Scope, scopesReach } from "../../users/scopes.ts";
import { sessionCookieName } from "../../users/sign-in/session-cookie.ts";
import { addressOf } from "../core/caller-address.ts";
import { bearerOf } from "../core/credentials.ts";
import type { RequestContext } from "../core/endpoint.ts";
import type { HttpDeps } from "../deps.ts";

/** The sender of a request, by console token or by session cookie. */
export async function identityOf(
  request: IncomingMessage,
  { users, publicUrl }: Pick<ConsoleDeps, "users" | "publicUrl">,
): Promise<Identity | undefined> {
  const session = parse(request.headers.cookie ?? "")[sessionCookieName(await publicUrl())];
  return users.identify({ session, token: bearerOf(request.headers.authorization) });
}

interface Asked {
  readonly identity: Identity | undefined;
  readonly context: RequestContext;
  readonly deps: Pick<HttpDeps, "console" | "catalog">;
}

/**
 * Lets a request in, or throws: 401 without a user, 403 for a write without the session's CSRF token, for a
 * role that does not reach, 404 for an account one does not belong to, as for one that does not exist.
 * Gives the account that the path names.
 */
export async function admit(operation: Operation, asked: Asked): Promise<AccountRecord | undefined> {
  const { identity, context, deps } = asked;
  const writes = operation.method !== "GET";
  if (writes) {
    await refuseForeignPage(context.request.raw, deps.console.publicUrl);
    if (operation.policy !== "anyone") expectCsrfToken(context.request.raw, identity);
  }
  if (operation.policy === "anyone") return undefined;
  if (identity === undefined) throw new GatewayError("not_signed_in", "Sign in first.");
  const { signIn: rules, trustedProxies } = deps.catalog.current().settings;
  expectWayIn(identity, addressOf(context.request.raw, trustedProxies), rules);
  if (identity.via === "token") expectScope(operation, identity);
  const isFirstStep = operation.policy === "user" && FIRST_STEPS.has(operation.path);
  if (operation.policy !== "user" && identity.user.mustChangePassword) {
    throw new GatewayError("password_change_required", "Change your password first: this one was generated.");
  }
  if (!isFirstStep && lacksTwoFactor(identity, rules))
    throw new GatewayError(
      "two_factor_required",
      "Set up two-factor authentication first: it's required here.",
    );
  if (operation.policy === "user") return undefined;
  const { user } = identity;
  if (!isAccountRole(operation.policy)) {
    if (mayDo(operation, scopeOf(operation), identity, undefined)) return undefined;
    throw new GatewayError(
      "forbidden",
      user.isOperator ? roleTooLow(operation) : "Only operators may do this.",
    );
  }
  const account = await accountOf(asked);
  if (account === undefined || !isOpen(account.id, identity))
    throw new GatewayError("not_found", "Account not found.");
  if (mayDo(operation, scopeOf(operation), identity, account.id)) return account;
  throw new GatewayError(
    "forbidden",
    user.isOperator ? roleTooLow(operation) : `Only ${operation.policy}s of the account may do this.`,
  );
}

/** True if somebody sees the account, which a token of another one does not. */
function isOpen(account: AccountId, identity: Identity): boolean {
  if (identity.via === "token" && identity.accountId !== null && identity.accountId !== account) return false;
  return identity.user.isOperator || identity.user.roles.has(account);
}

/** Says who asks, and with which roles. */
const SESSION = "/session";

/** What somebody may do who has yet to choose a password or set up codes. */
const FIRST_STEPS: ReadonlySet<string> = new Set([SESSION, "/me/password", "/me/totp", "/me/totp/confirm"]);

/** A token for one account reaches nothing outside it but who its user is; other tokens and sessions name other accounts. */
function expectScope(operation: Operation, { scopes, accountId }: TokenIdentity): void {
  const scope = scopeOf(operation);
  const { policy, path } = operation;
  if (accountId !== null && (policy === "operator" || (policy === "user" && path !== SESSION)))
    throw new GatewayError("forbidden", "This console token is for one account only.");
  if (scopesReach(scopes, scope)) return;
  const needed = scope === "all" ? "all" : `${scope} or all`;
  throw new GatewayError(
    "forbidden",
    `This console token's scopes are ${scopes.join(", ")}; this takes ${needed}.`,
  );
}

/** True if somebody reaches operations of this policy and scope, as operator or by their role in the account. */
export function mayDo(
  { policy }: Pick<Operation, "policy">,
  scope: Scope,
  identity: Identity,
  account: AccountId | undefined,
): boolean {
  if (identity.via === "token" && !scopesReach(identity.scopes, scope)) return false;
  const { user } = identity;
  if (user.operatorRole !== null && operatorReaches(user.operatorRole, scope)) return true;
  const role = account === undefined ? undefined : user.roles.get(account);
  return role !== undefined && isAccountRole(policy) && includesRole(role, policy);
}

function roleTooLow(operation: Operation): string {
  const needed = leastOperatorRole(scopeOf(operation));
  return needed === "billing"
    ? "Your operator role may not change this; it takes a billing operator."
    : "Your operator role may not change this; it takes an operator of the highest role.";
}

async function accountOf({ context, deps }: Asked): Promise<AccountRecord | undefined> {
  const { account = "" } = context.request.params;
  return /^[1-9]\d{0,17}$/.test(account)
    ? readAccount(deps.console.database, BigInt(account) as AccountId)
    : undefined;
}

/**
 * Browsers say which page a request comes from, the older ones and those without https by `Origin` alone. It is a page of ours
 * where it names the host that was asked, or the public address, as some proxies ask with a host of their own.
 */
async function refuseForeignPage(
  { headers }: IncomingMessage,
  publicUrl: ConsoleDeps["publicUrl"],
): Promise<void> {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (site === "same-origin") return;
  const isForeign = (site ?? "none") !== "none";
  if (!isForeign && (origin === undefined || hostOf(origin) === host?.toLowerCase())) return;
  if (!isForeign && origin === new URL(await publicUrl()).origin) return;
  throw new GatewayError(
    "csrf_failed",
    "This request comes from another site. If that site is this gateway, the operator must set FAREGATE_PUBLIC_URL to its address.",
  );
}

/** The host in the form of the header `Host`; undefined if there is none, as in `null`. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())?.[1];
}

/** A browser sends the cookie wherever the request comes from; only our own pages can read the session's word. */
function expectCsrfToken(request: IncomingMessage, identity: Identity | undefined): void {
  if (identity?.via !== "session") return;
  if (request.headers["x-faregate-csrf"] !== identity.csrfToken) {
    throw new GatewayError(
      "csrf_failed",
      "Send the session's csrf_token (GET /api/session) as x-faregate-csrf.",
    );
  }
}
