import { stat, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../base/clock.ts";

/**
 * One program at a time may create, start or stop the database of a data folder; without this, two that
 * start at once could each take the other's fresh lock file for a stale one.
 *
 * The lock is a listening socket, because the kernel gives it back the moment its holder dies, however
 * it dies: no stale lock file exists. It is held for the length of a start, not of a life.
 */
export async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const { dev, ino } = await stat(dataDir);
  const server = await acquire(`faregate-start-${dev}-${ino}`, dataDir);
  try {
    return await work();
  } finally {
    await new Promise((done) => server.close(done));
  }
}

// A start takes about a second; recovery after a crash can take minutes, and whoever waits for it here
// would otherwise have waited for the same recovery.
const LOCK_WAIT_MS = 300_000;
const RETRY_MS = 40;

async function acquire(name: string, dataDir: string): Promise<Server> {
  const deadlineMs = systemClock.monotonicMs() + LOCK_WAIT_MS;
  // Linux has names without a file; elsewhere a file stands for the name and may outlive its holder.
  const abstract = process.platform === "linux";
  const path = abstract ? `\0${name}` : `/tmp/${name}`;
  while (systemClock.monotonicMs() < deadlineMs) {
    const server = await tryListen(path);
    if (server) return server;
    if (!abstract && !(await responses(path))) await unlink(path).catch(() => undefined);
    await sleep(RETRY_MS);
  }
  throw new Error(
    `Another program has been starting or stopping the database in ${dataDir} for ${LOCK_WAIT_MS / 1000} s. ` +
      "Look for a hanging faregate process, end it and try again.",
  );
}

function tryListen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => resolve(server));
  });
}

function responses(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
