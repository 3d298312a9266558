import { createLog } from "../../observe/log.ts";
import { stopUnused } from "../../storage/embedded/open-embedded.ts";
import type { Command } from "../command.ts";
import { refuseNewFolder } from "../open.ts";

/** Ends the database that a killed gateway has left running; a gateway's own watch runs it after 20 seconds. */
export const stopDatabaseCommand: Command = {
  name: "stop-database",
  summary: "stop the embedded database if no program uses it",
  positionals: [],
  options: {},
  examples: ["faregate stop-database"],
  async run({ config }) {
    await refuseNewFolder(config);
    const found = await stopUnused(config.dataDir, createLog({ level: "warn", toStderr: true }));
    console.log(SENTENCES[found]);
    return 0;
  },
};

const SENTENCES = {
  none: "No embedded database runs in the data folder.",
  used: "The embedded database is in use and keeps running.",
  stopped: "The embedded database has stopped.",
} as const;
