import { existsSync } from "node:fs";
import { journalsOnDisk, openJournalDisk } from "../../../src/billing/journal/journal-disk.ts";

/**
 * A process that does nothing but look for abandoned journals, until the file that is named second is there. Its
 * arguments are the data dir and that file; it says `ready`, and in the end the ids of those it took for abandoned.
 */
const [dataDir = "", over = ""] = process.argv.slice(2);
const disk = openJournalDisk(dataDir);
const owned = new Set<string>();
const abandoned = new Set<string>();
process.stdout.write("ready\n");
while (!existsSync(over)) {
  const there = journalsOnDisk(dataDir);
  for (const journal of disk.abandoned(owned)) abandoned.add(journal);
  for (const journal of there) if (!abandoned.has(journal)) owned.add(journal);
}
process.stdout.write(`${JSON.stringify([...abandoned])}\n`);
