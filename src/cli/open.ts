import type { Config } from "../config.ts";
import { createLog, type Log } from "../observe/log.ts";
import { holdsDatabase } from "../storage/data-dir.ts";
import type { Database } from "../storage/database.ts";
import { migrationStatus } from "../storage/migrator.ts";
import { openDatabase } from "../storage/open-database.ts";
import { CommandFailure, commandLine } from "./command.ts";
import { PROCESS, stopSignal } from "./stop-signal.ts";

export interface OpenedDatabase {
  readonly database: Database;
  readonly log: Log;
}

/**
 * Opens the database for a command beside (or without) a running gateway, gives it to `work`, and
 * closes it whatever happens. Refuses a schema that is not this program's, and makes no database but for `migrate`.
 */
export async function withDatabase<T>(
  config: Config,
  command: string,
  work: (opened: OpenedDatabase) => Promise<T>,
): Promise<T> {
  if (command !== "migrate") await refuseNewFolder(config);
  // A command's output is its result; only what an operator must know of the database is logged.
  const log = createLog({
    level: config.logLevel === "info" ? "warn" : config.logLevel,
    toStderr: true,
  });
  // Ctrl-C must not leave a database running that this command has started.
  let stoppedBy: NodeJS.Signals | undefined;
  const stopped = stopSignal(PROCESS).then((signal) => {
    stoppedBy = signal;
    throw new CommandFailure(`ended by ${signal}`);
  });
  // While the database is being opened nobody waits for it yet.
  stopped.catch(() => undefined);
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    role: "guest",
    applicationName: `faregate ${command}`,
    maxConnections: 4,
    timeoutMs: config.databaseTimeoutMs,
    log,
  });
  try {
    if (command !== "migrate") {
      const status = await migrationStatus(database);
      if (status.state === "behind")
        throw new CommandFailure(
          `the database is empty or has an older schema; start the gateway, or run: ${commandLine("migrate")}`,
        );
      if (status.state !== "current") throw new CommandFailure(status.reason);
    }
    return await Promise.race([work({ database, log }), stopped]);
  } finally {
    await database.close();
    if (stoppedBy !== undefined) endBy(stoppedBy);
  }
}

/** A typo in the folder's name must not make another database, which then has nothing of what is looked for. */
export async function refuseNewFolder({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== undefined || (await holdsDatabase(dataDir))) return;
  throw new CommandFailure(
    `there is no database in ${dataDir}; set FAREGATE_DATA_DIR to the data folder of your gateway, or create one: ` +
      `start a gateway, or run ${commandLine("migrate")}`,
  );
}

/** Ends the process by the signal itself, because shells check for that. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
