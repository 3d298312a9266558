import type { IncomingMessage } from "node:http";
import { GatewayError } from "../../errors.ts";
import { bearerOf } from "../credentials.ts";
import type { HttpDeps } from "../deps.ts";
import { sendJson } from "../endpoint.ts";
import { isLocalCaller } from "../metrics-access.ts";
import { ALIVE, readiness } from "../probes.ts";
import type { Router } from "../router.ts";
import { sendPage, wantsPage } from "./dashboard.ts";

/** Probes and the root: a page to browsers; what balancers, monitors and curious people ask for without a key. */
export function plainRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/", async (context) => {
    if (wantsPage(context)) return sendPage(context);
    sendJson(context, 200, {
      name: "faregate",
      version: deps.version,
      documentation: "/docs",
      openapi: "/openapi.json",
      models: "/v1/models",
    });
  });

  router.endpoint(["GET", "HEAD"], "/healthz", (context) => sendJson(context, ALIVE.status, ALIVE.body));

  router.endpoint(["GET", "HEAD"], "/readyz", async (context) => {
    const { status, body } = await readiness(deps.notReady);
    sendJson(context, status, body);
  });

  router.endpoint(["GET", "HEAD"], "/metrics", async (context) => {
    expectMonitor(context.request.raw, deps);
    if (deps.catalog.current().settings.metricsAddress !== null)
      throw new GatewayError(
        "not_found",
        "Metrics are served at an address of their own, which settings.metrics_address names.",
      );
    const text = await deps.metrics.text();
    // No page of another origin reads it, whatever it was asked with.
    context.raw.writeHead(200, {
      "x-request-id": context.request.id,
      "content-type": deps.metrics.contentType,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    context.raw.end(text);
  });
}

/** They tell of money, models and upstreams, and the port is the callers'. */
function expectMonitor(request: IncomingMessage, { isMetricsToken }: HttpDeps): void {
  const token = bearerOf(request.headers.authorization);
  if (isLocalCaller(request) || (token !== undefined && isMetricsToken(token))) return;
  throw new GatewayError(
    "not_found",
    "There is nothing here for you. Metrics are for monitors on the gateway's own machine, or with settings.metrics_token.",
  );
}
