import { migrate } from "../../storage/migrator.ts";
import type { Command } from "../command.ts";
import { withDatabase } from "../open.ts";

/** Brings the schema up to date without starting a gateway. */
export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database schema up to date",
  positionals: [],
  options: {},
  examples: [
    "faregate migrate",
    "DATABASE_URL=postgresql://faregate@db/faregate FAREGATE_MASTER_KEY=... faregate migrate",
  ],
  run: ({ config }) =>
    withDatabase(config, "migrate", async ({ database, log }) => {
      const applied = await migrate(database.url, log);
      console.log(
        applied.length === 0
          ? "The schema is up to date."
          : applied.map((name) => `applied ${name}`).join("\n"),
      );
      return 0;
    }),
};
