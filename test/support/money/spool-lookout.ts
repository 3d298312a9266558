import { existsSync } from "node:fs";
import { openSpoolDisk, spoolsOnDisk } from "../../../src/billing/spool-disk.ts";

/**
 * A process that does nothing but look for abandoned spools, until the file that is named second is there. Its
 * arguments are the data dir and that file; it says `ready`, and in the end the ids of those it took for abandoned.
 */
const [dataDir = "", over = ""] = process.argv.slice(2);
const disk = openSpoolDisk(dataDir);
const owned = new Set<string>();
const abandoned = new Set<string>();
process.stdout.write("ready\n");
while (!existsSync(over)) {
  const there = spoolsOnDisk(dataDir);
  for (const spool of disk.abandoned(owned)) abandoned.add(spool);
  for (const spool of there) if (!abandoned.has(spool)) owned.add(spool);
}
process.stdout.write(`${JSON.stringify([...abandoned])}\n`);
