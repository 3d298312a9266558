import { execFile } from "node:child_process";
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  copyOfPackage,
  type Program,
  removeDataDir,
  runSql,
  startProgram,
} from "../../../test/support/embedded.ts";
import type { ClusterOptions } from "./cluster.ts";
import { installationAt, installationOnPath } from "./installation.ts";
import { type EmbeddedDatabase, openEmbedded } from "./open-embedded.ts";
import { type Identity, identities, probe } from "./os-user.ts";

// Servers start and write to disk in earnest here, which a busy machine may make ten times slower.
vi.setConfig({ testTimeout: 120_000 });

const root = process.getuid?.() === 0;
const info = vi.fn();
const log = { info, warn: () => undefined, error: () => undefined };

/** Reachable for everybody. */
let folder: string;
const opened: EmbeddedDatabase[] = [];
const dataDirs: string[] = [];
const programs: Program[] = [];

beforeEach(async () => {
  folder = await mkdtemp("/tmp/faregate-cluster-");
  await chmod(folder, 0o755);
  info.mockClear();
});
afterEach(async () => {
  await Promise.allSettled(programs.splice(0).map((program) => program.end("SIGTERM")));
  await Promise.allSettled(opened.splice(0).map((database) => database.close()));
  for (const dataDir of dataDirs.splice(0)) await removeDataDir(dataDir);
  await rm(folder, { recursive: true, force: true });
});

async function open(dataDir: string, options: ClusterOptions = {}): Promise<EmbeddedDatabase> {
  dataDirs.push(dataDir);
  const database = await openEmbedded({ dataDir, role: "owner", log, ...options });
  opened.push(database);
  return database;
}

async function close(): Promise<void> {
  await opened.pop()?.close();
}

/** The system user and the programs of the latest start's server. */
const lastStart = () =>
  info.mock.calls.findLast(([, message]) => message === "embedded database starting")?.[0] as {
    as: string;
    postgres: string;
  };

const works = async ({ url }: EmbeddedDatabase) =>
  expect(await runSql(url, "select 1 as n")).toEqual([{ n: 1 }]);

/** Below a folder that only its owner may enter, as a home folder is. */
async function privateFolder(): Promise<string> {
  const home = join(folder, "home");
  await mkdir(home, { mode: 0o700 });
  return home;
}

/** Programs that everybody may run, wherever the checkout stands: root's home folder is private. */
async function withinReach(): Promise<ClusterOptions> {
  const native = await copyOfPackage(folder);
  await chmod(dirname(native), 0o755);
  return { installations: [await installationAt(native, folder)] };
}

const namespacesWork = async () => {
  const namespace = identities().find(({ name }) => name === "namespace");
  if (!namespace) return false;
  return "version" in (await probe(namespace, "/bin/true", "/tmp"));
};

describe.runIf(root)("as root (skipped otherwise: these cases only root has)", () => {
  it("runs as nobody where it may enter, and gives away nothing but pg/", async () => {
    const dataDir = join(folder, "data");
    await works(await open(dataDir, await withinReach()));
    expect(lastStart().as).toBe("nobody");
    expect((await lstat(join(dataDir, "pg"))).uid).toBe(65534);
    for (const kept of [".", "postgres.log", "database-socket"])
      expect((await lstat(join(dataDir, kept))).uid).toBe(0);
  });

  it("runs in a namespace below a home folder of mode 700, with the data in place", async (context) => {
    if (!(await namespacesWork())) return context.skip("this machine forbids user namespaces");
    const dataDir = join(await privateFolder(), "data");
    await works(await open(dataDir));
    expect(lastStart().as).toBe("namespace");
    expect((await lstat(join(dataDir, "pg"))).uid).toBe(0);
  });

  it("runs with the programs below a home folder of mode 700", async (context) => {
    if (!(await namespacesWork())) return context.skip("this machine forbids user namespaces");
    const installations = [await installationAt(await copyOfPackage(await privateFolder()), folder)];
    await works(await open(join(folder, "data"), { installations }));
    expect(lastStart().as).toBe("namespace");
  });

  it("copies programs and data to a system folder where nothing else works, and finds them there again", async () => {
    const home = await privateFolder();
    const options = {
      identities: identities().filter(({ name }) => name === "nobody"),
      installations: [await installationAt(await copyOfPackage(home), folder)],
      stateFolder: join(folder, "state"),
    };
    const dataDir = join(home, "data");
    const { url } = await open(dataDir, options);
    await runSql(url, "create table rows as select 1 as n");
    expect(await realpath(join(dataDir, "pg"))).toMatch(join(folder, "state", "data-"));
    await close();
    expect(await runSql((await open(dataDir, options)).url, "select n from rows")).toEqual([{ n: 1 }]);
  });

  it("keeps the data when the way to run it changes", async (context) => {
    if (!(await namespacesWork())) return context.skip("this machine forbids user namespaces");
    const home = await privateFolder();
    const dataDir = join(home, "data");
    const programs = await withinReach();
    await runSql((await open(dataDir, programs)).url, "create table rows as select 1 as n");
    await close();
    const read = async (options: ClusterOptions) =>
      runSql((await open(dataDir, { ...programs, ...options })).url, "select n from rows");
    const onlyNobody = {
      identities: identities().filter(({ name }) => name === "nobody"),
      stateFolder: join(folder, "state"),
    };
    expect(await read(onlyNobody)).toEqual([{ n: 1 }]);
    await close();
    expect(await read({ identities: identities().filter(({ name }) => name === "namespace") })).toEqual([
      { n: 1 },
    ]);
    await close();
    await chmod(home, 0o755);
    expect(await read({})).toEqual([{ n: 1 }]);
    expect(lastStart().as).toBe("nobody");
  });

  it.for([
    { who: "an ordinary user", uid: 65534 },
    // Containers run programs like this; initdb needs a user name, which a namespace provides.
    { who: "a user without an account", uid: 54321 },
  ])(
    "works the same for $who, from a home folder of mode 700 and programs that are not theirs to repair",
    async ({ uid }, context) => {
      if (!(await mayRunTests(uid)))
        return context.skip(`uid ${uid} may not run node or read this repository`);
      if (uid !== 65534 && !(await namespacesWork()))
        return context.skip("this machine forbids user namespaces");
      const home = await privateFolder();
      await chown(home, uid, uid);
      const packageRoot = await spoiledPackage();
      await chmod(join(packageRoot, ".."), 0o755);
      const program = startProgram(
        { dataDir: join(home, "data"), role: "owner", packageRoot },
        { uid, gid: uid },
      );
      programs.push(program);
      dataDirs.push(join(home, "data"));
      const { url = "" } = await program.next("open");
      expect(await runSql(url, "select 1 as n")).toEqual([{ n: 1 }]);
      expect((await lstat(join(home, "data", "pg"))).uid).toBe(uid);
    },
  );
});

