import { setMaxListeners } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { consoleRoutes } from "./console/routes.ts";
import { createConnections } from "./core/connections.ts";
import { createRouter, type Router } from "./core/router.ts";
import type { HttpDeps } from "./deps.ts";
import { receiptRoutes, webhookRoutes } from "./routes/account.ts";
import { capabilityRoutes } from "./routes/capabilities.ts";
import { dashboardRoutes } from "./routes/dashboard.ts";
import { docsRoutes } from "./routes/docs.ts";
import { mediaRoutes } from "./routes/media.ts";
import { modelRoutes } from "./routes/models.ts";
import { nativeRoutes } from "./routes/native.ts";
import { plainRoutes } from "./routes/plain.ts";
import { storedResponseRoutes } from "./routes/stored-responses.ts";
import { assetRoutes, imageRoutes, videoRoutes } from "./routes/tasks.ts";
import { textFastPath, textRoutes } from "./routes/text.ts";

export interface HttpServer {
  /** Opens the port and gives it: port 0 asks for any. Rejects where it cannot be had. */
  listen(host: string, port: number): Promise<number>;
  /** Takes no new connections and ends idle ones; resolves once the last has ended. */
  close(): Promise<void>;
  /** Ends every connection, whatever runs on it. */
  cut(): void;
  /** Requests that have arrived and are not answered whole; a text request whose caller has left is only the relay's. */
  running(): number;
}

const ROUTES: readonly ((router: Router, deps: HttpDeps) => void)[] = [
  ...[plainRoutes, textRoutes, storedResponseRoutes, modelRoutes, nativeRoutes, receiptRoutes, webhookRoutes],
  ...[capabilityRoutes, imageRoutes, videoRoutes, assetRoutes, mediaRoutes],
  ...[consoleRoutes, dashboardRoutes, docsRoutes],
];

/** Builds the server; every route answers errors in its own protocol's shape. */
export function createHttpServer(deps: HttpDeps): HttpServer {
  const shortcut = textFastPath(deps);
  const connections = createConnections(deps);
  // One for each caller who waits for a task.
  setMaxListeners(0, deps.stopping);
  const router = createRouter(deps);
  for (const register of ROUTES) register(router, deps);
  const server = connections.open((request, response) => {
    if (!shortcut(request, response)) router.serve(request, response);
  });
  return {
    listen: (host, port) => listen(server, host, port),
    close() {
      router.close();
      return new Promise((resolve, reject) => {
        server.close((error) => {
          if (error === undefined || hasCode(error, "ERR_SERVER_NOT_RUNNING")) resolve();
          else reject(error);
        });
        server.closeIdleConnections();
      });
    },
    cut: () => server.closeAllConnections(),
    running: connections.running,
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function hasCode(error: NodeJS.ErrnoException, code: string): boolean {
  return error.code === code;
}
