import type { IncomingMessage } from "node:http";
import { plainAddress } from "../../base/fetch/safe-fetch-address.ts";
import { GatewayError } from "../../errors.ts";
import { bearerOf } from "../core/credentials.ts";
import { sendJson } from "../core/endpoint.ts";
import { ALIVE, readiness } from "../core/metrics-server.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
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
    "Not found. Metrics are only available locally, or with settings.metrics_token.",
  );
}

/**
 * True if a request was made on this machine for this machine. A proxy that runs here asks from the same address on behalf of
 * anybody, and so does a browser for a page of any site: what either adds to a request shows that it is one of those.
 */
function isLocalCaller({ socket, headers }: IncomingMessage): boolean {
  return (
    isLoopback(socket.remoteAddress ?? "") &&
    !Object.keys(headers).some((name) => name.startsWith("x-forwarded") || FORWARDERS.has(name)) &&
    headers.origin === undefined &&
    OWN_SITES.has(headers["sec-fetch-site"] ?? "none") &&
    isLocalHost(headers.host)
  );
}

const OWN_SITES: ReadonlySet<unknown> = new Set(["none", "same-origin"]);

/** Headers by which proxies and networks in front of one say for whom they ask. */
const FORWARDERS: ReadonlySet<string> = new Set([
  ...["forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-forwarded-for"],
  ...["true-client-ip", "cf-connecting-ip", "cf-ray", "fastly-client-ip", "fly-client-ip"],
  ...["x-envoy-external-address", "x-appengine-user-ip", "x-azure-clientip", "x-original-host", "cdn-loop"],
]);

/** A page whose name was made to mean this machine asks under that name. Without the header it is no browser. */
function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || isLoopback(name.replace(/^\[(.*)\]$/, "$1"));
}

function isLoopback(text: string): boolean {
  // An address in four parts only: others spell one with fewer or in hex, and nobody who means this machine does.
  if (!text.includes(":") && !/^\d+(\.\d+){3}$/.test(text)) return false;
  const address = plainAddress(text);
  return address !== undefined && (address === "::1" || address.startsWith("127."));
}
