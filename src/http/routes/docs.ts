import swagger, { type StaticDocumentSpec } from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import type { HttpDeps } from "../deps.ts";
import { endpoint, sendJson } from "../endpoint.ts";
import { openApi } from "../openapi.ts";

type StaticDocument = StaticDocumentSpec["document"];

/** The description of the API for machines and, as a page, for people. */
export async function docsRoutes(app: FastifyInstance, deps: HttpDeps): Promise<void> {
  // The plugin types OpenAPI 3.0 and 2.0 only; ours is 3.1, which it passes on as it is.
  const document = openApi(deps.version, deps.console.operations);
  endpoint(app, deps, ["GET", "HEAD"], "/openapi.json", (visit) => sendJson(visit, 200, document));
  await app.register(async (docs) => {
    // These answers are the framework's own, so nobody else puts the request's id on them.
    docs.addHook("onRequest", async (request, reply) => {
      reply.header("x-request-id", request.id);
    });
    // Nor does the plugin serve HEAD, by which monitors and checkers of links ask; the framework leaves out the body.
    docs.addHook("onRoute", (route) => {
      if (route.method === "GET") route.method = ["GET", "HEAD"];
    });
    await docs.register(swagger, {
      mode: "static",
      specification: { document: document as unknown as StaticDocument },
    });
    await docs.register(swaggerUi, {
      routePrefix: "/docs",
      uiConfig: { url: "/openapi.json", deepLinking: true },
    });
  });
}
