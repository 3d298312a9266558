import { isIP, type Socket } from "node:net";
import { createSecureContext, rootCertificates } from "node:tls";
import { buildConnector } from "undici";
import { definedFields } from "../../base/defined-fields.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { openTunnel } from "./tunnel.ts";

/** One connection by a connector, to any server. */
export function connectBy(
  connect: buildConnector.connector,
  { protocol, hostname, port }: URL,
): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const servername = isIP(host) === 0 ? host : undefined;
  return new Promise((resolve, reject) => {
    connect(definedFields({ protocol, hostname: host, port, servername }), (...[failure, socket]) => {
      if (failure === null) resolve(socket);
      else reject(failure);
    });
  });
}

/**
 * Opens the connections to one upstream: through its proxy if it has one, and then in no other way, as what the proxy can't
 * reach must not be reached past it. `ca`: certificates that are trusted beside the public ones.
 */
export function connectorTo(upstream: Upstream, ca: string | undefined): buildConnector.connector {
  const timeout = upstream.timeouts.connectMs;
  const secureContext = ca === undefined ? undefined : createSecureContext({ ca: [...rootCertificates, ca] });
  const direct = buildConnector(definedFields({ timeout, allowH2: false, secureContext }));
  const proxy = upstream.options?.proxy?.value;
  if (proxy === undefined) return direct;
  return (options, callback) => {
    const isSecure = options.protocol === "https:";
    const port = Number(options.port) || (isSecure ? 443 : 80);
    const host = options.hostname.replace(/^\[|\]$/g, "");
    openTunnel(new URL(proxy), { host, port }, { timeoutMs: timeout, secureContext }).then(
      (socket) => (isSecure ? direct({ ...options, httpSocket: socket }, callback) : callback(null, socket)),
      (error: Error) => callback(error, null),
    );
  };
}
