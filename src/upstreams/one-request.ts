import { Deadlines } from "../base/async/deadlines.ts";
import type { Clock } from "../base/clock.ts";
import { packChunk } from "../base/pack-chunk.ts";
import type { Credential, Timeouts, Upstream } from "../catalog/catalog.ts";
import { silentLog } from "../observe/log.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import type { UpstreamFailure } from "./call.ts";
import type { UpstreamKind } from "./kinds.ts";
import { credentialHeader, ownHeaders } from "./transport/headers.ts";
import { TransportCall } from "./transport/transport-call.ts";
import { createConnectionPool } from "./transport/transport-connections.ts";

/** A person waits for the result. */
const TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteStreamMs: 10_000,
  firstBytePlainMs: 10_000,
  idleMs: 5_000,
  totalMs: 15_000,
};

/** A request that no vendor bills. */
export interface OneRequest {
  readonly method: "GET" | "POST";
  /** Below the base URL. */
  readonly path: string;
  /** Of the response; more is not read. */
  readonly maxBytes: number;
}

export interface OneResponse {
  readonly status: number;
  readonly body: Buffer;
  /** Whether the body is all of it. */
  readonly isWhole: boolean;
}

interface RequestParts {
  readonly upstream: Upstream;
  readonly credential: Credential;
  readonly kind: UpstreamKind;
  readonly clock: Clock;
}

/** Asks on a connection of its own. Rejects with what is wrong where no response comes. */
export async function requestOnce(
  { method, path, maxBytes }: OneRequest,
  { upstream: given, credential, kind, clock }: RequestParts,
): Promise<OneResponse> {
  const upstream = { ...given, timeouts: TIMEOUTS };
  const deadlines = new Deadlines<TransportCall>(clock);
  const lines = createConnectionPool(silentLog);
  try {
    return await new Promise<OneResponse>((resolve, reject) => {
      let status = 0;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const give = (isWhole: boolean): void => resolve({ status, body: Buffer.concat(chunks), isWhole });
      const receiver = {
        head(answered: number) {
          status = answered;
        },
        data(chunk: Buffer) {
          bytes += chunk.length;
          packChunk(chunks, chunk, bytes);
          if (bytes >= maxBytes) give(false);
        },
        ended: () => give(true),
        failed: ({ message, advice }: UpstreamFailure) =>
          reject(new Error(advice === undefined ? message : `${message} ${advice}`)),
      };
      const options = { streamed: false, repeatable: false, deadlines, log: silentLog };
      const call = new TransportCall(receiver, { upstream, ...options });
      call.dispatch(lines.to(upstream), (prefix) => ({
        method,
        path: prefix + path,
        headers: [
          ...["accept", "application/json", "accept-encoding", "identity", "user-agent", "faregate"],
          ...versionOf(kind),
          ...credentialHeader(credential, kind),
          ...ownHeaders(upstream),
          ...(method === "POST" ? ["content-type", "application/json"] : []),
        ],
        body: method === "POST" ? "{}" : null,
        headersTimeout: 0,
        bodyTimeout: 0,
      }));
      call.sent();
    });
  } finally {
    for (const call of deadlines.running()) call.abort();
    deadlines.close();
    lines.close();
  }
}

/** A list of models wants the version of the protocols that have one. */
function versionOf({ protocols, versionHeader }: UpstreamKind): readonly string[] {
  for (const protocol of protocols) {
    const { version } = PROTOCOLS[protocol].endpoint;
    if (version !== undefined) return [versionHeader, version];
  }
  return [];
}
