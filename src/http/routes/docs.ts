import swagger, { type StaticDocumentSpec } from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import type { HttpDeps } from "../deps.ts";
import { endpoint, sendJson } from "../endpoint.ts";
import { openApi } from "../openapi.ts";
import { PAGE_HEADERS } from "../page-headers.ts";

type StaticDocument = StaticDocumentSpec["document"];

/** The description of the API for machines and, as a page, for people. */
export async function docsRoutes(app: FastifyInstance, deps: HttpDeps): Promise<void> {
  // Made when somebody asks: it costs a quarter of a second of computing, and most starts are never asked.
  let made: ReturnType<typeof openApi> | undefined;
  const document = (): ReturnType<typeof openApi> => {
    made ??= openApi(deps.version, deps.console.operations);
    return made;
  };
  endpoint(app, deps, ["GET", "HEAD"], "/openapi.json", (context) => sendJson(context, 200, document()));
  await app.register(async (docs) => {
    // These answers are the framework's own, so nobody else puts the request's id and the headers of pages on them.
    docs.addHook("onRequest", async (request, reply) => {
      reply.headers({ ...PAGE_HEADERS, "x-request-id": request.id });
    });
    // Nor does the plugin serve HEAD, by which monitors and checkers of links ask; the framework leaves out the body.
    docs.addHook("onRoute", (route) => {
      if (route.method === "GET") route.method = ["GET", "HEAD"];
    });
    // The page's plugin wants the other, whose document is never seen: it types OpenAPI 3.0 and 2.0, ours is 3.1.
    await docs.register(swagger, { mode: "static", specification: { document: {} as StaticDocument } });
    await docs.register(swaggerUi, {
      routePrefix: "/docs",
      uiConfig: { url: "/openapi.json", deepLinking: true, validatorUrl: null, layout: "BaseLayout" },
      transformSpecification: document,
      transformSpecificationClone: false,
    });
  });
}
