import type { IncomingMessage, ServerResponse } from "node:http";
import { deferToBatch } from "../../base/async/event-loop-batch.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { type Handler, serveBare } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
import { serveCount } from "../text/count-tokens.ts";
import { legacyCompletions } from "../text/legacy-completions.ts";
import { respondWithText } from "../text/text-handler.ts";

/** The native paths name the model; see `native.ts`. */
const SERVED = Object.values(PROTOCOLS).filter(({ forward }) => forward.modelInBody);

/** The text endpoints whose body names the model, with the calls beside them. */
export function textRoutes(router: Router, deps: HttpDeps): void {
  const route = (path: string | undefined, serve: Handler): void => {
    if (path !== undefined) router.endpoint(["POST"], path, serve);
  };
  for (const { name: protocol, endpoint: at } of SERVED) {
    route(at.path, (context) => respondWithText(deps, context, { protocol }));
    route(at.compactPath, (context) => respondWithText(deps, context, { protocol, compacts: true }));
    route(at.legacyPath, (context) =>
      respondWithText(deps, context, { protocol, adapter: legacyCompletions }),
    );
    route(at.count?.path, (context) => serveCount(deps, context, { protocol }));
  }
}

/**
 * The same endpoints without a look-up of the route: a POST to exactly one of their paths has no parameter and no query.
 * Requests of one turn of the event loop are begun together behind it. False: not such a request.
 */
export function textFastPath(
  deps: HttpDeps,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const serves = new Map(
    SERVED.map(({ name: protocol, endpoint: { path } }): [string, Handler] => [
      path,
      (context) => respondWithText(deps, context, { protocol }),
    ]),
  );
  return (request, response) => {
    const url = request.url ?? "";
    const serve = request.method === "POST" ? serves.get(url) : undefined;
    if (serve === undefined) return false;
    deferToBatch(() => {
      // A client that has left within the turn gets no response, and no event reports it any more.
      if (!request.socket.destroyed) void serveBare(deps, request, response, { url, route: url }, serve);
    });
    return true;
  };
}
