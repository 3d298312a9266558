import type { Server, ServerResponse } from "node:http";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { createConnections } from "./connections.ts";

export interface MetricsServerOptions {
  /** host:port to serve at, or null; asked again every few seconds, as it is a setting of the catalog. */
  readonly address: () => string | null;
  readonly metrics: Metrics;
  /** See `readiness`. */
  readonly notReady: () => Promise<string | undefined>;
  readonly log: Log;
  readonly errorType: string;
}

const LOOK_EVERY_MS = 5_000;

/**
 * Serves /metrics on an address of its own while the settings name one, so that callers cannot read it. The probes
 * are there too, for a process that only works: it has no other address. Its callers are bounded as those of the public port.
 */
export function serveMetrics(options: MetricsServerOptions): { close(): Promise<void> } {
  const { address, log } = options;
  const connections = createConnections(options);
  let refused: string | undefined;
  let current: { readonly address: string; readonly server: Server } | undefined;

  const check = (): void => {
    const wanted = address();
    if (wanted === (current?.address ?? null)) return;
    current?.server.close();
    current = undefined;
    if (wanted !== null) current = { address: wanted, server: open(wanted) };
  };
  const open = (at: string): Server => {
    const server = connections.open((request, response) => {
      respond(options, request.url?.split("?", 1)[0] ?? "", response).catch(() =>
        response.writeHead(500).end(),
      );
    });
    const colon = at.lastIndexOf(":");
    server.on("error", (err) => {
      // Another process of this machine may have the address: tried again at each look, told once.
      if (refused !== at)
        log.error(
          { err, address: at },
          "metrics address could not be opened; check settings.metrics_address",
        );
      refused = at;
      if (current?.server === server) current = undefined;
    });
    server.on("listening", () => {
      refused = undefined;
    });
    try {
      server.listen(Number(at.slice(colon + 1)), at.slice(0, colon).replace(/^\[|\]$/g, ""));
    } catch (error) {
      // Node throws what is no port; a setting that an older version let in is no reason to end either.
      process.nextTick(() => server.emit("error", error));
    }
    return server;
  };

  check();
  const timer = setInterval(check, LOOK_EVERY_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      const server = current?.server;
      if (server === undefined) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(
  { metrics, notReady }: MetricsServerOptions,
  path: string,
  response: ServerResponse,
): Promise<void> {
  switch (path) {
    case "/metrics": {
      const text = await metrics.text();
      response.writeHead(200, { "content-type": metrics.contentType }).end(text);
      return;
    }
    case "/healthz":
      return sendProbe(response, ALIVE);
    case "/readyz":
      return sendProbe(response, await readiness(notReady));
    default:
      response.writeHead(404).end();
  }
}

function sendProbe(response: ServerResponse, { status, body }: ProbeResponse): void {
  const type = "application/json; charset=utf-8";
  response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
}

/** The response of a probe: the status, and a body of JSON. */
export interface ProbeResponse {
  readonly status: 200 | 503;
  readonly body: object;
}

/** To `/healthz`: whoever can say so lives. */
export const ALIVE: ProbeResponse = { status: 200, body: { status: "ok" } };

/** To `/readyz`. `notReady` says why the process should get no work now; undefined where nothing is wrong. */
export async function readiness(notReady: () => Promise<string | undefined>): Promise<ProbeResponse> {
  const reason = await notReady();
  return reason === undefined
    ? { status: 200, body: { status: "ready" } }
    : { status: 503, body: { status: "not_ready", reason } };
}
