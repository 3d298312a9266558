import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { connect, connectionConfig } from "./connection.ts";

/** "owner" serves: one per data folder. "guest" is a command-line tool, or a further process of the owner's. */
export type Role = "owner" | "guest";

/** One program's session at the database. Its locks live and die with the connection, however that ends. */
export interface DatabaseSession {
  /** Resolves when the connection is gone, for whatever reason. */
  readonly lost: Promise<void>;
  /** True when no other program has a session. Ask while nobody can arrive (embedded: the start lock). */
  isLast(): Promise<boolean>;
  end(): Promise<void>;
}

export interface SessionOptions {
  readonly url: string;
  readonly role: Role;
  /** For the sentence that refuses a second owner. */
  readonly dataDir: string;
  /** The name of an advisory lock, unique within the database: its subject has one owner. */
  readonly domain: string;
}

/** Another gateway serves from the data folder. */
export class OwnerTakenError extends Error {
  override readonly name = "OwnerTakenError";
}

/** Connects and takes the locks of the role; rejects with OwnerTakenError where there is an owner already. */
export async function openSession({ url, role, dataDir, domain }: SessionOptions): Promise<DatabaseSession> {
  const client = new pg.Client(connectionConfig(url, `faregate ${role} ${process.pid}`));
  const lost = new Promise<void>((resolve) => {
    client.on("error", () => resolve());
    client.on("end", () => resolve());
  });
  const inside = `${domain} inside`;
  await connect(client);
  try {
    if (role === "owner") await takeServing(client, `${domain} serving`, dataDir);
    await client.query("select pg_advisory_lock_shared(hashtextextended($1, 0))", [inside]);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return {
    lost,
    isLast: async () => {
      // A session's own shared lock does not stand in the way of its exclusive one.
      const result = await client
        .query<{ alone: boolean }>("select pg_try_advisory_lock(hashtextextended($1, 0)) as alone", [inside])
        .catch(() => undefined);
      return result?.rows[0]?.alone === true;
    },
    end: () => client.end().catch(() => undefined),
  };
}

// The server drops a dead program's lock when it sees the connection end: at once, unless the machine is
// very busy.
const TRIES = 10;
const PAUSE_MS = 50;

async function takeServing(client: pg.Client, lock: string, dataDir: string): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { rows } = await client.query<{ taken: boolean }>(
      "select pg_try_advisory_lock(hashtextextended($1, 0)) as taken",
      [lock],
    );
    if (rows[0]?.taken) return;
    await sleep(PAUSE_MS);
  }
  throw new OwnerTakenError(
    `Another gateway${await nameOwner(client, lock)} already serves from ${dataDir}. ` +
      "Stop it first, or give this one its own FAREGATE_DATA_DIR.",
  );
}

async function nameOwner(client: pg.Client, lock: string): Promise<string> {
  const { rows } = await client.query<{ pid: string }>(
    `select split_part(application_name, ' ', 3) as pid
       from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and objsubid = 1 and granted
        and (classid::int8 << 32) | objid::int8 = hashtextextended($1, 0)`,
    [lock],
  );
  return rows[0]?.pid ? ` (process ${rows[0].pid})` : "";
}
