import { execFile, spawn } from "node:child_process";
import { open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { systemClock } from "../../base/clock.ts";
import type { Command } from "./os-user.ts";
import { SERVER_ENVIRONMENT } from "./settings.ts";

/** The server's main program, as its own postmaster.pid describes it. */
export interface Postmaster {
  readonly pid: number;
  readonly socketFolder: string;
}

/**
 * The living server of a data folder, whoever started it: one that outlived a killed gateway is found
 * here. The pid alone proves nothing (after a restart of a container it may be anybody's), so the
 * program behind it must be a postgres on this very folder; a dead one nobody reaped is none either.
 */
export async function livingPostmaster(clusterFolder: string): Promise<Postmaster | undefined> {
  const noted = await readPidFile(clusterFolder);
  if (!noted || !(await runsOn(noted.pid, clusterFolder))) return undefined;
  return noted;
}

/**
 * Starts the server and gives its pid. It is in a session of its own, so that Ctrl-C in the terminal
 * does not reach it before the gateway has finished with it, and it survives a gateway that is killed.
 * `exited` settles with the end of its log should it end while we live.
 */
export async function startPostmaster(
  command: Command,
  clusterFolder: string,
  logFile: string,
): Promise<{ pid: number; exited: Promise<string> }> {
  await disownStalePid(clusterFolder);
  const log = await openLog(logFile);
  try {
    const { size } = await log.stat();
    const child = spawn(command.file, command.args, {
      ...command.identity,
      cwd: clusterFolder,
      env: SERVER_ENVIRONMENT,
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
    });
    child.unref();
    const exited = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", () => resolve(readFrom(logFile, size)));
    });
    return { pid: child.pid ?? 0, exited };
  } finally {
    await log.close();
  }
}

/** Asks for a fast shutdown (sessions are cut, everything committed is on disk) and waits for the end. */
export async function stopPostmaster(pid: number, clusterFolder: string): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + STOP_LIMIT_MS;
  signal(pid, "SIGINT");
  while (await runsOn(pid, clusterFolder)) {
    if (systemClock.monotonicMs() > deadlineMs) {
      throw new Error(
        `The embedded PostgreSQL (pid ${pid}) did not stop within ${STOP_LIMIT_MS / 1000} s; it was left running.`,
      );
    }
    await sleep(20);
  }
}

// A fast shutdown writes one checkpoint: seconds on a slow disk. Service managers kill after about 90 s.
const STOP_LIMIT_MS = 60_000;
// The log holds starts, stops and faults of the server only; two files of this size tell enough.
const LOG_LIMIT_BYTES = 4 * 1024 * 1024;

async function readPidFile(clusterFolder: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(clusterFolder, "postmaster.pid"), "utf8").catch(() => "");
  // pid, data folder, start time, port, socket folder, address, shared memory, state
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined;
  return { pid, socketFolder: lines[4] ?? "" };
}

/** True if the program with this pid is a postgres that was started on the folder. */
async function runsOn(pid: number, clusterFolder: string): Promise<boolean> {
  const words = await commandLine(pid);
  return basename(words[0] ?? "") === "postgres" && words.includes(clusterFolder);
}

async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === "linux") {
    // Readable for every user, and empty for the dead that nobody reaped. (/proc/<pid>/cwd would be
    // closer to the truth, but a container's root may not read it of another user.)
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.split("\0");
  }
  const list = ["-ww", "-o", "command=", "-p", String(pid)];
  const { stdout } = await promisify(execFile)("/bin/ps", list).catch(() => ({ stdout: "" }));
  return stdout.trim().split(" ");
}

/**
 * PostgreSQL refuses to start while the pid in postmaster.pid is alive, also where that pid is now some
 * other program's or a dead one's that nobody reaped. Call only when it is known to be no server. Our own
 * pid is put in its place, which PostgreSQL never takes for a rival since we are its parent; removing the
 * file would also remove its own check that no session of the old server is still writing.
 */
async function disownStalePid(clusterFolder: string): Promise<void> {
  const path = join(clusterFolder, "postmaster.pid");
  const text = await readFile(path, "utf8").catch(() => "");
  if (text === "") return;
  const rest = text.slice(text.indexOf("\n"));
  await writeFile(path, `${process.pid}${rest}`);
}

async function openLog(path: string) {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(path, `${path}.old`);
  return open(path, "a", 0o600);
}

async function readFrom(path: string, position: number): Promise<string> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  return bytes.subarray(position).toString("utf8").slice(-2_000).trim();
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already: what was wanted.
  }
}
