import { Deadlines } from "../../base/async/deadlines.ts";
import type { Clock } from "../../base/clock.ts";
import { packChunk } from "../../base/pack-chunk.ts";
import type { Timeouts, Upstream } from "../../catalog/catalog.ts";
import { silentLog } from "../../observe/log.ts";
import type { UpstreamFailure } from "../call.ts";
import { TransportCall } from "./transport-call.ts";
import { createConnectionPool } from "./transport-connections.ts";

/** A person waits for the result. */
const TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteStreamMs: 10_000,
  firstBytePlainMs: 10_000,
  idleMs: 5_000,
  totalMs: 15_000,
};

/** A request as it is written. */
export interface WrittenRequest {
  readonly method: "GET" | "POST" | "PUT";
  /** Behind the host. */
  readonly path: string;
  /** A flat list. */
  readonly headers: readonly string[];
  readonly body: string | undefined;
  /** The limit of the response; the rest is not read. */
  readonly maxBytes: number;
}

export interface OneResponse {
  readonly status: number;
  readonly body: Buffer;
  /** True if the body is all of it. */
  readonly isWhole: boolean;
}

/** Asks on a connection of its own. Rejects with what is wrong where no response comes. */
export async function exchangeOnce(
  given: Upstream,
  { method, path, headers, body, maxBytes }: WrittenRequest,
  clock: Clock,
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
      const options = { streamed: false, repeatable: false, deadlines, clock, log: silentLog };
      const call = new TransportCall(receiver, { upstream, ...options });
      call.dispatch(lines.to(upstream), () => ({
        method,
        path,
        headers: ["accept-encoding", "identity", "user-agent", "faregate", ...headers],
        body: body ?? null,
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
