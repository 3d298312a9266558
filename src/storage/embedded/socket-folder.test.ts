import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { socketFolder } from "./socket-folder.ts";

const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp("/tmp/faregate-sockets-");
});
afterEach(() => rm(dataDir, { recursive: true }));

it("lies in the data folder where no temporary folder can be written", async () => {
  const folder = await socketFolder(dataDir, owner, ["/nonexistent", `/tmp/${"long".repeat(20)}`]);
  expect(dirname(folder)).toBe(dataDir);
  expect(await socketFolder(dataDir, owner)).toBe(folder);
});

it("that can lie nowhere is a sentence with the ways out", async () => {
  const deep = join(dataDir, "deep".repeat(20));
  await expect(socketFolder(deep, owner, ["/nonexistent"])).rejects.toThrow(
    /no folder for the database's socket: ENOENT.*TMPDIR.*FAREGATE_DATA_DIR/,
  );
});
