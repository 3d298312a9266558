import type { Clock } from "../../base/clock.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { exchangeOnce } from "../transport/exchange-once.ts";
import { AccessFailure, type TokenClient } from "./access.ts";

/** Responses of those servers are a few KB; lists of roles are longer. */
const MAX_BYTES = 256 * 1024;

/** Uses the upstream's own connection settings: its proxy and its authorities. */
export function createTokenClient(upstream: Upstream, clock: Clock): TokenClient {
  return async ({ method, url, headers, body, isLocal }) => {
    if (!URL.canParse(url)) throw new AccessFailure(`the address for access tokens, ${url}, is no URL`);
    const { origin, pathname, search, host } = new URL(url);
    const options = isLocal ? undefined : upstream.options;
    // Named after the server, since what goes wrong there is told by name.
    const server = { ...upstream, name: host, baseUrl: origin, options };
    const request = { method, path: pathname + search, headers, body, maxBytes: MAX_BYTES };
    try {
      return await exchangeOnce(server, request, clock);
    } catch (error) {
      throw new AccessFailure(`no access token: ${sentencePart(error)}`);
    }
  };
}

function sentencePart(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
