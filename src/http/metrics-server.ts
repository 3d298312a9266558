import { createServer, type Server } from "node:http";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";

export interface MetricsServerOptions {
  /** host:port to serve at, or null; asked again every few seconds, as it is a setting of the catalog. */
  readonly address: () => string | null;
  readonly metrics: Metrics;
  readonly log: Log;
}

const LOOK_EVERY_MS = 5_000;

/** Serves /metrics on an address of its own while the settings name one, so that callers cannot read it. */
export function serveMetrics({ address, metrics, log }: MetricsServerOptions): { close(): Promise<void> } {
  let current: { readonly address: string; readonly server: Server } | undefined;

  const look = (): void => {
    const wanted = address();
    if (wanted === (current?.address ?? null)) return;
    current?.server.close();
    current = undefined;
    if (wanted !== null) current = { address: wanted, server: open(wanted) };
  };
  const open = (at: string): Server => {
    const server = createServer((request, response) => {
      if (request.url?.split("?", 1)[0] !== "/metrics") {
        response.writeHead(404).end();
        return;
      }
      metrics.text().then(
        (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    const colon = at.lastIndexOf(":");
    server.on("error", (err) => {
      log.error(
        { err, address: at },
        "metrics cannot be served at this address; check settings.metrics_address",
      );
      if (current?.server === server) current = undefined;
    });
    server.listen(Number(at.slice(colon + 1)), at.slice(0, colon).replace(/^\[|\]$/g, ""));
    return server;
  };

  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
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
