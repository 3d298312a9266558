import type { IncomingMessage } from "node:http";
import { plainAddress } from "../base/safe-fetch-address.ts";

/**
 * Whether a request was made on this machine for this machine. A proxy that runs here asks from the same address on behalf of
 * anybody, and so does a browser for a page of any site: what either adds to a request shows that it is one of those.
 */
export function isLocalCaller({ socket, headers }: IncomingMessage): boolean {
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
