import type { FastifyInstance } from "fastify";
import type { HttpDeps } from "../deps.ts";
import { endpoint, sendJson } from "../endpoint.ts";
import { ALIVE, readiness } from "../probes.ts";
import { sendPage, wantsPage } from "./dashboard.ts";

/** Probes and the root: a page to browsers; what balancers, monitors and curious people ask for without a key. */
export function plainRoutes(app: FastifyInstance, deps: HttpDeps): void {
  endpoint(app, deps, ["GET", "HEAD"], "/", async (visit) => {
    if (wantsPage(visit)) return sendPage(visit);
    sendJson(visit, 200, {
      name: "faregate",
      version: deps.version,
      documentation: "/docs",
      openapi: "/openapi.json",
      models: "/v1/models",
    });
  });

  endpoint(app, deps, ["GET", "HEAD"], "/healthz", (visit) => sendJson(visit, ALIVE.status, ALIVE.body));

  endpoint(app, deps, ["GET", "HEAD"], "/readyz", async (visit) => {
    const { status, body } = await readiness(deps.notReady);
    sendJson(visit, status, body);
  });

  endpoint(app, deps, ["GET", "HEAD"], "/metrics", async (visit) => {
    if (deps.catalog.current().settings.metricsAddress !== null) {
      return sendJson(visit, 404, {
        error: "metrics are served on their own address (settings.metrics_address)",
      });
    }
    const text = await deps.metrics.text();
    visit.raw.writeHead(200, { ...visit.headers, "content-type": deps.metrics.contentType });
    visit.raw.end(text);
  });
}
