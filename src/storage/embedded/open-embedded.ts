import { type ChildProcess, spawn } from "node:child_process";
import { realpath } from "node:fs/promises";
import type { Socket } from "node:net";
import { PACKAGE_FILES } from "../../base/package-files.ts";
import { makeDataDir } from "../data-dir.ts";
import type { DatabaseLog } from "../database.ts";
import { type DatabaseSession, OwnerTakenError, openSession, type Role } from "../database-session.ts";
import { openReconnectingSession } from "../reconnecting-session.ts";
import type { ClusterOptions } from "./cluster.ts";
import { stopPostmaster } from "./postmaster.ts";
import { ensureServer, findServer, type RunningServer } from "./server.ts";
import { SERVER_ENVIRONMENT } from "./settings.ts";
import { removeSocketFolder } from "./socket-folder.ts";
import { withStartLock } from "./start-lock.ts";

/** A restart within this time finds the server running. */
const GRACE_SECONDS = 20;

/**
 * The server belongs to nobody, so a program that is killed leaves it running; and it could go on forever. A small
 * shell waits for the end of this program, which it learns by the end of a pipe however that came, and some time
 * later runs the command that stops a server which nobody uses. It has a session of its own: what is sent to our
 * process group does not reach it.
 */
function watchOverServer(dataDir: string): { end(): void } {
  const script = `read -r _; sleep ${GRACE_SECONDS}; exec "$0" "$1" stop-database`;
  const child: ChildProcess = spawn("/bin/sh", ["-c", script, process.execPath, PACKAGE_FILES.program], {
    cwd: "/",
    detached: true,
    env: { ...SERVER_ENVIRONMENT, FAREGATE_DATA_DIR: dataDir },
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell nobody watches, as it was before.
  child.once("error", () => undefined);
  child.unref();
  (child.stdin as Socket | null)?.unref();
  return { end: () => void child.kill("SIGKILL") };
}

export interface EmbeddedOptions extends ClusterOptions {
  readonly dataDir: string;
  readonly role: Role;
  readonly log: DatabaseLog;
  /**
   * Called when this program may no longer use the data folder: after an outage of the database another
   * gateway owned it. Stop serving.
   */
  readonly onLost?: (error: Error) => void;
}

export interface EmbeddedDatabase {
  /** A DATABASE_URL of the gateway's database; stays the same when the server is restarted. */
  readonly url: string;
  /** Pid of the server as last seen. */
  pid(): number;
  /** Gives up the role; stops the server if nobody else uses it. Close pools on it first. */
  close(): Promise<void>;
}

/**
 * Opens the embedded PostgreSQL of a data folder: attaches to the server that runs there, else starts
 * one, making the database at the very first time. Whoever uses it holds a session with the locks of its
 * role for as long; when that session is lost the server is found or started again, while callers see
 * connection errors.
 *
 * Nobody is the server's master: it outlives a killed gateway, and the last one out stops it.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  if (process.platform === "win32") {
    throw new Error(
      "The embedded PostgreSQL needs Unix sockets and doesn't run on Windows. Set DATABASE_URL.",
    );
  }
  await makeDataDir(options.dataDir);
  const dataDir = await realpath(options.dataDir);
  const { log, role, onLost = () => undefined } = options;

  const attach = (): Promise<RunningServer & { session: DatabaseSession }> =>
    withStartLock(dataDir, async () => {
      const server = await ensureServer(dataDir, log, options);
      const session = await openSession({ url: server.url, role, dataDir, domain: DOMAIN });
      return { ...server, session };
    });
  const watch = watchOverServer(dataDir);
  const guest = await openReconnectingSession(attach, log, onLost).catch((error: unknown) => {
    // A server that was started all the same is left to the watch.
    if (error instanceof OwnerTakenError) watch.end();
    throw error;
  });

  return {
    url: guest.current().url,
    pid: () => guest.current().pid,
    close: async () => {
      const { session, pid, clusterFolder } = await guest.end();
      await withStartLock(dataDir, () => leave(dataDir, { session, pid, clusterFolder }));
      // Not where that failed: the watch then stops the server once this program has ended.
      watch.end();
    },
  };
}

const DOMAIN = "faregate embedded";

/**
 * Stops the server of a data folder where one runs that nobody uses, as one whose gateway was killed. Gives what it
 * found.
 */
export async function stopUnused(dataDir: string, log: DatabaseLog): Promise<"none" | "used" | "stopped"> {
  const place = await realpath(dataDir);
  return withStartLock(place, async () => {
    if ((await findServer(place)) === undefined) return "none";
    const server = await ensureServer(place, log);
    const session = await openSession({ url: server.url, role: "guest", dataDir: place, domain: DOMAIN });
    return (await leave(place, { ...server, session })) ? "stopped" : "used";
  });
}

/** Ends a session, and with the last one the server. Call under the start lock. */
async function leave(
  dataDir: string,
  { session, pid, clusterFolder }: { session: DatabaseSession; pid: number; clusterFolder: string },
): Promise<boolean> {
  const last = await session.isLast();
  await session.end();
  if (!last) return false;
  await stopPostmaster(pid, clusterFolder);
  await removeSocketFolder(dataDir);
  return true;
}
