import type { IncomingMessage, ServerResponse } from "node:http";
import findMyWay from "find-my-way";
import { closestMatch } from "../../base/text.ts";
import { GatewayError } from "../../errors.ts";
import {
  type Handler,
  type IncomingCall,
  METHODS,
  type Method,
  type ServeDeps,
  serveRequest,
  wrongMethod,
} from "./endpoint.ts";
import { preflightHeaders, requestId } from "./response-headers.ts";

/** Paths that clients put in front of an endpoint themselves, or expect in their base URL. */
const PREFIXES = ["/v1", "/v1beta"] as const;

/** `models/gemini:generateContent`: its name alone would fit under both. */
const NATIVE_CALL = /:[a-z]+(?:[A-Z][a-z]+)+$/;

/** Below it the API of the dashboard stands, whose pages have the same addresses without it. */
const CONSOLE = "/api";

/**
 * The advice for a path that has no endpoint but is near one: a base URL that lacks `/v1` or has it twice, another
 * version, a misspelt word, or an address of the dashboard's API without `/api`. Undefined = nothing is near.
 * `patterns` are the served addresses, with parameters as `:name`.
 */
export function nearbyPath(path: string, patterns: readonly string[]): string | undefined {
  const isServed = (candidate: string): boolean => patterns.some((pattern) => matches(pattern, candidate));
  // It is right, and only its method is none that is served.
  if (isServed(path)) return undefined;
  for (const prefix of NATIVE_CALL.test(path) ? PREFIXES.toReversed() : PREFIXES) {
    if (isServed(prefix + path)) return `${prefix}${path} exists: end the client's base URL with ${prefix}`;
  }
  // A prefix before a served path comes from the base URL.
  for (let cut = path.indexOf("/", 1); cut !== -1; cut = path.indexOf("/", cut + 1)) {
    const rest = path.slice(cut);
    const extra = path.slice(0, cut);
    if (isServed(rest)) return `${rest} exists: remove ${extra} from the client's base URL`;
  }
  if (isServed(CONSOLE + path)) return `${CONSOLE}${path} exists`;
  return likePath(path, patterns);
}

/** The pattern that differs by its version or by the spelling of one word; what stands for a parameter stays as it was asked. */
function likePath(path: string, patterns: readonly string[]): string | undefined {
  const askedParts = path.split("/");
  for (const pattern of patterns) {
    const parts = pattern.split("/");
    if (parts.length !== askedParts.length || parts.includes("*")) continue;
    const others = parts.flatMap((part, at) => (fits(part, askedParts[at]) ? [] : [at]));
    const [at, ...more] = others;
    if (at === undefined || more.length > 0 || parts.length < LEAST_PARTS) continue;
    const [wanted = "", asked = ""] = [parts[at], askedParts[at]];
    const isVersion = at === 1 && VERSION.test(wanted) && VERSION.test(asked);
    if (!isVersion && (VERSION.test(wanted) || closestMatch(asked, [wanted]) === undefined)) continue;
    return `${askedParts.with(at, wanted).join("/")} exists`;
  }
  return undefined;
}

/** `/v1/x`: of one word alone the version says nothing. */
const LEAST_PARTS = 3;
const VERSION = /^v\d\w*$/;

function fits(part: string, asked = ""): boolean {
  return part === asked || (part.startsWith(":") && asked !== "");
}

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split("/");
  const askedParts = path.split("/");
  // A model's id may hold slashes. What else ends so are pages and their files.
  if (parts.at(-1) === "*" && VERSION.test(parts[1] ?? "")) {
    const head = parts.slice(0, -1);
    return (
      askedParts.length > head.length &&
      askedParts[head.length] !== "" &&
      head.every((part, at) => fits(part, askedParts[at]))
    );
  }
  if (parts.length !== askedParts.length || pattern.includes("*")) return false;
  return parts.every((part, index) => fits(part, askedParts[index]));
}

/** A name in a path, decoded; model ids come to hundreds of letters, and a cursor of ours to some more. */
const MAX_PARAM_LENGTH = 10_000;

