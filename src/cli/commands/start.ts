import cluster from "node:cluster";
import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { openSeals, readMasterKey } from "../../accounts/master-key.ts";
import { type Lifecycle, withLifecycle } from "../../base/async/lifecycle.ts";
import { armFailpoint } from "../../base/failpoint.ts";
import { version } from "../../base/package-files.ts";
import type { composeWorker } from "../../compose.ts";
import type { Process } from "../../compose-base.ts";
import { type Config, inheritedVariables } from "../../config.ts";
import { readManifest } from "../../manifest/file/read.ts";
import { boundedLog } from "../../observe/bounded-log.ts";
import { createLog, createTerminalLog, type Log } from "../../observe/log.ts";
import { isConnectionLoss } from "../../storage/failures.ts";
import { migrate } from "../../storage/migrator.ts";
import { openDatabase } from "../../storage/open-database.ts";
import { printWelcome } from "../banner.ts";
import { type Command, UsageError } from "../command.ts";
import { openCatalog } from "../open-catalog.ts";
import { superviseProcesses } from "../processes.ts";
import { siblingMetrics } from "../sibling-metrics.ts";
import { PROCESS, stopSignal } from "../stop-signal.ts";

/** Running requests get this long after SIGTERM before they are cut. */
const DRAIN_MS = 30_000;

/** One of several processes has cut and posted what was left long before; service managers kill all after 90 s. */
const ENDED_AFTER_MS = DRAIN_MS + 30_000;

/** More processes than any machine has cores is a slip of the keyboard. */
const MAX_PROCESSES = 64;

/** The roles of a process: to serve callers, and to make images and videos. */
type Role = "gateway" | "worker";
const ROLES: Readonly<Record<string, readonly Role[]>> = {
  all: ["gateway", "worker"],
  gateway: ["gateway"],
  worker: ["worker"],
};

export const startCommand: Command = {
  name: "start",
  summary: "serve the gateway",
  positionals: [],
  options: {
    role: {
      type: "string",
      value: "ROLES",
      help: "role of this process: all, gateway, worker or a list (default all)",
    },
    processes: { type: "string", value: "N", help: "gateway processes that share the port (default 1)" },
  },
  examples: ["faregate start", "PORT=9000 FAREGATE_CONFIG=faregate.yaml faregate start --processes 4"],
  async run({ config, text }) {
    const processes = readProcesses(text("processes"));
    const roles = readRoles(text("role"));
    enlargeYoungGeneration();
    if (config.crashAt) armFailpoint(config.crashAt.name, config.crashAt.pass);
    const level = config.logLevel;
    const written = process.stdout.isTTY ? await createTerminalLog(level) : createLog({ level });
    const log = boundedLog(written, { isOutage });
    if (cluster.isPrimary && processes > 1 && config.redisUrl === undefined)
      log.warn({ processes }, "rate limits are counted per process; set REDIS_URL to share the counts");
    return cluster.isPrimary ? startPrimary(config, processes, roles, log) : serve(config, roles, log);
  },
};

/**
 * A failed connection of an upstream has the same errors as the database: its lines have an upstream's name, or a
 * reason that is not the database's.
 */
function isOutage({ err, upstream, reason }: Readonly<Record<string, unknown>>): boolean {
  return (
    upstream === undefined &&
    (reason === undefined || reason === "service_unavailable") &&
    isConnectionLoss(err)
  );
}

/** Owns the data folder: opens and migrates the database, loads the catalog, then serves or supervises. */
async function startPrimary(
  config: Config,
  processes: number,
  roles: ReadonlySet<Role>,
  log: Log,
): Promise<number> {
  const stop = stopSignal(PROCESS);
  // Neither a file that is not sound nor a port that is taken is a reason to touch a database.
  const { configFile, environment } = config;
  const manifest = configFile === undefined ? undefined : await readManifest(configFile, environment);
  if (roles.has("gateway")) await refuseTakenPort(config);
  return withLifecycle(log, async (lifecycle) => {
    const database = await lifecycle.start(
      "database",
      () =>
        openDatabase({
          databaseUrl: config.databaseUrl,
          dataDir: config.dataDir,
          role: "owner",
          applicationName: "faregate start",
          timeoutMs: config.databaseTimeoutMs,
          wait: { ms: config.databaseWaitMs, stop },
          log,
          onLost: (error) => {
            log.fatal({ err: error }, "data folder was taken over by another gateway; stopping");
            process.exit(1);
          },
        }),
      (each) => each.close(),
    );
    await migrate(database.url, log);
    const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
    const { welcome } = await lifecycle.start(
      "sandbox",
      () => openCatalog({ config, manifest, database, seals, log, stop }),
      (each) => each.close(),
    );
    const listening = (url: string): void => {
      if (config.publicUrl === undefined && EVERYWHERE.has(config.host)) log.warn({ url }, NO_PUBLIC_URL);
      printWelcome(config, url, welcome);
    };
    if (processes > 1) {
      const masterKey = await readMasterKey({
        dataDir: config.dataDir,
        configured: config.masterKey,
        database,
      });
      return superviseProcesses(processes, {
        environment: inheritedVariables(config.environment, {
          DATABASE_URL: database.url,
          FAREGATE_MASTER_KEY: masterKey,
        }),
        log,
        stop,
        endedAfterMs: ENDED_AFTER_MS,
        serve: roles.has("gateway"),
        onListening: listening,
      });
    }
    const started = await open({ config, database, seals, log, lifecycle }, roles, listening);
    return untilStopped(started, lifecycle, stop, log);
  });
}

