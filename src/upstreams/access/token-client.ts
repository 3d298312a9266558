import type { Clock } from "../../base/clock.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { exchangeOnce, type OneResponse } from "../transport/exchange-once.ts";
import { AccessFailure } from "./access.ts";

/** A request for a token. */
export interface TokenRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: string;
  /** A flat list. */
  readonly headers: readonly string[];
  readonly body?: string;
  /** To a server of this machine or its host, which no proxy reaches. */
  readonly isLocal?: true;
}

/** Asks whoever gives out tokens. Rejects with AccessFailure where no response comes. */
export type TokenClient = (request: TokenRequest) => Promise<OneResponse>;

/** Responses of those servers are a few KB; lists of roles are longer. */
const MAX_BYTES = 256 * 1024;

/** By the upstream's own way: through its proxy, with its authorities. */
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
