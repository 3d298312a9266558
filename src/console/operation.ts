import type { z } from "zod";
import type { AccountRecord } from "../accounts/accounts-store.ts";
import type { Queryable } from "../storage/database.ts";
import type { AuditNote } from "../users/audit-store.ts";
import type { AccountRole, Identity, SignedInUser } from "../users/identity.ts";
import type { Scope } from "../users/scopes.ts";

/**
 * Who may ask for an operation. The roles of an account build upon each other: a member may do what a
 * viewer may, an owner what a member may; an operator may do in every account what the operation's scope lets the role do.
 *
 * - `anyone`: no signing in (signing in itself, invitations)
 * - `user`: all who are signed in, about themselves
 * - `viewer`, `member`, `owner`: with that role in the account of the path, which must have `{account}`
 * - `operator`: who runs the gateway, in a role that reaches the operation's scope
 */
export type Policy = "anyone" | "user" | AccountRole | "operator";

const RANK: Readonly<Record<AccountRole, number>> = { viewer: 1, member: 2, owner: 3 };

export function isAccountRole(policy: Policy): policy is AccountRole {
  return Object.hasOwn(RANK, policy);
}

/** True if a role reaches what is asked for. */
export function includesRole(role: AccountRole, needed: AccountRole): boolean {
  return RANK[role] >= RANK[needed];
}

/**
 * The area of an operation: `users/scopes.ts` defines which operators and console tokens reach it. For changes, it also
 * restricts who else may make them.
 */
export function scopeOf({ scope, method }: Pick<Operation, "scope" | "method">): Scope {
  return scope ?? (method === "GET" ? "read" : "all");
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The input of an operation: the user, the parameters, and the trace to write. */
export interface Call<Query, Body> {
  /** The values of the path's `{names}`, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The file that was sent, where the operation takes one; else []. */
  readonly upload: readonly Uint8Array[];
  /** The signed-in user. Throws if the policy lets anyone in and nobody is signed in. */
  user(): SignedInUser;
  /** The user with their session or token; undefined if the policy lets anyone in. */
  readonly identity: Identity | undefined;
  /** True if who asks reaches operations of this scope too, in the account of the path if it has one. */
  reaches(scope: Scope): boolean;
  /** The account of the path's `{account}`. Throws on operations without one. */
  account(): AccountRecord;
  readonly requestId: string;
  /** Address of the caller, as far as trusted proxies tell it. */
  readonly address: string;
  /** The same as far as these proxies tell it. */
  addressBehind(trustedProxies: readonly string[]): string;
  readonly userAgent: string;
  /** The value of a cookie that the request carries. */
  cookie(name: string): string | undefined;
  /** Writes the audit log, in the transaction that makes the change. Every writing operation must. */
  audit(tx: Queryable, note: AuditNote): Promise<void>;
  /**
   * Throws 412 where the write was made from another state than this: the revision of the record as it stands, read
   * in the transaction that replaces it, under the lock that keeps others from doing so. Every conditional write must.
   */
  expectRevision(current: string): void;
  /** Aborted when the caller goes away; for events also when the gateway stops. */
  readonly gone: AbortSignal;
}

interface Described {
  /** Below /api, with `{names}`: `/accounts/{account}/keys/{key}`. */
  readonly path: string;
  readonly policy: Policy;
  /** The area of the operation, see scopeOf(). */
  readonly scope?: Scope;
  /** The chapter in which the documentation lists it. */
  readonly tag: string;
  readonly summary: string;
}

/** An operation that answers once, with JSON. */
export interface JsonOperation<Query = unknown, Body = unknown, Response = unknown> extends Described {
  readonly kind: "json";
  readonly method: Method;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** It takes a file as its body, of at most so many bytes, in place of JSON. */
  readonly upload?: { readonly maxBytes: number };
  readonly response: z.ZodType<Response>;
  /** It makes something, and says so by 201. */
  readonly makes?: true;
  /**
   * It reads, replaces or deletes a record with a `revision`, which is the ETag of what reading and replacing answer;
   * a write may name in If-Match the one it was made from.
   */
  readonly conditional?: true;
  /** Why this write leaves no trace in the audit log; every other must leave one. */
  readonly unaudited?: string;
  run(call: Call<Query, Body>): Promise<OperationResponse<Response>> | OperationResponse<Response>;
}

/** The response itself, or the response with a cookie beside it. */
export type OperationResponse<Response> = Response | Replied<Response>;

/** A response with more than a body. Made by reply(). */
export class Replied<Response> {
  readonly value: Response;
  readonly cookies: readonly string[];

  constructor(value: Response, { cookies = [] }: ReplyOptions) {
    this.value = value;
    this.cookies = cookies;
  }
}

export interface ReplyOptions {
  /** Whole `Set-Cookie` values. */
  readonly cookies?: readonly string[];
}

export function reply<Response>(value: Response, options: ReplyOptions): Replied<Response> {
  return new Replied(value, options);
}

/** An operation that sends what happens as it happens (server-sent events), until the caller goes. */
export interface EventsOperation<Query = unknown, Event = unknown> extends Described {
  readonly kind: "events";
  readonly method: "GET";
  readonly query?: z.ZodType<Query>;
  readonly event: z.ZodType<Event>;
  run(call: Call<Query, undefined>): AsyncIterable<Event>;
}

/** An operation that answers with a text too long to hold in memory, piece by piece (CSV). */
export interface TextOperation<Query = unknown> extends Described {
  readonly kind: "text";
  readonly method: "GET";
  readonly query?: z.ZodType<Query>;
  readonly contentType: string;
  /** Name under which a browser keeps it. */
  fileName(call: Call<Query, undefined>): string;
  /** Refusals come before the first piece, because afterwards the status is sent. */
  run(call: Call<Query, undefined>): AsyncIterable<string>;
}

/** An operation that answers with a file for a page to show, or the part of it that a player asks for. */
export interface FileOperation<Query = unknown> extends Described {
  readonly kind: "file";
  readonly method: "GET";
  readonly query?: z.ZodType<Query>;
  /** `range`: the request's `Range` header. */
  run(call: Call<Query, undefined>, range: string | undefined): Promise<FileResponse>;
}

export interface FileResponse {
  /** 302 leads, by `location`, to where this gateway serves the file itself. */
  readonly status: 200 | 206 | 302;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

export type Operation = JsonOperation | EventsOperation | TextOperation | FileOperation;

// The list of operations forgets what each one's query and body are; the mount reads them by the schemas.
export function json<Query, Body, Response>(
  operation: Omit<JsonOperation<Query, Body, Response>, "kind">,
): Operation {
  return { ...operation, kind: "json" } as unknown as JsonOperation;
}

export function events<Query, Event>(
  operation: Omit<EventsOperation<Query, Event>, "kind" | "method">,
): Operation {
  return { ...operation, kind: "events", method: "GET" } as unknown as EventsOperation;
}

export function text<Query>(operation: Omit<TextOperation<Query>, "kind" | "method">): Operation {
  return { ...operation, kind: "text", method: "GET" } as unknown as TextOperation;
}

export function file<Query>(operation: Omit<FileOperation<Query>, "kind" | "method">): Operation {
  return { ...operation, kind: "file", method: "GET" } as unknown as FileOperation;
}
