import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { runAllInOrder } from "../base/async/lifecycle.ts";
import { systemClock } from "../base/clock.ts";
import { connect, connectionConfig } from "./connection.ts";
import { claimDataDir } from "./data-dir-claim.ts";
import type { Database, DatabaseLog } from "./database.ts";
import type { Role } from "./database-session.ts";
import { OLDEST_MAJOR } from "./embedded/cluster.ts";
import { openEmbedded } from "./embedded/open-embedded.ts";
import { isConnectionLoss } from "./failures.ts";
import { openNotifications } from "./notifications.ts";
import { DEFAULT_TIMEOUT_MS, inSequence, openPool, type Pool, type Run, runOn } from "./pool.ts";

/** More than once, since another program may have been lent the connection that we looked for. */
const LOOKS = 3;

/**
 * Refuses a pooler that lends a connection for one transaction at a time: the claim on a data folder, the lock
 * around migrations and LISTEN belong to a connection, and would be whoever's is lent it next. Two gateways
 * would then serve from one folder, without a word.
 */
async function refuseLentConnections(url: string): Promise<void> {
  const clients = [1, 2].map(() => new pg.Client(connectionConfig(url, "faregate look")));
  for (const client of clients) client.on("error", () => undefined); // the statement under way says so itself
  try {
    for (const client of clients) await connect(client);
    const [mine, others] = clients.map((client) => inSequence((text, values) => runOn(client, text, values)));
    if (mine !== undefined && others !== undefined && !(await isLent(mine, others))) return;
  } finally {
    for (const client of clients) await client.end().catch(() => undefined);
  }
  throw new Error(
    "DATABASE_URL points to a connection pooler in transaction mode, where locks can't be held. Set pool_mode to session, or point DATABASE_URL at the server itself.",
  );
}

/** True if what serves `mine` goes to others while `mine` says nothing. */
export async function isLent(mine: Run, others: Run): Promise<boolean> {
  const before = await serverProcess(mine);
  for (let round = 0; round < LOOKS; round += 1) {
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

export interface DatabaseOptions {
  /** A PostgreSQL server; undefined = the embedded one in `dataDir`. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /**
   * "owner" serves from the data folder and is alone in it (a second one is refused with a sentence),
   * whichever database is used; "guest" is a command-line tool or a further process of the owner's.
   */
  readonly role: Role;
  /** Shown in pg_stat_activity, such as "faregate start". */
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** See Database. */
  readonly timeoutMs?: number | undefined;
  /** The time to wait for a server that can't be reached yet; absent = none. */
  readonly wait?: ServerWait;
  readonly log: DatabaseLog;
  /** The data folder went to another gateway while the database was away: stop serving. */
  readonly onLost?: (error: Error) => void;
}

/** Opens the database and makes sure that it is one we can keep our promises on. Does not migrate it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl: url, dataDir, role, log, onLost = () => undefined } = options;
  if (url === undefined) {
    const embedded = await openEmbedded({ dataDir, role, log, onLost });
    return connectTo(embedded.url, options, () => embedded.close());
  }
  let unclaim = async (): Promise<void> => undefined;
  const database = await connectTo(url, options, () => unclaim());
  try {
    await refuseLentConnections(url);
    if (role === "owner") unclaim = await claimDataDir({ url, dataDir, log, onLost });
    return database;
  } catch (error) {
    await database.close().catch(() => undefined);
    throw error;
  }
}

async function connectTo(
  url: string,
  options: DatabaseOptions,
  afterwards: () => Promise<void>,
): Promise<Database> {
  const { applicationName, maxConnections, timeoutMs = DEFAULT_TIMEOUT_MS, log } = options;
  const pool = openPool({ url, applicationName, maxConnections, timeoutMs });
  const notifications = openNotifications(url, log);
  const close = (): Promise<void> => runAllInOrder(notifications.close, pool.close, afterwards);
  try {
    await retryUntilConnected(() => checkServer(pool, options), options);
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return {
    ...pool,
    url,
    listen: notifications.listen,
    timeoutMs,
    ping: () => ping(pool, Math.max(timeoutMs, PING_LIMIT_MS)),
    close,
  };
}

const PING_LIMIT_MS = 1_000;
const REACH_AGAIN_MS = 500;

export interface ServerWait {
  readonly ms: number;
  /** Resolves when nobody wants the database any more. */
  readonly stop: Promise<unknown>;
}

/** Servers are often started together with their database, which then takes longer. */
async function retryUntilConnected(
  reach: () => Promise<void>,
  { wait, log }: DatabaseOptions,
): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + (wait?.ms ?? 0);
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      await reach();
      return;
    } catch (error) {
      const isDown = error instanceof Error && isConnectionLoss(error.cause);
      const leftMs = deadlineMs - systemClock.monotonicMs();
      if (wait === undefined || !isDown || leftMs <= 0) throw error;
      if (!isWaiting)
        log.warn(
          { err: error, seconds: Math.ceil(leftMs / 1_000) },
          "database is unreachable; waiting for it",
        );
      const stopped = await Promise.race([
        wait.stop.then(() => true),
        sleep(Math.min(leftMs, REACH_AGAIN_MS), false),
      ]);
      if (stopped) throw error;
    }
  }
}

