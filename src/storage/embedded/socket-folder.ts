import { chmod, chown, lstat, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/**
 * The folder of the server's socket, emptied: call only while no server runs. It lies apart from the data
 * because a socket's path may have at most 107 bytes (103 on macOS) and data folders lie as deep as they
 * like. It has mode 0700: whoever may enter it may use the database. Its name is random, so nobody can
 * lay it out before us, and is noted in the data folder, so that a restarted server is found where it
 * was. It stays when the server dies: someone may be about to start it again for those who know the path.
 */
export async function socketFolder(
  dataDir: string,
  owner: { uid: number; gid: number },
  temporary: readonly string[] = [tmpdir(), "/tmp"],
): Promise<string> {
  const note = join(dataDir, "database-socket");
  const noted = (await readFile(note, "utf8").catch(() => "")).trim();
  if (noted && (await isOurs(noted, owner.uid))) {
    // A dead server's lock file would keep the next one from starting for as long as its pid is taken.
    for (const name of await readdir(noted)) await rm(join(noted, name), { recursive: true, force: true });
    return noted;
  }
  // The server now runs as someone else: take the old folder away, since nobody will look for it again.
  if (basename(noted).startsWith(PREFIX)) await rm(noted, { recursive: true, force: true });
  const folder = await makeFolder([...temporary, dataDir]);
  await chmod(folder, 0o700);
  if (process.getuid?.() !== owner.uid) await chown(folder, owner.uid, owner.gid);
  await writeFile(note, `${folder}\n`, { mode: 0o600 });
  return folder;
}

const PREFIX = "faregate-";

/** Takes it away when the last program has left: nobody is there who knows its path. */
export async function removeSocketFolder(dataDir: string): Promise<void> {
  const note = join(dataDir, "database-socket");
  const noted = (await readFile(note, "utf8").catch(() => "")).trim();
  if (basename(noted).startsWith(PREFIX)) await rm(noted, { recursive: true, force: true });
  await rm(note, { force: true });
}

async function isOurs(folder: string, uid: number): Promise<boolean> {
  try {
    const found = await lstat(folder);
    return found.isDirectory() && found.uid === uid && (found.mode & 0o777) === 0o700;
  } catch {
    return false; // cleaned away, as /tmp is at a reboot
  }
}

// "/faregate-XXXXXX/.s.PGSQL.5432.lock" takes 36 bytes of the 103 that every system allows.
const MAX_PARENT_BYTES = 60;

/** In the first place that is short and can be written: where a whole system is read-only, that is the data folder. */
async function makeFolder(places: readonly string[]): Promise<string> {
  const short = places.filter((place) => Buffer.byteLength(place) <= MAX_PARENT_BYTES);
  const reasons: string[] = [];
  for (const parent of new Set(short)) {
    try {
      return await mkdtemp(join(parent, PREFIX));
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    `There is no folder for the database's socket: ${reasons.join("; ")}. Set TMPDIR to a writable folder, ` +
      `or FAREGATE_DATA_DIR to a path of at most ${MAX_PARENT_BYTES} bytes.`,
  );
}