/** Addresses to listen on that are no address for clients. */
const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

const NO_PUBLIC_URL =
  "public URL is not set: clients can't open links to copied results and sign-in redirects; set FAREGATE_PUBLIC_URL";

/** One of several processes: the primary has prepared everything. */
async function serve(config: Config, roles: ReadonlySet<Role>, log: Log): Promise<number> {
  const stop = stopSignal(PROCESS);
  return withLifecycle(log, async (lifecycle) => {
    const database = await lifecycle.start(
      "database",
      () =>
        openDatabase({
          databaseUrl: config.databaseUrl,
          dataDir: config.dataDir,
          role: "guest",
          applicationName: "faregate gateway",
          timeoutMs: config.databaseTimeoutMs,
          wait: { ms: config.databaseWaitMs, stop },
          log,
        }),
      (each) => each.close(),
    );
    const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
    const textOfAll = siblingMetrics(process);
    const parts = { config, database, seals, log, lifecycle, textOfAll };
    return untilStopped(await open(parts, roles, () => undefined), lifecycle, stop, log);
  });
}

/** Begins what the roles say; `listening` is told the address that answers, where there is one. */
async function open(
  parts: Parameters<typeof composeWorker>[0],
  roles: ReadonlySet<Role>,
  listening: (url: string) => void,
): Promise<Process> {
  // Loaded only where it serves: it would cost every other command, and the parent of several processes, half a second.
  const { composeGateway, composeWorker } = await import("../../compose.ts");
  if (!roles.has("gateway")) {
    const worker = await composeWorker(parts);
    parts.log.info({}, "worker started; it runs image and video tasks and serves no clients");
    return worker;
  }
  const gateway = await composeGateway({ ...parts, version: version(), works: roles.has("worker") });
  listening(await gateway.listen());
  return gateway;
}

const NOT_POSTED = "charges could not be posted; the next start on this data folder posts them";

/** Waits for the signal, then stops in order. */
async function untilStopped(
  started: Process,
  lifecycle: Lifecycle,
  stop: Promise<NodeJS.Signals>,
  log: Log,
): Promise<number> {
  const signal = await stop;
  log.info({ signal }, "shutdown started; running requests finish first");
  try {
    await lifecycle.stop(DRAIN_MS);
  } finally {
    if (!started.isPosted()) log.error({}, NOT_POSTED);
  }
  if (started.isPosted()) log.info({}, "shutdown complete; every charge is posted");
  return started.isPosted() ? 0 : 1;
}

function readProcesses(text: string | undefined): number {
  if (text === undefined) return 1;
  const processes = Number(text);
  if (!Number.isInteger(processes) || processes < 1 || processes > MAX_PROCESSES) {
    throw new UsageError(`--processes must be a whole number from 1 to ${MAX_PROCESSES}, not "${text}"`);
  }
  return processes;
}

function readRoles(text: string | undefined): ReadonlySet<Role> {
  return new Set(
    (text ?? "all").split(",").flatMap((word) => {
      const roles = Object.hasOwn(ROLES, word.trim()) ? ROLES[word.trim()] : undefined;
      if (roles === undefined) {
        const known = Object.keys(ROLES).join(", ");
        throw new UsageError(`--role takes ${known} (or a list of them), not "${word}"`);
      }
      return roles;
    }),
  );
}

/**
 * Tells V8 not to place new objects among the old ones by what became of their like. A gateway's requests all
 * live a while and all die; what V8 concludes from it keeps whole requests until the next full collection,
 * 14 KB of each, and costs a quarter of the time of a plain request. Call it before any request.
 */
function enlargeYoungGeneration(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/**
 * Rejects as listening would where the port cannot be had, so that a start which must fail does so before it has
 * changed anything. Whoever takes the port after this look is met when it is opened in earnest.
 */
async function refuseTakenPort({ host, port }: Pick<Config, "host" | "port">): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, resolve);
  });
  await new Promise((closed) => server.close(closed));
}
