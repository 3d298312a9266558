import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "../../errors.ts";
import type { Log } from "../../observe/log.ts";
import { shapeOf } from "./error-format.ts";
import { sendError, stateError } from "./error-response.ts";
import { logFailure, type RefusedCall } from "./log-failure.ts";
import { requestId, responseHeaders } from "./response-headers.ts";
import { closeSlowReader } from "./slow-reader.ts";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** The parts of a request that routes read. */
export interface IncomingCall {
  readonly raw: IncomingMessage;
  /** Its own, given here. */
  readonly id: string;
  readonly method: string;
  /** The path in its one spelling, and the query as it came. */
  readonly url: string;
  /** A parameter that is repeated has all its values. */
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The decoded values of the names in the route's path; that of a `*` under that name. */
  readonly params: Readonly<Record<string, string>>;
  /** The path as its route has it, with names in place of what callers write; "" = no route has it. */
  readonly route: string;
}

/** The input of a route: the raw pair and the headers that each of its responses carries. */
export interface RequestContext {
  readonly request: IncomingCall;
  readonly raw: ServerResponse;
  readonly headers: Record<string, string>;
  /** The facts for the operator's log in case of a refusal; each is noted as soon as it is known. */
  readonly about: RefusedCall;
}

/** Called for each refused request. */
export type RecordRefusal = (request: IncomingCall, about: RefusedCall, error: unknown) => void;

/** Dependencies of the handling of requests; a server without callers logs no refusals. */
export interface ServeDeps {
  readonly log: Log;
  readonly errorType: string;
  readonly recordRefusal?: RecordRefusal;
}

export type Handler = (context: RequestContext) => Promise<void> | void;

/** Serves one request with raw replies; whatever is thrown comes out in the path's error shape. */
export async function serveRequest(
  deps: ServeDeps,
  request: IncomingCall,
  raw: ServerResponse,
  serve: Handler,
): Promise<void> {
  const shape = shapeOf(request.url);
  const headers = responseHeaders(request.raw, request.id, shape.idHeader);
  const about: RefusedCall = { caller: undefined, model: undefined, user: undefined, isLogged: false };
  try {
    await serve({ request, raw, headers, about });
    // Most answers are with the kernel as soon as they are written.
    if (raw.writableEnded && raw.writableLength > 0) closeSlowReader(raw);
  } catch (error) {
    if (error instanceof GatewayError) Object.assign(headers, error.headers);
    deps.recordRefusal?.(request, about, error);
    about.isLogged ||= raw.destroyed;
    logFailure(deps.log, request, about, error);
    sendError(raw, headers, shape, stateError(error, deps.errorType), request.id);
  }
}

/** The same for a request whose query nobody has read. `url` is its normal path. */
export function serveBare(
  deps: ServeDeps,
  request: IncomingMessage,
  raw: ServerResponse,
  { url, route }: Pick<IncomingCall, "url" | "route">,
  serve: Handler,
): Promise<void> {
  const method = request.method ?? "";
  const bare = { raw: request, id: requestId(), method, url, query: {}, params: {}, route };
  return serveRequest(deps, bare, raw, serve);
}

/**
 * Clients that would rather have a WebSocket (Codex) begin with GET. 426 is what they take as leave to go on
 * over HTTP; after any other refusal they ask again, with pauses.
 */
export function wrongMethod({ method, headers }: IncomingMessage, served: readonly Method[]): GatewayError {
  const allow = [...served, "OPTIONS"].join(", ");
  const methods = served.join(" or ");
  if (headers.upgrade?.toLowerCase() !== "websocket") {
    return new GatewayError("method_not_allowed", `${method} isn't supported here. Use ${methods}.`, {
      headers: { allow },
    });
  }
  return new GatewayError("websocket_not_served", `WebSockets aren't supported. Use ${methods} over HTTP.`, {
    headers: { allow, upgrade: "HTTP/1.1", connection: "close, upgrade" },
  });
}

/** Responses with a JSON value. */
export function sendJson(context: RequestContext, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  context.raw.writeHead(status, {
    ...context.headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(body.length),
  });
  context.raw.end(body);
}

/** A query parameter; of a repeated one the last value counts, as it does for the fields of a body. */
export function queryText(request: IncomingCall, name: string): string | undefined {
  return queryTexts(request, name).at(-1);
}

/** Every value of a query parameter, in order. */
export function queryTexts({ query }: IncomingCall, name: string): readonly string[] {
  const value = query[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
