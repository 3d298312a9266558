import type { IncomingMessage } from "node:http";
import { parse } from "cookie";
import type { z } from "zod";
import type { AccountRecord } from "../../accounts/accounts-store.ts";
import { assert } from "../../base/assert.ts";
import type { MemoryGrant } from "../../base/async/memory-budget.ts";
import { flattenIssues, issueMessage } from "../../base/schema-issues.ts";
import type { Call, Operation } from "../../console/operation.ts";
import { GatewayError } from "../../errors.ts";
import type { Identity } from "../../users/identity.ts";
import { readBody } from "../body/body.ts";
import { readJsonBody } from "../body/json-body.ts";
import { addressOf } from "../core/caller-address.ts";
import type { RequestContext } from "../core/endpoint.ts";
import type { HttpDeps } from "../deps.ts";
import { mayDo } from "./guard.ts";

/** The console's forms are small; a catalog file is the largest thing anyone sends here. */
const CONSOLE_BODY_BYTES = 1024 * 1024;

/** A thousand models that a vendor offers have some ten thousand; each is looked at by a schema, on the event loop. */
const MAX_CONSOLE_VALUES = 20_000;

/** The input of an operation, and whether it wrote its audit entry and checked the state that it replaces. */
export interface AuditedCall extends Call<unknown, unknown> {
  readonly audited: () => boolean;
  readonly compared: () => boolean;
}

/** The content of a request beside its head. */
export type CallInput = Pick<AuditedCall, "query" | "body" | "upload">;

interface Asked extends CallInput {
  readonly identity: Identity | undefined;
  readonly account: AccountRecord | undefined;
  readonly context: RequestContext;
  readonly deps: HttpDeps;
}

/** The sender of a body, as far as it is known before the body. */
export type Sender = Pick<Asked, "identity" | "deps">;

/** True if what an operation is given comes behind the head, as slowly as its sender likes. */
export function hasBody(operation: Operation): boolean {
  return operation.kind === "json" && (operation.body !== undefined || operation.upload !== undefined);
}

/** Reads query and body by the operation's schemas; 400 names the field at fault. */
export async function readInput(
  operation: Operation,
  context: RequestContext,
  sender: Sender,
): Promise<CallInput> {
  const { request } = context;
  if (placeOfNoText(request.params) !== undefined)
    throw new GatewayError("not_found", "Names can't contain NUL.");
  const query = operation.query === undefined ? {} : read(operation.query, request.query);
  const body =
    operation.kind === "json" && operation.body ? read(operation.body, await bodyOf(context, sender)) : {};
  const upload =
    operation.kind === "json" && operation.upload
      ? await uploadOf(context, sender, operation.upload.maxBytes)
      : [];
  return { query, body, upload };
}

/** The input of an operation. */
export function callOf(operation: Operation, asked: Asked): AuditedCall {
  const { query, body, upload, identity, account, context, deps } = asked;
  const { request, raw } = context;
  const address = addressOf(request.raw, deps.catalog.current().settings.trustedProxies);
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  const over = operation.kind === "events" ? endOfEvents(gone.signal, deps.stopping) : gone.signal;
  const wanted = wantedRevisions(request.raw.headers["if-match"]);
  let audited = false;
  let compared = false;
  return {
    params: request.params,
    query,
    body,
    upload,
    identity,
    address,
    addressBehind: (proxies) => addressOf(request.raw, proxies),
    requestId: request.id,
    gone: over,
    userAgent: request.raw.headers["user-agent"] ?? "",
    cookie: (name) => parse(request.raw.headers.cookie ?? "")[name],
    user() {
      if (identity === undefined) throw new GatewayError("not_signed_in", "Sign in first.");
      return identity.user;
    },
    reaches: (scope) => identity !== undefined && mayDo(operation, scope, identity, account?.id),
    account() {
      assert(account, "the operation's path names an account");
      return account;
    },
    async audit(tx, note) {
      audited = true;
      await deps.console.users.audit(tx, { ...note, identity, address, requestId: request.id });
    },
    audited: () => audited,
    expectRevision(current) {
      compared = true;
      if (wanted !== undefined && !wanted.includes(current)) throw changedMeanwhile();
    },
    compared: () => compared,
  };
}

