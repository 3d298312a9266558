import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A proxy of the tests' own, which keeps what it was asked for. */
export interface TestProxy {
  readonly port: number;
  /** Destinations as they were named, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Knows this user and this password. */
export const PROXY_USER = "user";
export const PROXY_PASSWORD = "proxy-password-1234";

/** An HTTP proxy that tunnels, and nothing else. `names`: ports of names that it alone can resolve. */
export async function httpProxy(names: Readonly<Record<string, number>> = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const expected = `Basic ${Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString("base64")}`;
  const server = createHttpServer((_, response) => response.writeHead(405).end());
  server.on("connect", (request, client: Socket, head: Buffer) => {
    const authority = request.url ?? "";
    asked.push(authority);
    if (request.headers["proxy-authorization"] !== expected)
      return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(authority) ?? [];
    tunnel(client, host, Number(port), names, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      return head;
    });
  });
  return listening(server, asked);
}

/** A SOCKS5 proxy that wants a user and a password. */
export async function socksProxy(names: Readonly<Record<string, number>> = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createServer(async (client) => {
    client.on("error", () => undefined);
    await once(client, "readable");
    client.read();
    client.write(Buffer.from([5, 2]));
    await once(client, "readable");
    const login = client.read() as Buffer;
    const userLength = login[1] ?? 0;
    const user = login.toString("latin1", 2, 2 + userLength);
    const password = login.toString("latin1", 3 + userLength);
    const isKnown = user === PROXY_USER && password === PROXY_PASSWORD;
    client.write(Buffer.from([1, isKnown ? 0 : 1]));
    if (!isKnown) return void client.end();
    await once(client, "readable");
    const wish = client.read() as Buffer;
    const isName = wish[3] === 3;
    const host = isName ? wish.toString("latin1", 5, 5 + (wish[4] ?? 0)) : wish.subarray(4, 8).join(".");
    const port = wish.readUInt16BE(wish.length - 2);
    asked.push(`${host}:${port}`);
    tunnel(client, host, port, names, () => {
      client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 80]));
      return Buffer.alloc(0);
    });
  });
  return listening(server, asked);
}

function tunnel(
  client: Socket,
  host: string,
  port: number,
  names: Readonly<Record<string, number>>,
  opened: () => Buffer,
): void {
  const named = names[host];
  const server = connect(named ?? port, named === undefined ? host : "127.0.0.1");
  for (const socket of [client, server]) socket.on("error", () => undefined);
  server.on("close", () => client.destroy());
  client.on("close", () => server.destroy());
  server.on("connect", () => {
    server.write(opened());
    server.pipe(client);
    client.pipe(server);
  });
}

async function listening(server: Server, asked: string[]): Promise<TestProxy> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    asked,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
