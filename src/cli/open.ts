import type { Config } from "../config.ts";
import { createLog, type Log } from "../observe/log.ts";
import type { Database } from "../storage/database.ts";
import { migrationStatus } from "../storage/migrator.ts";
import { openDatabase } from "../storage/open-database.ts";
import { CommandFailure } from "./command.ts";

export interface OpenedDatabase {
  readonly database: Database;
  readonly log: Log;
}

/**
 * Opens the database for a command beside (or without) a running gateway, gives it to `work`, and
 * closes it whatever happens. Refuses a schema that is not this program's.
 */
export async function withDatabase<T>(
  config: Config,
  command: string,
  work: (opened: OpenedDatabase) => Promise<T>,
): Promise<T> {
  // A command's output is its result; only what an operator must know of the database is logged.
  const log = createLog({
    level: config.logLevel === "info" ? "warn" : config.logLevel,
    toStderr: true,
  });
  const interruption = awaitSignal();
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    role: "guest",
    applicationName: `faregate ${command}`,
    maxConnections: 4,
    log,
  });
  try {
    if (command !== "migrate") {
      const status = await migrationStatus(database);
      if (status.state === "behind")
        throw new CommandFailure(
          "the database is not migrated; run `faregate migrate` (or start a gateway) first",
        );
      if (status.state !== "current") throw new CommandFailure(status.reason);
    }
    return await Promise.race([work({ database, log }), interruption.told]);
  } finally {
    await database.close();
    interruption.pass();
  }
}

/**
 * Ctrl-C must not leave a database running that this command has started. `told` rejects at the first signal; `pass`
 * ends the process by it, as it would have been without us. A second one does so at once.
 */
function awaitSignal(): { readonly told: Promise<never>; pass(): void } {
  let first: NodeJS.Signals | undefined;
  const told = new Promise<never>((_, reject) => {
    const tell = (signal: NodeJS.Signals): void => {
      first = signal;
      for (const each of SIGNALS) process.off(each, tell);
      reject(new CommandFailure(`ended by ${signal}`));
    };
    for (const each of SIGNALS) process.on(each, tell);
  });
  // While the database is being opened nobody waits for it yet.
  told.catch(() => undefined);
  return {
    told,
    pass() {
      if (first !== undefined) process.kill(process.pid, first);
    },
  };
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
