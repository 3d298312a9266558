import { setMaxListeners } from "node:events";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { GatewayError } from "../errors.ts";
import { createConnections } from "./connections.ts";
import { consoleRoutes } from "./console/routes.ts";
import type { HttpDeps } from "./deps.ts";
import { serveRequest } from "./endpoint.ts";
import { nearbyPath } from "./nearby-path.ts";
import { normalPath } from "./normal-path.ts";
import { requestId } from "./request-id.ts";
import { preflightHeaders } from "./response-headers.ts";
import { assetRoutes } from "./routes/assets.ts";
import { capabilityRoutes } from "./routes/capabilities.ts";
import { dashboardRoutes } from "./routes/dashboard.ts";
import { docsRoutes } from "./routes/docs.ts";
import { imageRoutes } from "./routes/images.ts";
import { mediaRoutes } from "./routes/media.ts";
import { modelRoutes } from "./routes/models.ts";
import { nativeRoutes } from "./routes/native.ts";
import { plainRoutes } from "./routes/plain.ts";
import { receiptRoutes } from "./routes/receipts.ts";
import { storedResponseRoutes } from "./routes/stored-responses.ts";
import { textFastPath, textRoutes } from "./routes/text.ts";
import { videoRoutes } from "./routes/videos.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

export interface HttpServer {
  readonly app: FastifyInstance;
  /** Requests that have arrived and are not answered whole; a text request whose caller has left is only the relay's. */
  running(): number;
}

/** Builds the server; every route answers errors in its own protocol's shape. */
export async function createHttpServer(deps: HttpDeps): Promise<HttpServer> {
  const shortcut = textFastPath(deps);
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    return serveRequest(deps, request, reply.raw, () => {
      throw error instanceof GatewayError || !isClientFault(error) ? error : badRequest(error);
    });
  };
  const connections = createConnections(deps);
  // One for each caller who waits for a task.
  setMaxListeners(0, deps.stopping);
  const app = Fastify({
    serverFactory: (handler) =>
      connections.open((request, response) => {
        if (!shortcut(request, response)) handler(request, response);
      }),
    rewriteUrl: (request) => normalPath(request.url ?? "/"),
    genReqId: requestId,
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 10_000 },
    return503OnClosing: false,
    // No route has a schema of the framework's: its compilers would cost every start a tenth of a second.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // Paths that are no text or too long: the framework's own answer has no shape of ours.
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
    clientErrorHandler: connections.broken,
  });
  // Bodies are read by the routes that want them, as raw bytes, whatever they are called: to the framework, which
  // would refuse a type that is none, no method has one.
  for (const method of app.supportedMethods)
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  app.addHook("onRequest", (request, reply, done) => {
    if (request.method === "OPTIONS") {
      reply.hijack();
      reply.raw.writeHead(204, { ...preflightHeaders(request.raw), "x-request-id": request.id }).end();
      return;
    }
    done();
  });
  app.setErrorHandler(refuse);
  const patterns = new Set<string>();
  app.addHook("onRoute", ({ url }) => void patterns.add(url));
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    return serveRequest(deps, request, reply.raw, () => {
      const path = request.url.split("?", 1)[0] ?? "/";
      const near = nearbyPath(path.slice(0, 200), [...patterns]) ?? "see /docs for those there are";
      throw new GatewayError(
        "not_found",
        `There is no endpoint ${request.method} ${path.slice(0, 200)}; ${near}.`,
      );
    });
  });

  plainRoutes(app, deps);
  textRoutes(app, deps);
  storedResponseRoutes(app, deps);
  modelRoutes(app, deps);
  nativeRoutes(app, deps);
  receiptRoutes(app, deps);
  webhookRoutes(app, deps);
  capabilityRoutes(app, deps);
  imageRoutes(app, deps);
  videoRoutes(app, deps);
  assetRoutes(app, deps);
  mediaRoutes(app, deps);
  consoleRoutes(app, deps);
  dashboardRoutes(app, deps);
  await docsRoutes(app, deps);
  return { app, running: connections.running };
}

function noSchemas(): never {
  throw new Error("a route has a schema of the framework's, which has no compiler");
}

function isClientFault(error: unknown): error is Error {
  const status = (error as { statusCode?: unknown }).statusCode;
  return typeof status === "number" && status >= 400 && status < 500;
}

function badRequest(cause: Error): GatewayError {
  return new GatewayError("invalid_request", `The request cannot be read: ${cause.message}`, { cause });
}
