import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { deferToBatch } from "../../base/event-loop-batch.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { serveCount } from "../count-tokens.ts";
import type { HttpDeps } from "../deps.ts";
import { endpoint, type Handler, serveBare } from "../endpoint.ts";
import { legacyCompletions } from "../legacy-completions.ts";
import { respondWithText } from "../text-handler.ts";

const PATHS: readonly (readonly [path: string, protocol: ProtocolName])[] = [
  ["/v1/chat/completions", "chat-completions"],
  ["/v1/responses", "responses"],
  ["/v1/messages", "messages"],
  ["/v1/embeddings", "embeddings"],
  ["/v1/rerank", "rerank"],
];

/** Where the tokens of a request are counted without asking it. */
const COUNT_PATHS: readonly (readonly [path: string, protocol: ProtocolName])[] = [
  ["/v1/messages/count_tokens", "messages"],
  ["/v1/responses/input_tokens", "responses"],
];

/** The text endpoints whose body names the model. */
export function textRoutes(app: FastifyInstance, deps: HttpDeps): void {
  for (const [path, protocol] of PATHS) {
    endpoint(app, deps, ["POST"], path, (context) => respondWithText(deps, context, { protocol }));
  }
  endpoint(app, deps, ["POST"], "/v1/responses/compact", (context) =>
    respondWithText(deps, context, { protocol: "responses", compacts: true }),
  );
  endpoint(app, deps, ["POST"], "/v1/completions", (context) =>
    respondWithText(deps, context, { protocol: "chat-completions", adapter: legacyCompletions }),
  );
  for (const [path, protocol] of COUNT_PATHS)
    endpoint(app, deps, ["POST"], path, (context) => serveCount(deps, context, { protocol }));
}

/**
 * The same endpoints without the framework's life cycle, which costs a third of a request here: a POST to
 * exactly one of their paths needs none of it. False: not such a request.
 */
export function textFastPath(
  deps: HttpDeps,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const serves = new Map(
    PATHS.map(([path, protocol]): [string, Handler] => [
      path,
      (context) => respondWithText(deps, context, { protocol }),
    ]),
  );
  return (request, response) => {
    const url = request.url ?? "";
    const serve = request.method === "POST" ? serves.get(url) : undefined;
    if (serve === undefined) return false;
    deferToBatch(() => {
      // Who has left within the turn gets no answer, and no event tells of it any more.
      if (!request.socket.destroyed) void serveBare(deps, request, response, url, serve);
    });
    return true;
  };
}
