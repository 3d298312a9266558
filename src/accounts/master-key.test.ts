import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../test/support/database.ts";
import { createSeals } from "../base/seal.ts";
import { openKeyHasher } from "./key-hasher.ts";
import { installNextKey, openSeals, prepareNextKey, readMasterKey } from "./master-key.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "faregate-key-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the master key file", () => {
  it("is made once, for the owner only, by however many start at once", async () => {
    const source = { dataDir: join(folder, "new", "data"), configured: undefined };
    const keys = await Promise.all(Array.from({ length: 8 }, () => readMasterKey(source)));
    expect(new Set(keys).size).toBe(1);
    expect(Buffer.from(keys[0] ?? "", "base64")).toHaveLength(32);
    expect(await readdir(source.dataDir)).toEqual(["master.key"]);
    expect((await stat(join(source.dataDir, "master.key"))).mode & 0o777).toBe(0o600);
    expect(await readMasterKey(source)).toBe(keys[0]);
  });

  it("is neither read nor made where the key is given", async () => {
    const source = { dataDir: join(folder, "none"), configured: "a key from the environment" };
    const sealed = (await openSeals(source)).seal("secret", "row:1");
    expect(createSeals(source.configured).open(sealed, "row:1")).toBe("secret");
    await expect(readdir(source.dataDir)).rejects.toThrow("ENOENT");
  });

  it("that is empty is an error, not a reason for a new key", async () => {
    await writeFile(join(folder, "master.key"), "\n");
    await expect(openSeals({ dataDir: folder, configured: undefined })).rejects.toThrow(
      /Restore it from a backup/,
    );
    await rm(join(folder, "master.key"));
  });

  it("beside a prepared next one opens what either sealed, until the next is installed", async () => {
    const source = { dataDir: folder, configured: undefined };
    const sealedBefore = (await openSeals(source)).seal("old", "row:1");
    const next = await prepareNextKey(folder);
    expect(await prepareNextKey(folder)).toBe(next);
    const both = await openSeals(source);
    expect(both.open(sealedBefore, "row:1")).toBe("old");
    const sealedAfter = both.seal("new", "row:1");
    await installNextKey(folder);
    expect((await readFile(join(folder, "master.key"), "utf8")).trim()).toBe(next);
    const after = await openSeals(source);
    expect(after.open(sealedAfter, "row:1")).toBe("new");
    expect(() => after.open(sealedBefore, "row:1")).toThrow(/another master key/);
  });
});

describe("a master key that is missing", () => {
  it("is made for a database without secrets, and never for one that has some", async () => {
    const test = await createTestDatabase();
    try {
      const { database } = test;
      const first = { dataDir: await mkdtemp(join(folder, "first-")), configured: undefined, database };
      await openKeyHasher(database, await openSeals(first));
      await expect(openSeals(first)).resolves.toBeDefined();
      const moved = { ...first, dataDir: await mkdtemp(join(folder, "moved-")) };
      await expect(openSeals(moved)).rejects.toThrow(`master.key is missing in ${moved.dataDir}`);
      await expect(readMasterKey(moved)).rejects.toThrow("Restore it from the backup");
      expect(await readdir(moved.dataDir)).toEqual([]);
    } finally {
      await test.drop();
    }
  });
});
