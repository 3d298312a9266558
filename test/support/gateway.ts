import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUSY_TIMEOUT_MS, createTestDatabase, type TestDatabase } from "./database.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = join(root, "bin", "faregate.js");

/** The key of the account that `catalogFile` declares. */
export const TEST_KEY = "test-key-0123456789abcdef";
const MASTER_KEY = "a master key for tests only";

export interface StartOptions {
  /** Text of a catalog file; without one the demo catalog on an embedded sandbox. */
  readonly catalog?: string;
  /** Use the embedded database of the data folder instead of a clone on the test server. */
  readonly embedded?: boolean;
  /** A database or data folder to go on with after a kill. */
  readonly database?: TestDatabase;
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The most descriptors it may have open. */
  readonly openFiles?: number;
}

export interface TestGateway {
  /** "" of one that only works (`--role worker`). */
  readonly url: string;
  readonly child: ChildProcess;
  readonly dataDir: string;
  readonly database: TestDatabase | undefined;
  /** Everything it has printed so far. */
  output(): string;
  /** Sends a signal and waits for the end; gives the exit code (null when a signal ended it). */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves when it has ended by itself, as at a crash point. */
  readonly ended: Promise<number | null>;
  /** Runs `faregate ...` beside it, on the same database and data folder. */
  run(...args: string[]): Promise<CommandResult>;
  /** Ends it if it runs, and removes database and data folder. */
  clean(): Promise<void>;
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a gateway on a free port and waits until it is ready. Rejects with its output when it ends before. */
export async function startGateway(options: StartOptions = {}): Promise<TestGateway> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "faregate-test-")));
  const database = options.embedded ? undefined : (options.database ?? (await createTestDatabase()));
  const env: Record<string, string> = {
    ...ownEnvironment(),
    PORT: "0",
    FAREGATE_DATA_DIR: dataDir,
    ...(database === undefined ? {} : { DATABASE_URL: database.url, FAREGATE_MASTER_KEY: MASTER_KEY }),
    ...(options.catalog === undefined
      ? {}
      : { FAREGATE_CONFIG: await writeCatalog(dataDir, options.catalog) }),
    ...options.env,
  };
  const command = [process.execPath, PROGRAM, "start", ...(options.args ?? [])];
  const { openFiles } = options;
  // The shell becomes the program, so that its process id is the gateway's.
  const limited = ["sh", "-c", `ulimit -n ${openFiles} && exec "$@"`, "sh", ...command];
  const [program = "", ...args] = openFiles === undefined ? command : limited;
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const hear = (chunk: Buffer): void => {
    output += chunk;
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = once(child, "close").then(([code]) => code as number | null);
  const clean = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
    // A gateway that ended in order has stopped its database; the server of a killed one goes on without it.
    if (options.embedded && child.exitCode !== 0) await run(env, "stop-database");
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const url = await urlOf(child, () => output).catch(async (error: unknown) => {
    if (options.database === undefined && options.dataDir === undefined) await clean();
    throw error;
  });
  return {
    url,
    child,
    dataDir,
    database,
    output: () => output,
    ended,
    end(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
    run: (...args) => run(env, ...args),
    clean,
  };
}

/** Runs one command to its end. */
export async function runFaregate(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<CommandResult> {
  return run({ ...ownEnvironment(), ...env }, ...args);
}

async function run(env: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandResult> {
  const { FAREGATE_CRASH_AT: _, ...rest } = env;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: root,
    env: rest,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

function urlOf(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const ready = /Base URL +(\S+)|worker started;/.exec(output());
      if (ready === null) return;
      const [, url = ""] = ready;
      child.stdout?.off("data", look);
      resolve(url);
    };
    child.stdout?.on("data", look);
    child.once("close", (code) =>
      reject(new Error(`the gateway ended with ${code} before it was ready:\n${output()}`)),
    );
  });
}

async function writeCatalog(dataDir: string, text: string): Promise<string> {
  const file = join(dataDir, "catalog.yaml");
  await writeFile(file, text);
  return file;
}

/** The test run's own environment less whatever would configure a gateway. */
function ownEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(FAREGATE_|DATABASE_URL$|REDIS_URL$|HOST$|PORT$|LOG_LEVEL$|NODE_OPTIONS$|VITEST)/.test(entry[0]),
  );
  return {
    ...Object.fromEntries(entries),
    FAREGATE_DATABASE_TIMEOUT_MS: String(BUSY_TIMEOUT_MS),
    FAREGATE_DATABASE_WAIT_SECONDS: "120",
  };
}
