import { appendAll } from "../../base/append-all.ts";
import type { Credential, Upstream } from "../../catalog/catalog.ts";
import type { UpstreamOptions } from "../../catalog/upstream-options.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { Access } from "../access/access.ts";
import { sentBetas } from "../betas.ts";
import type { CallerHeaders, Candidate, UpstreamRequest } from "../call.ts";
import type { HeaderSpelling } from "./header-spelling.ts";

const perCredential = new WeakMap<Credential, readonly string[]>();

/**
 * Request headers as a flat list of names and values. Only what is named here reaches an upstream:
 * the caller's version and betas (where the protocol knows them), the request's id, our own, and the operator's. Whoever is let
 * in by `access` adds what that says.
 */
export function requestHeaders(
  call: UpstreamRequest,
  spelling: HeaderSpelling,
  bodyBytes: number,
  access?: Access,
): string[] {
  const { candidate, headers } = call;
  const list = [...(access === undefined ? fixedHeaders(candidate, spelling) : PLAIN_HEADERS)];
  const streamType = spelling.streamTypes?.[candidate.protocol] ?? "text/event-stream";
  list.push("accept", call.streamed && !call.arrayStream ? streamType : "application/json");
  list.push("x-request-id", call.requestId);
  list.push("content-length", String(bodyBytes));
  const { version } = PROTOCOLS[candidate.protocol].endpoint;
  if (version !== undefined) {
    list.push(spelling.versionHeader, headers.version ?? version);
    const betas = sentBetas(headers.betas, candidate.upstream);
    if (betas) list.push(spelling.betaHeader, betas);
  }
  if (candidate.upstream.options !== undefined) appendAll(list, ownHeaders(candidate.upstream));
  return list;
}

const perUpstream = new WeakMap<UpstreamOptions, readonly string[]>();

/** Headers of the operator's own. */
export function ownHeaders({ options }: Pick<Upstream, "options">): readonly string[] {
  if (options?.headers === undefined) return [];
  let list = perUpstream.get(options);
  if (list === undefined) {
    list = Object.entries(options.headers).flatMap(([name, { value }]) => [name, value]);
    perUpstream.set(options, list);
  }
  return list;
}

/** The version and betas alone; none in a protocol that knows no versions. */
export function versionHeaders(
  { protocol, upstream }: Pick<Candidate, "protocol" | "upstream">,
  spelling: HeaderSpelling,
  { version = PROTOCOLS[protocol].endpoint.version, betas: asked }: CallerHeaders,
): Readonly<Record<string, string>> {
  if (PROTOCOLS[protocol].endpoint.version === undefined || version === undefined) return {};
  const headers: Record<string, string> = { [spelling.versionHeader]: version };
  const betas = sentBetas(asked, upstream);
  if (betas) headers[spelling.betaHeader] = betas;
  return headers;
}

/**
 * The headers that are the same for every request under a credential: made once, since the catalog's objects never
 * change.
 */
function fixedHeaders({ credential, protocol }: Candidate, spelling: HeaderSpelling): readonly string[] {
  if (spelling.authAt?.[protocol] !== undefined)
    return [...credentialHeader(credential, spelling, protocol), ...PLAIN_HEADERS];
  let list = perCredential.get(credential);
  if (list === undefined) {
    list = [...credentialHeader(credential, spelling), ...PLAIN_HEADERS];
    perCredential.set(credential, list);
  }
  return list;
}

/** Responses are metered as they pass, so they must not come compressed. */
const PLAIN_HEADERS = [
  ...["content-type", "application/json", "accept-encoding", "identity", "user-agent", "faregate"],
];

/** The credential as the kind wants it; nothing for an upstream that wants none. */
export function credentialHeader(
  credential: Credential,
  spelling: HeaderSpelling,
  protocol?: ProtocolName,
): readonly string[] {
  if (credential.secret === "") return [];
  const key = spelling.keyIn?.(credential.secret) ?? credential.secret;
  const auth = (protocol && spelling.authAt?.[protocol]) ?? spelling.auth;
  return auth === "bearer" ? ["authorization", `Bearer ${key}`] : [auth, key];
}
