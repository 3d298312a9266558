import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The caller's address: the connection's, or what trusted proxies say in x-forwarded-for, read from the right
 * up to the first address that is not a trusted proxy's.
 */
export function addressOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const header = request.headers["x-forwarded-for"];
  const told = [header ?? ""].flat().join(",").split(",");
  let address = plain(request.socket.remoteAddress ?? "");
  while (isTrusted(address, trustedProxies)) {
    const before = plain(told.pop()?.trim() ?? "");
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

function isTrusted(address: string, trustedProxies: readonly string[]): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return trustedProxies.some((proxy) => {
    const [range, bits] = proxy.includes("/") ? ipaddr.parseCIDR(proxy) : wholeAddress(proxy);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  });
}

function wholeAddress(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.parse(address);
  return [parsed, parsed.kind() === "ipv4" ? 32 : 128];
}

/** `::ffff:10.0.0.1` is 10.0.0.1. */
function plain(address: string): string {
  return isIP(address) === 0 ? address : ipaddr.process(address).toString();
}