async function checkServer(pool: Pool, { role, log }: DatabaseOptions): Promise<void> {
  const settings = await pool
    .one<{
      version: number;
      version_text: string;
      encoding: string;
      synchronous_commit: string;
      fsync: string;
      read_only: string;
    }>(
      `select current_setting('server_version_num')::int4 as version, current_setting('server_version') as version_text,
              current_setting('server_encoding') as encoding,
              current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync,
              current_setting('transaction_read_only') as read_only`,
    )
    .catch((error: unknown) => {
      throw new Error(
        `The database is unreachable: ${sentenceOf(error)}. Check DATABASE_URL and that the server is running.`,
        {
          cause: error,
        },
      );
    });
  if (settings.version < OLDEST_MAJOR * 10_000) {
    throw new Error(
      `The database server is PostgreSQL ${settings.version_text}; at least ${OLDEST_MAJOR} is needed. Upgrade it, or point DATABASE_URL at a newer one.`,
    );
  }
  if (settings.encoding !== "UTF8") {
    throw new Error(
      `The database's encoding is ${settings.encoding}, which can't store all text. Create a database with: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.`,
    );
  }
  // Guests may look around there, as `ledger verify` does.
  if (role === "owner" && settings.read_only === "on") {
    throw new Error(
      "The database server is read-only: a standby, or one with default_transaction_read_only on. Point DATABASE_URL at the primary, or allow writes.",
    );
  }
  if (settings.synchronous_commit === "off") {
    throw new Error(
      "synchronous_commit is off on the database server, so a crash there could lose recorded charges. " +
        "Set it to on, for example: ALTER DATABASE ... SET synchronous_commit = on.",
    );
  }
  if (settings.fsync === "off") {
    log.warn({}, "fsync is off on the database server; a power failure there can destroy the database");
  }
}

async function ping(pool: Pool, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the database didn't respond within ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    await Promise.race([pool.query("select"), late]);
  } finally {
    clearTimeout(timer);
  }
}

function sentenceOf(error: unknown): string {
  // A name that resolves to several addresses gives an AggregateError without a message of its own.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return sentenceOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const networkError: NetworkError = error;
  const hasPlace = (networkError.address ?? networkError.path ?? networkError.hostname) !== undefined;
  return (hasPlace ? PLAIN_REASONS[code]?.(networkError) : undefined) ?? error.message;
}

/** Sentences for Node's network errors; PostgreSQL's own refusals are sentences already. */
const PLAIN_REASONS: Readonly<Record<string, (error: NetworkError) => string>> = {
  ECONNREFUSED: (error) => `nothing listens at ${placeOf(error)}`,
  ENOENT: (error) => `there is no ${error.syscall === "connect" ? "socket" : "file"} ${placeOf(error)}`,
  EACCES: (error) => `this user has no access to ${placeOf(error)}`,
  ENOTFOUND: ({ hostname }) => `its host name ${hostname} is unknown`,
  EAI_AGAIN: ({ hostname }) => `its host name ${hostname} can't be resolved right now`,
  EHOSTUNREACH: (error) => `there is no route to ${placeOf(error)}`,
  ENETUNREACH: (error) => `there is no route to ${placeOf(error)}`,
  ETIMEDOUT: (error) => `${placeOf(error)} doesn't respond`,
};

interface NetworkError extends NodeJS.ErrnoException {
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/** A socket has no port, and a file that the address names, such as a certificate, a path alone. */
function placeOf({ address, port, path }: NetworkError): string {
  return port === undefined ? `${address ?? path}` : `${address}:${port}`;
}