/**
 * The revisions in `If-Match`; undefined = any. A weak tag names no exact state, so it fits none (RFC 9110, 13.1.1).
 * Throws 400 for a value that is no list of tags, because a condition that nobody reads would look like one that holds.
 */
function wantedRevisions(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === "*") return undefined;
  const tags = header.split(",").map((tag) => /^(W\/)?"([\x21\x23-\x2b\x2d-\x7e]*)"$/.exec(tag.trim()));
  if (tags.includes(null))
    throw new GatewayError("invalid_request", 'If-Match: send revisions in double quotes, as in "4f0c".', {
      param: "If-Match",
    });
  return tags.flatMap((tag) => (tag?.[1] === undefined ? [tag?.[2] ?? ""] : []));
}

function changedMeanwhile(): GatewayError {
  return new GatewayError(
    "changed_meanwhile",
    "This was changed since it was read, and nothing was written. Read it again and repeat the change if needed.",
  );
}

/** Roles are looked at when a stream of events begins, so none outlives a role that was taken by longer than this. */
const MAX_EVENTS_MS = 300_000;

/** Listeners would stay forever, and a stop must not wait for them. Their browsers reconnect by themselves. */
function endOfEvents(gone: AbortSignal, stopping: AbortSignal): AbortSignal {
  return AbortSignal.any([gone, stopping, AbortSignal.timeout(MAX_EVENTS_MS)]);
}

function bodyOf({ request }: RequestContext, sender: Sender): Promise<unknown> {
  expectType(request.raw, "application/json");
  return readJsonBody(request.raw, {
    limitBytes: CONSOLE_BODY_BYTES,
    grant: grantOf(request.raw, sender),
    pace: sender.deps.bodies.pace,
    maxValues: MAX_CONSOLE_VALUES,
  });
}

/** A file, whose memory is held until the request is over. */
async function uploadOf(
  { request, raw }: RequestContext,
  sender: Sender,
  limitBytes: number,
): Promise<readonly Uint8Array[]> {
  expectType(request.raw, "application/octet-stream");
  const grant = grantOf(request.raw, sender);
  raw.once("close", () => grant.release());
  const terms = { limitBytes, grant, pace: sender.deps.bodies.pace, weight: UPLOAD_WEIGHT };
  return readBody(request.raw, terms, { write: () => undefined });
}

/** An upload is in memory as it came, and as its reader gets it. */
const UPLOAD_WEIGHT = 2;

/** A form of another site cannot send these types without asking first. */
function expectType({ headers }: IncomingMessage, expected: string): void {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== expected) throw new GatewayError("unsupported_media_type", `Send the body as ${expected}.`);
}

function grantOf(request: IncomingMessage, { identity, deps: { bodies, catalog } }: Sender): MemoryGrant {
  if (identity !== undefined) return bodies.grantOfOther("users", String(identity.user.id));
  // Visitors are known by an address alone: those of one address share its part of the memory.
  return bodies.grantOfOther("visitors", addressOf(request, catalog.current().settings.trustedProxies));
}

function read(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { error: issueMessage });
  if (!result.success) {
    const [issue] = flattenIssues(result.error.issues);
    throw refused(issue?.path.join(".") ?? "", issue?.message ?? "");
  }
  const place = placeOfNoText(result.data);
  if (place !== undefined) throw refused(place, "must not contain NUL or an unpaired surrogate");
  return result.data;
}

function refused(param: string, message: string): GatewayError {
  const sentence =
    message === "is required" && param !== ""
      ? `\`${param}\` is required.`
      : `${param === "" ? "" : `${param}: `}${message}`;
  return new GatewayError("invalid_request", sentence, { param });
}

/**
 * The place of a text that PostgreSQL refuses, because it has the character NUL, or would change, because it has a
 * surrogate without its other half. It is checked here, so that no schema has to do it.
 */
function placeOfNoText(data: unknown): string | undefined {
  // A list of what is still to see, and no recursion: fields of any shape may be nested as deep as a body is long.
  const waiting: [place: string, value: unknown][] = [["", data]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [place, value] = next;
    if (typeof value === "string" && NO_TEXT.test(value)) return place;
    if (typeof value !== "object" || value === null) continue;
    for (const [name, inner] of Object.entries(value))
      waiting.push([place === "" ? name : `${place}.${name}`, inner]);
  }
  return undefined;
}

const NO_TEXT = /[\0\p{Cs}]/u;
