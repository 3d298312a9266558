import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { systemClock } from "../../base/clock.ts";
import type { DatabaseLog } from "../database.ts";
import { type ClusterOptions, prepareCluster } from "./cluster.ts";
import { forgetPassword, protectCluster, readPassword } from "./password.ts";
import { livingPostmaster, type Postmaster, startPostmaster, stopPostmaster } from "./postmaster.ts";
import { DATABASE_NAME, serverArguments, socketUrl } from "./settings.ts";
import { socketFolder } from "./socket-folder.ts";

export interface RunningServer {
  readonly pid: number;
  readonly clusterFolder: string;
  /** The URL of the gateway's database, which exists. */
  readonly url: string;
}

/**
 * Gives a server that answers: the one that runs on the data folder, else a new one. Call under the
 * start lock.
 */
export async function ensureServer(
  dataDir: string,
  log: DatabaseLog,
  options: ClusterOptions = {},
): Promise<RunningServer> {
  const deadlineMs = systemClock.monotonicMs() + START_LIMIT_MS;
  let failure = "";
  let starts = 0;
  let goneSinceMs: number | undefined;
  while (systemClock.monotonicMs() < deadlineMs) {
    const found = await findServer(dataDir);
    if (!found) {
      if (starts === MAX_STARTS) break;
      starts += 1;
      const took = await start(dataDir, log, options, (lastWords) => {
        failure = lastWords;
      });
      if (!took) await sleep(PAUSE_AFTER_FAILURE_MS);
      continue;
    }
    const password = await readPassword(dataDir);
    const trouble = await createDatabase(found.server.socketFolder, password);
    if (trouble === undefined) {
      const url = socketUrl(found.server.socketFolder, DATABASE_NAME, password);
      return { pid: found.server.pid, clusterFolder: found.clusterFolder, url };
    }
    if (trouble.wrongPassword) {
      log.warn({ server: found.server.pid }, "database password rejected; creating a new one");
      await stopPostmaster(found.server.pid, found.clusterFolder);
      await forgetPassword(dataDir);
      continue;
    }
    failure = trouble.message;
    goneSinceMs = trouble.noSocket ? (goneSinceMs ?? systemClock.monotonicMs()) : undefined;
    if (goneSinceMs !== undefined && systemClock.monotonicMs() - goneSinceMs > NO_SOCKET_LIMIT_MS) {
      log.warn({ server: found.server.pid }, "database socket is gone; restarting the database");
      await stopPostmaster(found.server.pid, found.clusterFolder);
      goneSinceMs = undefined;
    }
    await sleep(POLL_MS);
  }
  throw new Error(`The embedded PostgreSQL in ${dataDir} did not start: ${failure}`);
}

// Replaying the log after a crash is bounded by max_wal_size and takes seconds; slow disks, minutes.
const START_LIMIT_MS = 300_000;
// A fresh server makes its socket within milliseconds; after this long something has cleaned it away.
const NO_SOCKET_LIMIT_MS = 3_000;
// The sessions of a killed server take a moment to notice, and PostgreSQL rightly waits for them; what
// still fails after ten seconds fails for a reason that waiting does not cure.
const MAX_STARTS = 20;
const PAUSE_AFTER_FAILURE_MS = 500;
const POLL_MS = 15;

export async function findServer(
  dataDir: string,
): Promise<{ server: Postmaster; clusterFolder: string } | undefined> {
  // The server was given the real path, whatever links lead there.
  const clusterFolder = await realpath(join(dataDir, "pg")).catch(() => undefined);
  const server = clusterFolder && (await livingPostmaster(clusterFolder));
  return server ? { server, clusterFolder } : undefined;
}

/** Gives true once the server has taken the folder, false if it ended first; `onEnd` hears its last words. */
async function start(
  dataDir: string,
  log: DatabaseLog,
  options: ClusterOptions,
  onEnd: (lastWords: string) => void,
): Promise<boolean> {
  const cluster = await prepareCluster(dataDir, log, options);
  await protectCluster(cluster, dataDir);
  const { folder, installation, identity } = cluster;
  const sockets = await socketFolder(dataDir, identity.owner);
  const command = identity.command(
    join(installation.binFolder, "postgres"),
    serverArguments(folder, sockets, options.settings),
  );
  const { pid, exited } = await startPostmaster(command, folder, join(dataDir, "postgres.log"));
  let ended = false;
  void exited.then((lastWords) => {
    ended = true;
    onEnd(lastWords === "" ? `postgres (pid ${pid}) exited without output` : lastWords);
  });
  while (!ended) {
    if (await livingPostmaster(folder)) {
      log.info(
        { server: pid, postgres: installation.origin, as: identity.name },
        "embedded database starting",
      );
      return true;
    }
    await sleep(POLL_MS);
  }
  return false;
}

interface Trouble {
  readonly message: string;
  readonly noSocket: boolean;
  readonly wrongPassword: boolean;
}

/** Makes the gateway's database where it is missing; gives what stood in the way, such as a server still starting. */
async function createDatabase(
  socketFolderPath: string,
  password: string | undefined,
): Promise<Trouble | undefined> {
  // Without a folder the driver would try localhost, and might find a stranger's server.
  if (socketFolderPath === "")
    return { message: "it has not opened its socket yet", noSocket: true, wrongPassword: false };
  const client = new pg.Client({
    connectionString: socketUrl(socketFolderPath, "postgres", password),
    connectionTimeoutMillis: NO_SOCKET_LIMIT_MS,
    options: "-c client_min_messages=warning", // an empty one would let PGOPTIONS in
  });
  client.on("error", () => undefined); // the statements below say so themselves
  try {
    await client.connect();
    const { rowCount } = await client.query("select from pg_database where datname = $1", [DATABASE_NAME]);
    if (rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return {
      message: error instanceof Error ? error.message : String(error),
      noSocket: code === "ENOENT" || code === "ECONNREFUSED",
      wrongPassword: code === "28P01" || (password === undefined && NO_PASSWORD.test(String(error))),
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The driver's message if the server asks for a password and there is none. */
const NO_PASSWORD = /client password must be a string/;
