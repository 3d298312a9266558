import { basename } from "node:path";
import { openKeyHasher } from "../../accounts/key-hasher.ts";
import { openSeals } from "../../accounts/master-key.ts";
import { applyManifest } from "../../manifest/apply.ts";
import { readFileText } from "../../manifest/file/read.ts";
import { localFile } from "../../manifest/import.ts";
import { catalogTrace, commandOrigin } from "../audit.ts";
import type { Command } from "../command.ts";
import { withDatabase } from "../open.ts";

/** Makes the database hold what a catalog file declares; running gateways follow within moments. */
export const applyCommand: Command = {
  name: "apply",
  summary: "apply a catalog file to the database",
  positionals: ["FILE"],
  options: {
    "dry-run": { type: "boolean", help: "print the changes without applying them" },
    "remove-demo": { type: "boolean", help: "also remove the demo's upstream, models and account" },
    prune: {
      type: "boolean",
      help: "also remove objects that the file doesn't name, including keys and accounts created by hand",
    },
  },
  examples: [
    "faregate apply faregate.yaml --dry-run",
    "faregate apply faregate.yaml --prune",
    "faregate export | faregate apply -",
  ],
  async run({ config, positionals, flag }) {
    const [file = ""] = positionals;
    const name = file === "-" ? "standard input" : file;
    const { declared, unset } = localFile(await readFileText(file), config.environment, name);
    return withDatabase(config, "apply", async ({ database }) => {
      const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
      const deps = { database, seals, hasher: await openKeyHasher(database, seals) };
      const { changes, rendered, warnings } = await applyManifest(deps, declared, {
        prune: flag("prune"),
        removeDemo: flag("remove-demo"),
        dryRun: flag("dry-run"),
        trace: catalogTrace(basename(name), commandOrigin(), flag("prune")),
      });
      console.log(rendered.trimEnd());
      if (changes.length > 0) console.log(flag("dry-run") ? "Dry run: nothing was changed." : "Applied.");
      for (const variable of unset)
        console.error(`note: ${variable} is not set; the stored secret is unchanged`);
      for (const warning of warnings) console.error(`warning: ${warning}`);
      return 0;
    });
  },
};
