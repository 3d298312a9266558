import { packChunk } from "../base/pack-chunk.ts";
import type { Timeouts } from "../catalog/catalog.ts";
import type { AskOutcome, UpstreamAsk, UpstreamFailure, UpstreamResponse } from "./call.ts";
import { kindOf } from "./kinds.ts";
import { openSecretFilter, type SecretFilter, sentSecrets } from "./scrub/sent-secrets.ts";
import type { TaskApiRequest } from "./task-apis/task-api.ts";
import { credentialHeader } from "./transport/headers.ts";

/** A task's record is a few KB, and a batch holds at most a hundred. */
const RECORD_BYTES = 4 * 1024 * 1024;

/** The largest image of the tables, 3840x2160, comes to 33 MB as base64 where it does not compress. */
const MEDIA_BYTES = 64 * 1024 * 1024;

/** A vendor's record is a look into its database. */
const READ_MS = 30_000;

/** The largest bodies, 64 MB of data URLs, take most of a minute on a slow line before the vendor begins. */
const SUBMIT_MS = 120_000;

/** Bounds of such a request: never above the upstream's own, which hold for what may be large (`inRoom`) once it has begun. */
export function askTimeouts(
  own: Timeouts,
  { method, responsesWithMedia, mostMs }: TaskApiRequest,
  inRoom: boolean,
): Timeouts {
  if (responsesWithMedia) return own;
  const totalMs = mostMs ?? (method === "GET" ? READ_MS : SUBMIT_MS);
  return {
    ...own,
    firstBytePlainMs: Math.min(own.firstBytePlainMs, totalMs),
    totalMs: inRoom ? own.totalMs : Math.min(own.totalMs, totalMs),
  };
}

/**
 * The path of the request. Task APIs name their whole path, version included; a base URL that ends in that version
 * already, as some vendors' SDKs require it, is the same address.
 */
export function askPath(prefix: string, path: string): string {
  return path.startsWith(`${prefix}/`) ? path : prefix + path;
}

/** Headers of such a request as a flat list; the request's own come last and win. Throws RangeError. */
export function askHeaders({ upstream, credential, requestId, request }: UpstreamAsk): string[] {
  const kind = kindOf(upstream.kind);
  if (kind === undefined) throw new RangeError(`no kind is named ${upstream.kind}`);
  const headers = new Map([
    ["accept", "application/json"],
    ["accept-encoding", "identity"],
    ["user-agent", "faregate"],
    ["x-request-id", requestId],
  ]);
  if (request.body !== undefined || request.json !== undefined)
    headers.set("content-type", "application/json");
  for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name.toLowerCase(), value);
  const key = credential === null ? [] : credentialHeader(credential, kind);
  // Headers that the request signs or sets itself are not sent twice.
  const more = Object.entries(upstream.options?.headers ?? {}).filter(([name]) => !headers.has(name));
  return [...headers, ...more.map(([name, { value }]) => [name, value])].flat().concat(key);
}

/** The bytes of its body; null = it has none. */
export function askBody({ body, json }: TaskApiRequest): Uint8Array | null {
  return body ?? (json === undefined ? null : Buffer.from(JSON.stringify(json)));
}

/** Takes what such a request was sent with out of its response, of which tasks, assets and their callers are told. */
export function sentWith({
  upstream,
  credential,
}: Pick<UpstreamAsk, "upstream" | "credential">): SecretFilter {
  // A request that carries a signature is signed with one of them.
  const sent = credential === null ? upstream.credentials : [credential];
  return openSecretFilter(sent.flatMap((each) => sentSecrets({ upstream, credential: each })));
}

export interface Collecting {
  readonly resolve: (outcome: AskOutcome) => void;
  readonly secrets: SecretFilter;
  /** The upstream's, for messages. */
  readonly name: string;
  /** Ends the attempt from our side. */
  readonly refuse: (failure: UpstreamFailure) => void;
  /** False: so many bytes are too many. Absent = the request's own bound. */
  readonly holds?: ((bytes: number) => boolean) | undefined;
}

/** Gathers the whole response within the bound of its request. */
export function collectResponse({ responsesWithMedia }: TaskApiRequest, to: Collecting): UpstreamResponse {
  const mostBytes = responsesWithMedia ? MEDIA_BYTES : RECORD_BYTES;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let status = 0;
  let headers: Readonly<Record<string, string>> = {};
  return {
    head(answered, list) {
      status = answered;
      headers = list.all();
    },
    data(chunk) {
      bytes += chunk.length;
      if (to.holds?.(bytes) ?? bytes <= mostBytes) packChunk(chunks, chunk, bytes);
      else {
        const most = to.holds === undefined ? `${mostBytes / 1024 / 1024} MB` : "the gateway accepts";
        to.refuse({
          kind: "protocol",
          phase: "body",
          message: `${to.name} returned more than ${most}.`,
        });
      }
    },
    ended() {
      const body = Buffer.concat(to.secrets.without(chunks));
      to.resolve({ type: "answered", response: { status, headers, body } });
    },
    failed: (failure) => to.resolve({ type: "failed", failure }),
  };
}
