import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

/** A request as an upstream received it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A response to give: its body leaves piece by piece, each in a write of its own. */
export interface GivenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Uint8Array[];
}

export interface ReplayUpstream {
  readonly url: string;
  close(): Promise<void>;
}

/** An upstream on a free port that gives whatever `answer` says. */
export async function startReplayUpstream(
  answer: (request: ReceivedRequest) => GivenResponse,
): Promise<ReplayUpstream> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const received = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) };
      void give(response, answer(received));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function give(response: ServerResponse, { status, headers, pieces }: GivenResponse): Promise<void> {
  response.writeHead(status, headers);
  response.socket?.setNoDelay(true);
  for (const piece of pieces) {
    response.write(piece);
    // Else the pieces would leave joined.
    await new Promise(setImmediate);
  }
  response.end();
}

/** Numbers from 0 up to, not including, 1 that a seed repeats. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Cuts bytes at random places, up to `most` of them. */
export function cutAtRandom(bytes: Buffer, random: () => number, most: number): Buffer[] {
  const cuts = Array.from({ length: Math.floor(random() * (most + 1)) }, () =>
    Math.floor(random() * bytes.length),
  );
  const ends = [...new Set([...cuts, bytes.length])].sort((a, b) => a - b);
  let start = 0;
  return ends.map((end) => {
    const piece = bytes.subarray(start, end);
    start = end;
    return piece;
  });
}
