import type { Credential, Upstream } from "../catalog/catalog.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import { type AccessDeps, accessTo } from "./access/known-access.ts";
import type { UpstreamKind } from "./kinds.ts";
import { splitBaseUrl } from "./transport/endpoint-url.ts";
import { exchangeOnce, type OneResponse } from "./transport/exchange-once.ts";
import { credentialHeader, ownHeaders } from "./transport/headers.ts";

/** A request that no vendor bills. */
export interface OneRequest {
  readonly method: "GET" | "POST";
  /** Below the base URL, or below another server's. */
  readonly path: string;
  readonly baseUrl?: string | undefined;
  /** The body of a POST; absent = an empty object. */
  readonly body?: string | undefined;
  /** The limit of the response; the rest is not read. */
  readonly maxBytes: number;
}

interface RequestParts extends AccessDeps {
  readonly upstream: Upstream;
  readonly credential: Credential;
  readonly kind: UpstreamKind;
}

/** Asks under a credential. Rejects with what is wrong where no response comes. */
export async function requestOnce(
  { method, path, baseUrl, body: stated = "{}", maxBytes }: OneRequest,
  { upstream, credential, kind, clock, environment }: RequestParts,
): Promise<OneResponse> {
  const access = accessTo(kind, upstream, credential, { clock, environment });
  await access?.ready();
  const asked = baseUrl === undefined ? upstream : { ...upstream, baseUrl };
  const { origin, prefix } = splitBaseUrl(asked.baseUrl);
  const request = { method, path: prefix + path, body: method === "POST" ? stated : undefined, maxBytes };
  const headers = [
    ...["accept", "application/json"],
    ...versionOf(kind),
    ...ownHeaders(upstream),
    ...(method === "POST" ? ["content-type", "application/json"] : []),
  ];
  const body = method === "POST" ? [Buffer.from(stated)] : [];
  const key = access?.headers({ ...request, origin, headers, body }) ?? credentialHeader(credential, kind);
  return await exchangeOnce(asked, { ...request, headers: [...headers, ...key] }, clock);
}

/** A list of models wants the version of the protocols that have one. */
function versionOf({ protocols, versionHeader }: UpstreamKind): readonly string[] {
  for (const protocol of protocols) {
    const { version } = PROTOCOLS[protocol].endpoint;
    if (version !== undefined) return [versionHeader, version];
  }
  return [];
}
