import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";

/** A TCP proxy in front of PostgreSQL that cuts connections when a statement was carried out and before its response arrives. */
export interface CuttingProxy {
  /** The same database by way of the proxy. */
  readonly url: string;
  /** Cuts the next `times` statements that contain this text: the server has run them, nobody hears of it. */
  cutAfter(statement: string, times: number): void;
  /** The number of cut connections. */
  cuts(): number;
  close(): Promise<void>;
}

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const {
    host,
    port,
    user = "",
    password,
    database: name = "",
  } = new pg.Client({ connectionString: databaseUrl });
  const open = new Set<Socket>();
  let wanted = "";
  let left = 0;
  let done = 0;
  const server = createServer((client) => {
    const database = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let cutting = false;
    for (const socket of [client, database]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on("data", (chunk) => {
      if (left > 0 && chunk.includes(wanted)) {
        left -= 1;
        cutting = true;
      }
      database.write(chunk);
    });
    database.on("data", (chunk) => {
      // A response to Parse alone may come first; the statement is over when the server is ready for the next.
      if (!cutting) client.write(chunk);
      else if (chunk.includes(READY)) {
        done += 1;
        client.destroy();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const here = (server.address() as AddressInfo).port;
  const login = [user, password ?? ""].map(encodeURIComponent).join(":");
  return {
    url: `postgres://${login}@127.0.0.1:${here}/${encodeURIComponent(name)}`,
    cutAfter(statement, times) {
      wanted = statement;
      left = times;
    },
    cuts: () => done,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** ReadyForQuery outside a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
