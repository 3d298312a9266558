import pg from "pg";
import { connect, connectionConfig } from "./connection.ts";
import { inTurn, type Run, runOn } from "./pool.ts";

/** More than once, since another program may have been lent the connection that we looked for. */
const LOOKS = 3;

/**
 * Refuses a pooler that lends a connection for one transaction at a time: the claim on a data folder, the lock
 * around migrations and LISTEN belong to a connection, and would be whoever's is lent it next. Two gateways
 * would then serve from one folder, without a word.
 */
export async function refuseLentConnections(url: string): Promise<void> {
  const clients = [1, 2].map(() => new pg.Client(connectionConfig(url, "faregate look")));
  for (const client of clients) client.on("error", () => undefined); // the statement under way says so itself
  try {
    for (const client of clients) await connect(client);
    const [mine, others] = clients.map((client) => inTurn((text, values) => runOn(client, text, values)));
    if (mine !== undefined && others !== undefined && !(await isLent(mine, others))) return;
  } finally {
    for (const client of clients) await client.end().catch(() => undefined);
  }
  throw new Error(
    "DATABASE_URL points to a connection pooler in transaction mode, where locks can't be held. Set pool_mode to session, or point DATABASE_URL at the server itself.",
  );
}

/** Whether what serves `mine` goes to others while `mine` says nothing. */
export async function isLent(mine: Run, others: Run): Promise<boolean> {
  const before = await serverProcess(mine);
  for (let look = 0; look < LOOKS; look += 1) {
    await others("begin");
    const now = await serverProcess(mine);
    await others("rollback");
    if (now !== before) return true;
  }
  return false;
}

async function serverProcess(run: Run): Promise<unknown> {
  return (await run("select pg_backend_pid() as pid")).rows[0]?.pid;
}
