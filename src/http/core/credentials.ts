import type { IncomingMessage } from "node:http";
import type { Authenticator, EndedKey } from "../../accounts/authenticator.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { KeyEnd } from "../../accounts/caller-store.ts";
import type { Clock } from "../../base/clock.ts";
import { type ErrorReason, GatewayError } from "../../errors.ts";
import type { HttpDeps } from "../deps.ts";
import { addressOf } from "./caller-address.ts";
import type { RequestContext } from "./endpoint.ts";

/** What knows keys, and the settings that say from where a request comes. */
type AuthenticateDeps = Pick<HttpDeps, "authenticator" | "catalog">;

/** Headers that carry a key, neutral and real spellings alike; every one works on every endpoint. */
const KEY_HEADERS = ["x-api-key", "x-vendory-api-key", "x-goog-api-key"] as const;

/**
 * Finds the caller of a request. One valid credential suffices and invalid ones beside it are ignored
 * (SDKs send two headers at once); valid ones of different keys are 401, as guessing which was meant would
 * charge the wrong account. `?key=` counts only where `queryKeys` are given (native endpoints).
 */
export function authenticate(
  request: IncomingMessage,
  queryKeys: readonly string[],
  deps: AuthenticateDeps,
): Caller | Promise<Caller> {
  const { authenticator } = deps;
  const carried = credentialsOf(request, queryKeys);
  const first = carried[0];
  if (first === undefined)
    throw new GatewayError("invalid_api_key", `The request has no API key. ${SEND_ONE}`);
  if (carried.length === 1) {
    const found = authenticator.authenticate(first);
    return found instanceof Promise
      ? found.then((caller) => fromHere(orInvalid(caller, carried, authenticator), request, deps))
      : fromHere(orInvalid(found, carried, authenticator), request, deps);
  }
  return resolveSeveral(carried, authenticator).then((caller) => fromHere(caller, request, deps));
}

/** Gives the caller where the key may be used from the request's address, which nobody looks at without such a list. */
function fromHere(
  caller: Caller,
  request: IncomingMessage,
  { catalog }: Pick<AuthenticateDeps, "catalog">,
): Caller {
  if (caller.allowedAddresses === null) return caller;
  const address = addressOf(request, catalog.current().settings.trustedProxies);
  if (caller.allowedAddresses.includes(address)) return caller;
  throw new RefusedKeyError(
    caller,
    "address_not_allowed",
    `This API key can't be used from ${address}. Its allowed addresses can be changed in the dashboard.`,
  );
}

/** The same for a route whose requests carry their key in a header, or also in its query. */
export async function callerOf(
  { request, about }: Pick<RequestContext, "request" | "about">,
  deps: AuthenticateDeps,
  queryKeys: readonly string[] = [],
): Promise<Caller> {
  const caller = await authenticate(request.raw, queryKeys, deps);
  about.caller = caller;
  return caller;
}

/** The body of a well-behaved caller is here by then; to ask again behind every body would cost each request its key's digest. */
const LATE_BODY_MS = 1_000;

/**
 * The same once the body is here, for a head that came at `sinceMs`: a body may come minutes behind its head, and
 * a key that has ended meanwhile begins nothing.
 */
export function authenticateLate(
  { caller, sinceMs }: { readonly caller: Caller; readonly sinceMs: number },
  request: IncomingMessage,
  queryKeys: readonly string[],
  deps: AuthenticateDeps & { readonly clock: Clock },
): Caller | Promise<Caller> {
  return deps.clock.monotonicMs() - sinceMs < LATE_BODY_MS ? caller : authenticate(request, queryKeys, deps);
}

/** The credential that is looked at first; a key in the query is none of these. */
export function firstCredential(request: IncomingMessage): string | undefined {
  return credentialsOf(request, [])[0];
}

async function resolveSeveral(carried: readonly string[], authenticator: Authenticator): Promise<Caller> {
  const found = await Promise.all(carried.map((credential) => authenticator.authenticate(credential)));
  const callers = found.filter((caller) => caller !== undefined);
  if (new Set(callers.map((caller) => caller.keyId)).size > 1) {
    throw new GatewayError("invalid_api_key", "The request contains two different valid API keys. Send one.");
  }
  return orInvalid(callers[0], carried, authenticator);
}

/** Each distinct credential of the request, in the order in which carriers are looked at. */
function credentialsOf(request: IncomingMessage, queryKeys: readonly string[]): string[] {
  const carried: string[] = [];
  const add = (credential: string | undefined): void => {
    if (credential && !carried.includes(credential)) carried.push(credential);
  };
  add(bearerOf(request.headers.authorization));
  for (const name of KEY_HEADERS) {
    const value = request.headers[name];
    // Node joins a repeated header so; a key holds no blank.
    if (typeof value === "string") for (const each of value.split(", ")) add(each.trim());
  }
  // Node keeps the first of repeated Authorization headers; a second one must count as a second credential, not vanish.
  if (request.rawHeaders.length > 2) addRepeated(request, add);
  queryKeys.forEach(add);
  return carried;
}

function addRepeated(request: IncomingMessage, add: (credential: string | undefined) => void): void {
  let seen = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index];
    if (name === undefined || name.length !== 13 || name.toLowerCase() !== "authorization") continue;
    seen += 1;
    if (seen > 1) add(bearerOf(request.rawHeaders[index + 1]));
  }
}

/**
 * The key of an `Authorization` header, with the word `Bearer` or without it, as callers of services of this kind send it.
 * A blank parts any other scheme from what follows it, and no key holds one.
 */
export function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (header.slice(0, 7).toLowerCase() === "bearer ") return header.slice(7).trim();
  return header.includes(" ") ? undefined : header;
}

function orInvalid(
  caller: Caller | undefined,
  carried: readonly string[],
  authenticator: Authenticator,
): Caller {
  if (caller !== undefined) return caller;
  const ended = carried.map((each) => authenticator.endOf(each)).find((each) => each !== undefined);
  throw ended === undefined ? invalidKey() : refusalOf(ended);
}

/** Refuses a key that was issued, so that it is known whose it is. */
export class RefusedKeyError extends GatewayError {
  readonly caller: Caller;

  constructor(caller: Caller, reason: ErrorReason, message: string) {
    super(reason, message);
    this.caller = caller;
  }
}

function refusalOf({ end, caller }: EndedKey): RefusedKeyError {
  return new RefusedKeyError(caller, ...ENDS[end]);
}

/** For callers all have the code of any other 401; the operator's log names them apart. */
const ENDS: Readonly<Record<KeyEnd, readonly [ErrorReason, string]>> = {
  revoked: ["revoked_api_key", "This API key was revoked. Create another one in the dashboard."],
  rotated: [
    "rotated_api_key",
    "This API key was rotated. Use the new one, or create another one in the dashboard.",
  ],
  expired: ["expired_api_key", "This API key has expired. Extend it or create another one in the dashboard."],
  disabled: [
    "disabled_api_key",
    "This API key is disabled. An owner of the account can enable it in the dashboard.",
  ],
  account_suspended: [
    "account_suspended",
    "The account of this API key is suspended. Contact the gateway's operator.",
  ],
};

const SEND_ONE =
  "Send a key of this gateway as `Authorization: Bearer <API_KEY>`; create keys in the dashboard.";

function invalidKey(): GatewayError {
  return new GatewayError("invalid_api_key", `Invalid API key. ${SEND_ONE}`);
}
