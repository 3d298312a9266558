import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { BUSY_TIMEOUT_MS } from "../../../test/support/database.ts";
import {
  type Program,
  removeDataDir,
  runSql,
  serverPid,
  startProgram,
} from "../../../test/support/embedded.ts";
import { failureOf } from "../failures.ts";
import { openPool } from "../pool.ts";
import { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from "./open-embedded.ts";

// Servers start and write to disk in earnest here, which a busy machine may make ten times slower.
vi.setConfig({ testTimeout: 120_000 });

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

// Making a database takes longest, so it is made once and copied where the making is not the point.
let made: string;
let dataDir: string;
const programs: Program[] = [];
const opened: EmbeddedDatabase[] = [];

beforeAll(async () => {
  made = await mkdtemp("/tmp/faregate-embedded-");
  await (await openEmbedded({ dataDir: made, role: "owner", log: quiet })).close();
});
afterAll(() => removeDataDir(made));
beforeEach(async () => {
  dataDir = await mkdtemp("/tmp/faregate-embedded-");
  await cp(join(made, "pg"), join(dataDir, "pg"), { recursive: true });
});
afterEach(async () => {
  await Promise.allSettled(programs.splice(0).map((program) => program.end("SIGKILL")));
  await Promise.allSettled(opened.splice(0).map((database) => database.close()));
  await removeDataDir(dataDir);
});

async function open(role: EmbeddedOptions["role"]): Promise<EmbeddedDatabase> {
  const database = await openEmbedded({ dataDir, role, log: quiet });
  opened.push(database);
  return database;
}

async function close(database: EmbeddedDatabase): Promise<void> {
  opened.splice(opened.indexOf(database), 1);
  await database.close();
}

function program(role: EmbeddedOptions["role"]): Program {
  const started = startProgram({ dataDir, role });
  programs.push(started);
  return started;
}

const createRows = (url: string) => runSql(url, "create table rows as select 1::int4 as n");
const readRows = (url: string) => runSql(url, "select n from rows order by n");

/** A program that has nothing to do with us, of the very user that the server runs as. */
async function startStranger() {
  const { uid, gid } = await stat(join(dataDir, "pg"));
  return spawn("sleep", ["600"], process.getuid?.() === 0 ? { uid, gid } : {});
}

async function forgePid(pid: number): Promise<void> {
  const path = join(dataDir, "pg", "postmaster.pid");
  await writeFile(path, (await readFile(path, "utf8")).replace(/^\d+/, String(pid)));
}

const readNote = () => readFile(join(dataDir, "database-socket"), "utf8");

describe("an owner", () => {
  it("makes the database at the first start, keeps it over a second, and leaves no server behind", async () => {
    await rm(join(dataDir, "pg"), { recursive: true });
    const first = await open("owner");
    await createRows(first.url);
    const sockets = decodeURIComponent(/host=([^&]*)/.exec(first.url)?.[1] ?? "");
    expect((await stat(sockets)).mode & 0o777).toBe(0o700);
    await close(first);
    expect(await serverPid(dataDir)).toBeUndefined();
    const second = await open("owner");
    expect(await readRows(second.url)).toEqual([{ n: 1 }]);
  });

  it("cannot be weakened by the server's own configuration, and listens nowhere but on its socket", async () => {
    const { url } = await open("owner");
    await runSql(url, "alter system set fsync = off");
    await runSql(url, "select pg_reload_conf()");
    const names = ["fsync", "synchronous_commit", "full_page_writes", "listen_addresses", "data_checksums"];
    const values = await runSql(
      url,
      `select setting from unnest('{${names}}'::text[]) as name join pg_settings using (name)`,
    );
    expect(values.map(({ setting }) => setting)).toEqual(["on", "on", "on", "", "on"]);
  });

  it("is alone: a second one is refused with a sentence that names the first", async () => {
    const first = await open("owner");
    await expect(openEmbedded({ dataDir, role: "owner", log: quiet })).rejects.toThrow(
      `Another gateway (process ${process.pid}) already serves from ${await realpath(dataDir)}. Stop it first`,
    );
    expect(await runSql(first.url, "select 1 as n")).toEqual([{ n: 1 }]);
  });

  it("is one of many that start on an empty folder in the same moment", async () => {
    await rm(join(dataDir, "pg"), { recursive: true });
    const attempts = await Promise.allSettled(Array.from({ length: 4 }, () => open("owner")));
    const refused = attempts.filter((attempt) => attempt.status === "rejected");
    expect(refused.map(({ reason }) => reason.name)).toEqual(Array(3).fill("OwnerTakenError"));
  });

  it("refuses a folder whose database has lost its version file", async () => {
    await close(await open("owner"));
    await rm(join(dataDir, "pg", "PG_VERSION"));
    await expect(open("owner")).rejects.toThrow("contains files but no PostgreSQL database");
  });
});

describe("guests", () => {
  it("attach to a running owner's server and leave it running", async () => {
    const owner = await open("owner");
    const guest = await open("guest");
    expect([guest.pid(), guest.url]).toEqual([owner.pid(), owner.url]);
    await close(guest);
    expect(await serverPid(dataDir)).toBe(owner.pid());
  });

  it("start the server where none runs and stop it again", async () => {
    await close(await open("guest"));
    expect(await serverPid(dataDir)).toBeUndefined();
  });

  it("leave it to an owner that came meanwhile; the last one out stops it, whoever it is", async () => {
    const guest = await open("guest");
    const owner = await open("owner");
    expect(owner.pid()).toBe(guest.pid());
    await close(owner);
    expect(await runSql(guest.url, "select 1 as n")).toEqual([{ n: 1 }]);
    await close(guest);
    expect(await serverPid(dataDir)).toBeUndefined();
  });
});

describe("kill -9", () => {
  it("of the gateway: the server outlives it and the next owner attaches to it at once", async () => {
    const killed = program("owner");
    const { url = "", pid } = await killed.next("open");
    await createRows(url);
    await killed.end("SIGKILL");
    expect(await serverPid(dataDir)).toBe(pid);
    const next = await open("owner");
    expect(next.pid()).toBe(pid);
    expect(await readRows(next.url)).toEqual([{ n: 1 }]);
  });

  it("of the server: callers see connection errors, then it is back with every committed row, under the same URL", async () => {
    const owner = await open("owner");
    const guest = await open("guest");
    const pool = openPool({ url: owner.url, applicationName: "test", timeoutMs: BUSY_TIMEOUT_MS });
    await pool.query("create table rows (n int4)");
    await pool.execute("insert into rows values (1)");
    const before = owner.pid();
    process.kill(before, "SIGKILL");
    const errors: unknown[] = [];
    const acknowledged = [1];
    // The killed server's sessions may go on for a moment; what they acknowledge counts as well.
    for (let n = 2; errors.length === 0 || acknowledged.at(-1) !== n - 1; n += 1) {
      try {
        await pool.execute("insert into rows values ($1)", [n]);
        acknowledged.push(n);
      } catch (error) {
        errors.push(error);
        await new Promise((done) => setTimeout(done, 10));
      }
    }
    expect(errors.map(failureOf)).toEqual(errors.map(() => "connection"));
    const kept = (await pool.query<{ n: number }>("select n from rows")).map(({ n }) => n);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    await vi.waitFor(() => expect([owner.pid(), guest.pid()]).not.toContain(before), { timeout: 60_000 });
    await pool.close();
    // Ownership is back as well.
    await expect(openEmbedded({ dataDir, role: "owner", log: quiet })).rejects.toThrow("already serves");
  });

  it("of one session of the server: the server recovers by itself and stays owned", async () => {
    const owner = await open("owner");
    const [session] = await runSql(
      owner.url,
      "select pid from pg_stat_activity where application_name like 'faregate owner%'",
    );
    process.kill(Number(session?.["pid"]), "SIGKILL");
    await vi.waitFor(
      async () =>
        expect(
          await runSql(
            owner.url,
            "select from pg_stat_activity where application_name like 'faregate owner%'",
          ),
        ).toHaveLength(1),
      { timeout: 60_000 },
    );
    await expect(openEmbedded({ dataDir, role: "owner", log: quiet })).rejects.toThrow("already serves");
  });

  it("of both, while rows are being written: every acknowledged row is there after the next start", async () => {
    let acknowledged = 0;
    for (let round = 0; round < 2; round += 1) {
      const killed = program("owner");
      const { url = "", pid = 0 } = await killed.next("open");
      const pool = openPool({ url, applicationName: "test", timeoutMs: BUSY_TIMEOUT_MS });
      await pool.query("create table if not exists rows (n int4)");
      const target = acknowledged + 20;
      const writing = (async () => {
        for (;;) {
          await pool.execute("insert into rows values ($1)", [acknowledged + 1]);
          acknowledged += 1;
        }
      })().catch(() => undefined);
      await vi.waitFor(() => expect(acknowledged).toBeGreaterThan(target), { timeout: 60_000 });
      killed.child.kill("SIGKILL");
      process.kill(pid, "SIGKILL");
      await Promise.all([killed.end("SIGKILL"), writing]);
      await pool.close();
    }
    const owner = await open("owner");
    const rows = (await readRows(owner.url)).map(({ n }) => Number(n));
    expect(rows.slice(0, acknowledged)).toEqual(
      Array.from({ length: acknowledged }, (_, index) => index + 1),
    );
  });
});

describe("a restart", () => {
  it("is not kept back by a stale pid that now belongs to another program", async () => {
    const owner = await open("owner");
    process.kill(owner.pid(), "SIGSTOP"); // so that the owner's own recovery comes after the edit
    const stranger = await startStranger();
    try {
      await forgePid(stranger.pid ?? 0);
      process.kill(owner.pid(), "SIGKILL");
      const before = owner.pid();
      await vi.waitFor(() => expect(owner.pid()).not.toBe(before), { timeout: 60_000 });
      expect(await runSql(owner.url, "select 1 as n")).toEqual([{ n: 1 }]);
      expect(stranger.exitCode).toBeNull();
    } finally {
      stranger.kill("SIGKILL");
    }
  });

  it("brings a server back whose socket was cleaned away", async () => {
    const killed = program("owner");
    const { pid } = await killed.next("open");
    await killed.end("SIGKILL");
    await rm((await readNote()).trim(), { recursive: true });
    const owner = await open("owner");
    expect(owner.pid()).not.toBe(pid);
    expect(await runSql(owner.url, "select 1 as n")).toEqual([{ n: 1 }]);
  });
});

describe("an owner that slept through an outage", () => {
  it("is told so when another has taken its place", async () => {
    const sleeper = program("owner");
    const { pid = 0 } = await sleeper.next("open");
    sleeper.child.kill("SIGSTOP");
    process.kill(pid, "SIGKILL");
    await vi.waitFor(async () => expect(await serverPid(dataDir)).toBeUndefined(), { timeout: 60_000 });
    await open("owner");
    sleeper.child.kill("SIGCONT");
    expect((await sleeper.next("lost")).message).toContain(
      `Another gateway (process ${process.pid}) already serves`,
    );
  });
});
