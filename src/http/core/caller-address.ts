import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { plainAddress, readCidr } from "../../base/fetch/safe-fetch-address.ts";

/**
 * The caller's address: the connection's, or what trusted proxies say in x-forwarded-for, read from the right
 * up to the first address that is not a trusted proxy's.
 */
export function addressOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const header = request.headers["x-forwarded-for"];
  const values = [header ?? ""].flat().join(",").split(",");
  let address = plain(request.socket.remoteAddress ?? "");
  while (isTrusted(address, trustedProxies)) {
    const before = values.pop()?.trim() ?? "";
    if (isIP(before) === 0) break;
    address = plain(before);
  }
  return address;
}

function plain(address: string): string {
  return plainAddress(address) ?? address;
}

function isTrusted(address: string, trustedProxies: readonly string[]): boolean {
  return trustedProxies.some((proxy) => readCidr(proxy)?.(address) === true);
}
