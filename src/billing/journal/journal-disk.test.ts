import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { journalsOnDisk, openJournalDisk } from "./journal-disk.ts";

const LOOKOUT = fileURLToPath(new URL("../../../test/support/money/journal-lookout.ts", import.meta.url));

describe("the journals of a data dir", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "faregate-journals-"));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it("are never taken for abandoned by a sibling, not even while they are made", async () => {
    const over = join(dataDir, "over");
    const lookout = spawn(process.execPath, ["--import", "tsx", LOOKOUT, dataDir, over], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const records = createInterface({ input: lookout.stdout })[Symbol.asyncIterator]();
    expect((await records.next()).value).toBe("ready");
    const disk = openJournalDisk(dataDir);
    for (let number = 0; number < 1_000; number += 1) disk.make(`journal-${number}`).close();
    writeFileSync(over, "");
    expect((await records.next()).value).toBe("[]");
    expect(journalsOnDisk(dataDir)).toHaveLength(1_000);
  });

  it("are none of what a process left that died while it made one", () => {
    const disk = openJournalDisk(dataDir);
    const unfinished = join(dataDir, "journal", `.${process.pid}`);
    mkdirSync(unfinished, { recursive: true });
    expect(disk.abandoned(new Set())).toEqual([]);
    disk.make("first").close();
    expect(readdirSync(join(dataDir, "journal"))).toEqual(["first"]);
  });

  it("are found under the folder's old name, also beside newer ones", () => {
    const before = openJournalDisk(dataDir);
    before.make("left").close();
    renameSync(join(dataDir, "journal"), join(dataDir, "spool"));
    before.make("newer").close();
    const disk = openJournalDisk(dataDir);
    expect(journalsOnDisk(dataDir).toSorted()).toEqual(["left", "newer"]);
    expect(disk.read("left").damaged).toBe(0);
    expect(readdirSync(dataDir)).toEqual(["journal"]);
  });
});
