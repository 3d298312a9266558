import { createSecureContext, rootCertificates } from "node:tls";
import { buildConnector } from "undici";
import { definedFields } from "../../base/defined-fields.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { openTunnel } from "./tunnel.ts";

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
