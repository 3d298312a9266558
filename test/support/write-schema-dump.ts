import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../src/storage/migrator.ts";
import { openDatabase } from "../../src/storage/open-database.ts";
import { removeDataDir } from "./embedded.ts";
import { dumpSchema, SCHEMA_DUMP } from "./schema-dump.ts";

/** `npm run docs:schema`: writes the dump of the schema anew, from an embedded database of its own. */
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const dataDir = await mkdtemp(join(tmpdir(), "faregate-schema-"));
const database = await openDatabase({
  dataDir,
  role: "guest",
  applicationName: "faregate schema dump",
  log: quiet,
});
try {
  await migrate(database.url, quiet);
  writeFileSync(SCHEMA_DUMP, await dumpSchema(database));
} finally {
  await database.close();
  await removeDataDir(dataDir);
}