async function mayRunTests(uid: number): Promise<boolean> {
  const program = ["-e", "require('fs').readFileSync(process.argv[1])", fileURLToPath(import.meta.url)];
  return promisify(execFile)(process.execPath, program, { uid, gid: uid, cwd: "/" }).then(
    () => true,
    () => false,
  );
}

/** The package as it is without install scripts (no library links) and after an archive (no executable bits). */
async function spoiledPackage(): Promise<string> {
  const packageRoot = await copyOfPackage(folder);
  const links = JSON.parse(await readFile(join(packageRoot, "pg-symlinks.json"), "utf8")) as {
    target: string;
  }[];
  for (const { target } of links) await rm(join(packageRoot, "..", target), { force: true });
  for (const name of ["postgres", "initdb"]) await chmod(join(packageRoot, "bin", name), 0o644);
  return packageRoot;
}

describe.runIf(root)("a version that does not fit", () => {
  it("moves nothing anywhere", async (context) => {
    const found = await installationOnPath();
    if (!found) return context.skip("there is no postgres on PATH");
    const dataDir = join(folder, "data");
    await open(dataDir, { installations: [found] });
    await close();
    const packaged = await installationAt(await copyOfPackage(folder), folder);
    const major = (await readFile(join(dataDir, "pg", "PG_VERSION"), "utf8")).trim();
    if (major === "18") return context.skip("it is of the same version as the package's");
    const stateFolder = join(folder, "state");
    await expect(open(dataDir, { installations: [packaged], stateFolder })).rejects.toThrow(
      "was written by PostgreSQL",
    );
    await expect(lstat(stateFolder)).rejects.toThrow("ENOENT");
  });
});

describe("the programs", () => {
  it("are put right where install scripts did not run and executable bits are missing", async () => {
    const packageRoot = await spoiledPackage();
    await works(
      await open(join(folder, "data"), { installations: [await installationAt(packageRoot, folder)] }),
    );
    expect((await lstat(join(packageRoot, "lib", "libpq.so.5"))).isSymbolicLink()).toBe(true);
  });

  it("may be a postgres on PATH, and its data is not given to another version", async (context) => {
    const found = await installationOnPath();
    if (!found) return context.skip("there is no postgres on PATH");
    const dataDir = join(folder, "data");
    await works(await open(dataDir, { installations: [found] }));
    await close();
    const major = (await readFile(join(dataDir, "pg", "PG_VERSION"), "utf8")).trim();
    const packaged = await installationAt(await copyOfPackage(folder), folder);
    if (major === "18") return context.skip("it is of the same version as the package's");
    await expect(open(dataDir, { installations: [packaged] })).rejects.toThrow(
      `the database was written by PostgreSQL ${major}, this is 18`,
    );
    // With both installations present, the one that fits is found.
    await works(await open(dataDir));
  });

  it("that cannot be run at all are named with the reason and the way out", async () => {
    const nowhere: Identity = {
      name: "self",
      owner: { uid: process.getuid?.() ?? 0, gid: 0 },
      command: (_, args) => ({ file: "/nonexistent", args, identity: {} }),
    };
    const failing = open(join(folder, "data"), { identities: [nowhere] });
    await expect(failing).rejects.toThrow(
      /No PostgreSQL could run on .*as self: .*ENOENT.*or set DATABASE_URL/,
    );
    const none = open(join(folder, "data"), { installations: [] });
    await expect(none).rejects.toThrow("PATH has none");
  });

  it("that cannot make a database say why not, not what they tidied up afterwards", async () => {
    const self: Identity = {
      name: "self",
      owner: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
      command: (file, args) => ({ file, args, identity: {} }),
    };
    const scripts = {
      postgres: "echo 'postgres (PostgreSQL) 18.0'",
      initdb: `cat >&2 <<END; exit 1
2026-01-01 00:00:00.000 UTC [7] FATAL:  could not extend file "base/1/2691": No space left on device
2026-01-01 00:00:00.000 UTC [7] HINT:  Check free disk space.
2026-01-01 00:00:00.000 UTC [7] PANIC:  cannot abort transaction 1, it was already committed
Aborted
child process exited with exit code 134
initdb: removing contents of data directory "pg"
END`,
    };
    for (const [name, script] of Object.entries(scripts)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const full = { identities: [self], installations: [{ binFolder: folder, origin: "here" }] };
    await expect(open(join(folder, "data"), full)).rejects.toThrow(
      'here as self: could not extend file "base/1/2691": No space left on device. Install',
    );
  });
});
