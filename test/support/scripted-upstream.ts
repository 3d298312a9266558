import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** A request as it stood on the wire. */
export interface WireRequest {
  readonly line: string;
  /** Names in lower case, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly socket: Socket;
}

export interface ScriptedUpstream {
  readonly url: string;
  readonly requests: WireRequest[];
  /** Connections open now, as this side sees them. */
  readonly open: ReadonlySet<Socket>;
  /** Connections ever made. */
  readonly accepted: () => number;
  close(): Promise<void>;
}

/**
 * An upstream made of raw bytes, so that it can misbehave in every way: `script` is called with each
 * complete request and writes whatever it likes to the socket.
 */
export async function scriptedUpstream(script: (request: WireRequest) => void): Promise<ScriptedUpstream> {
  const open = new Set<Socket>();
  const requests: WireRequest[] = [];
  let accepted = 0;
  const server: Server = createServer((socket) => {
    accepted += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => undefined);
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const request = parse(received, socket);
      if (request === undefined) return;
      received = Buffer.alloc(0);
      requests.push(request);
      script(request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    open,
    accepted: () => accepted,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function parse(received: Buffer, socket: Socket): WireRequest | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [line = "", ...rest] = received.toString("latin1", 0, end).split("\r\n");
  const headers = rest.map((text) => {
    const colon = text.indexOf(":");
    return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()] as const;
  });
  const length = Number(headers.find(([name]) => name === "content-length")?.[1] ?? 0);
  const body = received.subarray(end + 4);
  return body.length < length ? undefined : { line, headers, body, socket };
}
