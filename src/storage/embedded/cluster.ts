import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, open, readdir, readFile, realpath, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DatabaseLog } from "../database.ts";
import { copyInstallation, findInstallations, type Installation } from "./installation.ts";
import { changeOwner, type Identity, identities, probe } from "./os-user.ts";
import { DATABASE_USER, SERVER_ENVIRONMENT } from "./settings.ts";

/** The files of the database, the programs that fit them, and as whom those run. */
export interface Cluster {
  readonly folder: string;
  readonly installation: Installation;
  readonly identity: Identity;
}

/** Parts that only tests replace, to show a case that this machine does not have or to spare its disk. */
export interface ClusterOptions {
  readonly identities?: readonly Identity[];
  readonly installations?: readonly Installation[];
  readonly stateFolder?: string;
  /** Settings of the server in place of ours. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The newest statement we use is of PostgreSQL 15. */
export const OLDEST_MAJOR = 15;

/**
 * Finds or makes the files of the database in `dataDir` and a way to run PostgreSQL on them: each
 * installation with each identity in turn, and for root at last with copies in a system folder. Call
 * under the start lock and only while no server runs on the folder.
 */
export async function prepareCluster(
  dataDir: string,
  log: DatabaseLog,
  options: ClusterOptions = {},
): Promise<Cluster> {
  const place = await findPlace(dataDir);
  const who = options.identities ?? identities();
  const installations = options.installations ?? (await findInstallations(dataDir));
  const reasons: string[] = [];
  let reached = false;

  const attempt = async (
    at: Place,
    installation: Installation,
    identity: Identity,
  ): Promise<Cluster | undefined> => {
    const trial = await tryToUse(at, installation, identity);
    if (trial === "usable") return finish(at, installation, identity);
    reached ||= trial.reached;
    reasons.push(`${installation.origin} as ${identity.name}: ${trial.reason}`);
    return undefined;
  };

  for (const installation of installations) {
    for (const identity of who) {
      const cluster = await attempt(place, installation, identity);
      if (cluster) return cluster;
    }
  }
  const nobody = who.find(({ name }) => name === "nobody");
  const root = installations.find((installation) => installation.root !== undefined)?.root;
  // Only where nobody can get there: a wrong version, say, would not be helped by moving anything.
  if (nobody && root !== undefined && !reached) {
    const stateFolder = options.stateFolder ?? STATE_FOLDER;
    log.info(
      { stateFolder },
      "data folder is not accessible to the user nobody; the database uses a system folder",
    );
    const copy = await copyInstallation(root, stateFolder);
    const inPlace = await attempt(place, copy, nobody);
    if (inPlace) return inPlace;
    const moved = reached
      ? undefined
      : await attempt(await moveOut(place, dataDir, stateFolder), copy, nobody);
    if (moved) return moved;
  }
  if (installations.length === 0) reasons.push("npm installed none for this platform, and PATH has none");
  throw new Error(
    `No PostgreSQL could run on ${place.folder}: ${reasons.join("; ")}. ` +
      "Install one, or set DATABASE_URL to a PostgreSQL server.",
  );
}

/** The system's folder for programs' state, which every user can reach. */
const STATE_FOLDER = "/var/lib/faregate";

interface Place {
  /** The folder of the files, finished or not. */
  readonly folder: string;
  /** The server version that wrote them; undefined = there are none yet. */
  readonly major: number | undefined;
  /** The place of the finished folder (and of a link to it, if that is elsewhere). */
  readonly final: string;
  readonly link: string | undefined;
}

async function findPlace(dataDir: string): Promise<Place> {
  const final = join(dataDir, "pg");
  const version = await readFile(join(final, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version !== undefined) {
    return { folder: await realpath(final), major: Number.parseInt(version, 10), final, link: undefined };
  }
  const strangers = await readdir(final).catch(() => []);
  if (strangers.length > 0) {
    throw new Error(
      `${final} contains files but no PostgreSQL database (PG_VERSION is missing). ` +
        "Restore it from a backup, or move it away to start with an empty database.",
    );
  }
  const folder = join(dataDir, "pg.new");
  await rm(folder, { recursive: true, force: true }); // left by a start that was cut short
  await mkdir(folder, { mode: 0o700 });
  return { folder, major: undefined, final, link: undefined };
}

/** Why not; `reached` = the programs ran and could enter the folder, so it is not a question of permission. */
type Trial = "usable" | { reason: string; reached: boolean };

async function tryToUse(place: Place, installation: Installation, identity: Identity): Promise<Trial> {
  try {
    await changeOwner(place.folder, identity.owner);
  } catch (error) {
    return { reason: `the owner of the files could not be changed (${messageOf(error)})`, reached: false };
  }
  const tried = await probe(identity, join(installation.binFolder, "postgres"), place.folder);
  if ("reason" in tried) return { reason: tried.reason, reached: false };
  const major = Number(/(\d+)/.exec(tried.version)?.[1] ?? 0);
  if (major < OLDEST_MAJOR)
    return { reason: `it is ${tried.version}, at least ${OLDEST_MAJOR} is needed`, reached: true };
  if (place.major === undefined) return initialise(place.folder, installation, identity);
  if (place.major === major) return "usable";
  const reason =
    `the database was written by PostgreSQL ${place.major}, this is ${major}; ` +
    `put a postgres ${place.major} on PATH, or dump and restore`;
  return { reason, reached: true };
}

async function initialise(folder: string, installation: Installation, identity: Identity): Promise<Trial> {
  const options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions"];
  const {
    file,
    args,
    identity: ids,
  } = identity.command(join(installation.binFolder, "initdb"), [
    `--pgdata=${folder}`,
    `--username=${DATABASE_USER}`,
    ...options,
  ]);
  try {
    await promisify(execFile)(file, args, { ...ids, cwd: folder, env: SERVER_ENVIRONMENT });
    return "usable";
  } catch (error) {
    return { reason: firstComplaint(error) ?? messageOf(error), reached: true };
  }
}

/** The first error of initdb: the lines after it are about the cleanup. */
function firstComplaint(error: unknown): string | undefined {
  return /\b(?:FATAL|PANIC|ERROR|error): +(.+)/.exec(error instanceof Error ? error.message : "")?.[1];
}

/** Puts a newly made folder in its place at once and whole, so that no half-made database is ever met. */
async function finish(place: Place, installation: Installation, identity: Identity): Promise<Cluster> {
  if (place.folder !== place.final && place.major === undefined) {
    await rm(place.final, { recursive: true, force: true }); // at most an empty folder, see findPlace
    await rename(place.folder, place.final);
    await syncFolder(join(place.final, ".."));
  }
  if (place.link !== undefined) {
    await rm(place.link, { recursive: true, force: true });
    await symlink(place.final, place.link);
  }
  return { folder: await realpath(place.final), installation, identity };
}

/** Moves the files below the state folder; the data folder keeps a link to them. */
async function moveOut(place: Place, dataDir: string, stateFolder: string): Promise<Place> {
  const id = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const final = join(stateFolder, `data-${id}`);
  const link = join(dataDir, "pg");
  await mkdir(stateFolder, { recursive: true, mode: 0o755 });
  if (place.major === undefined) {
    const folder = `${final}.new`;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    await rm(place.folder, { recursive: true, force: true });
    return { folder, major: undefined, final, link };
  }
  if (place.folder === final) return { ...place, final };
  await rename(place.folder, final).catch(async () => {
    // Another file system. The original goes only once the copy is whole.
    await cp(place.folder, final, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    await rm(place.folder, { recursive: true, force: true });
  });
  return { folder: final, major: place.major, final, link };
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, "r");
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-2)
    .join(" ");
}
