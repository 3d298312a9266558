import { openSeals } from "../../accounts/master-key.ts";
import { exportManifest } from "../../manifest/export.ts";
import type { Command } from "../command.ts";
import { withDatabase } from "../open.ts";

/** Prints the catalog as a file that `apply` takes; secrets are references, never in clear. */
export const exportCommand: Command = {
  name: "export",
  summary: "print the current catalog as a catalog file",
  positionals: [],
  options: {},
  examples: ["faregate export > faregate.yaml"],
  run: ({ config }) =>
    withDatabase(config, "export", async ({ database }) => {
      const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
      process.stdout.write(await exportManifest({ database, seals }));
      return 0;
    }),
};