/** The routes of the gateway, and the one way in which a request is answered by one of them. */
export interface Router {
  /** Registers one endpoint; every other method of the same path is refused, saying which ones there are. */
  endpoint(methods: readonly Method[], path: string, serve: Handler): void;
  /** Registers these methods alone: to every other one there is no such path. */
  route(methods: readonly Method[], path: string, serve: Handler): void;
  /** Answers a request whose head is sound. Never throws. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** From now on each response asks its caller for another connection next time. */
  close(): void;
}

/** A matched request: its parameters and the query, which is read only here. */
type Match = Pick<IncomingCall, "params" | "query" | "route">;

export function createRouter(deps: ServeDeps): Router {
  const answer = (
    request: IncomingMessage,
    response: ServerResponse,
    { params, query, route }: Match,
    serve: Handler,
  ): void => {
    const { method = "", url = "" } = request;
    void serveRequest(
      deps,
      { raw: request, id: requestId(), method, url, params, query, route },
      response,
      serve,
    );
  };
  const unreadable = (fault: string) => (path: string, request: IncomingMessage, response: ServerResponse) =>
    answer(request, response, NOTHING, () => {
      throw new GatewayError("invalid_request", `Invalid request: '${path}' ${fault}`);
    });
  const missing = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === "OPTIONS")
      response.writeHead(204, { ...preflightHeaders(request), "x-request-id": requestId() }).end();
    else
      answer(request, response, NOTHING, (context) =>
        refuseMissing(context, nearbyPath(pathOf(context.request.url), [...patterns])),
      );
  };
  const options = {
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: unreadable("is not a valid URL component"),
    onMaxParamLength: unreadable("exceeds the maximum length of a parameter"),
  };
  // Unknown paths are decoded as well, so that a path that is no text is refused as one, whatever its method.
  const unknown = findMyWay({ ...options, defaultRoute: missing });
  unknown.all("/*", missing);
  const routes = findMyWay({
    ...options,
    defaultRoute: (request, response) =>
      unknown.lookup(request as IncomingMessage, response as ServerResponse),
  });
  let isClosing = false;

  const patterns = new Set<string>();
  const route: Router["route"] = (methods, path, serve) => {
    patterns.add(path);
    routes.on([...methods], path, (request, response, params, _store, query) =>
      answer(
        request as IncomingMessage,
        response as ServerResponse,
        { params, query, route: path } as Match,
        serve,
      ),
    );
  };
  return {
    route,
    endpoint(methods, path, serve) {
      route(methods, path, serve);
      const others = METHODS.filter((method) => !methods.includes(method));
      route(others, path, ({ request }) => {
        throw wrongMethod(request.raw, methods);
      });
    },
    serve(request, response) {
      if (isClosing) response.setHeader("connection", "close");
      request.url = normalPath(request.url ?? "/");
      routes.lookup(request, response);
    },
    close() {
      isClosing = true;
    },
  };
}

const NOTHING: Match = { params: {}, query: {}, route: "" };

/** To whatever no route serves; `hint` says what is near. */
export function refuseMissing(
  { request: { method, url } }: { readonly request: IncomingCall },
  hint = "see /docs for available endpoints",
): never {
  throw new GatewayError("not_found", `There is no endpoint ${method} ${pathOf(url)}; ${hint}.`);
}

function pathOf(url: string): string {
  return (url.split("?", 1)[0] ?? "/").slice(0, 200);
}

/**
 * The one spelling of a path that routes are matched on: doubled slashes are one, one trailing slash
 * is none, and what means the same without its code has none, `%3A` (clients encode the colon of
 * `model:generateContent`) as well as `%61`, which the router would read as `a` after all others have
 * decided by the path. The query is untouched, and so is `%2F`, which stays part of a model id.
 */
export function normalPath(url: string): string {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(url);
  const target = absolute ? url.slice(absolute[0].length) || "/" : url;
  const cut = target.indexOf("?");
  const path = cut === -1 ? target : target.slice(0, cut);
  const query = cut === -1 ? "" : target.slice(cut);
  if (!path.includes("//") && !path.includes("%") && (path.length < 2 || !path.endsWith("/")))
    return path + query;
  const single = path.replace(/\/{2,}/g, "/").replace(NEEDLESS_CODE, decodeURIComponent);
  return (single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single) + query;
}

/** Codes of letters, digits, `-`, `.`, `_` and `~` (RFC 3986, 6.2.2.2), and of the colon. */
const NEEDLESS_CODE = /%(2[de]|3[0-9a]|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi;
