import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { claimDataDir } from "./data-dir-claim.ts";

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe("the claim on a data folder", () => {
  let test: TestDatabase;
  let dataDir: string;
  beforeEach(async () => {
    test = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), "faregate-claim-"));
  });
  afterEach(async () => {
    await test.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const claim = () => claimDataDir({ url: test.url, dataDir, log: quiet, onLost: () => undefined });

  it("is refused to the second of two that start at once, though the first has not yet written the id", async () => {
    const id = join(dataDir, "id");
    await writeFile(id, "");
    const second = claim();
    await sleep(100);
    await writeFile(id, "words of the first\n");
    const end = await second;
    await expect(claim()).rejects.toMatchObject({ name: "OwnerTakenError" });
    await end();
  });

  it("names the file where the id was lost", async () => {
    await writeFile(join(dataDir, "id"), "\n");
    await expect(claim()).rejects.toThrow(/id contains no id\. Delete it/);
  });
});
