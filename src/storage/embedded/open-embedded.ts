import { realpath } from "node:fs/promises";
import { makeDataDir } from "../data-dir.ts";
import type { DatabaseLog } from "../database.ts";
import { openSession, type Role, type Session } from "../session.ts";
import { stay } from "../stay.ts";
import type { ClusterOptions } from "./cluster.ts";
import { stopPostmaster } from "./postmaster.ts";
import { ensureServer, type RunningServer } from "./server.ts";
import { withStartLock } from "./start-lock.ts";

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
      "The embedded PostgreSQL needs unix sockets and does not run on Windows; set DATABASE_URL.",
    );
  }
  await makeDataDir(options.dataDir);
  const dataDir = await realpath(options.dataDir);
  const { log, role, onLost = () => undefined } = options;

  const attach = (): Promise<RunningServer & { session: Session }> =>
    withStartLock(dataDir, async () => {
      const server = await ensureServer(dataDir, log, options);
      const session = await openSession({ url: server.url, role, dataDir, domain: "faregate embedded" });
      return { ...server, session };
    });
  const guest = await stay(attach, log, onLost);

  return {
    url: guest.current().url,
    pid: () => guest.current().pid,
    close: async () => {
      const { session, pid, clusterFolder } = await guest.end();
      await withStartLock(dataDir, async () => {
        const last = await session.isLast();
        await session.end();
        if (last) await stopPostmaster(pid, clusterFolder);
      });
    },
  };
}
