import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { removeDataDir, runSql } from "../../../test/support/embedded.ts";
import { type EmbeddedDatabase, openEmbedded } from "./open-embedded.ts";

// Servers start and write to disk in earnest here, which a busy machine may make ten times slower.
vi.setConfig({ testTimeout: 120_000 });

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
let dataDir: string;
const opened: EmbeddedDatabase[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp("/tmp/faregate-password-");
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await removeDataDir(dataDir);
});

async function open(): Promise<EmbeddedDatabase> {
  const database = await openEmbedded({ dataDir, role: "owner", log: quiet });
  opened.push(database);
  return database;
}

const passwordFile = () => join(dataDir, "database-password");
const withoutPassword = (url: string): string => url.replace(/:[^:@/]+@/, "@");
const works = async (url: string) => expect(await runSql(url, "select 1 as n")).toEqual([{ n: 1 }]);

it("the server takes nobody without the password, which only its owner can read", async () => {
  const { url } = await open();
  await works(url);
  expect(withoutPassword(url)).not.toBe(url);
  await expect(runSql(withoutPassword(url), "select 1")).rejects.toThrow(/password/);
  await expect(runSql(url.replace(/:[^:@/]+@/, ":guess@"), "select 1")).rejects.toThrow(/password/);
  expect((await stat(passwordFile())).mode & 0o777).toBe(0o600);
});

it("a data folder whose server lets everybody in is closed at the next start", async () => {
  const { url } = await open();
  await runSql(url, "create table kept as select 7 as n");
  await opened.pop()?.close();
  await writeFile(join(dataDir, "pg", "pg_hba.conf"), "local all all trust\n");
  await rm(passwordFile());
  const next = await open();
  expect(await runSql(next.url, "select n from kept")).toEqual([{ n: 7 }]);
  await expect(runSql(withoutPassword(next.url), "select 1")).rejects.toThrow(/password/);
});

it("a password that the server does not know, as after a restored backup, is replaced", async () => {
  await open();
  await opened.pop()?.close();
  await writeFile(passwordFile(), "some other password\n");
  await works((await open()).url);
  expect(await readFile(passwordFile(), "utf8")).not.toContain("some other");
});
