import { mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Makes the data folder where it is missing, with mode 0711: with root the embedded server is another user, who must
 * pass through to its own part, and only there. Folder by folder, since Node's own `recursive` never ends where a
 * folder refuses children as /proc does.
 */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await make(dataDir);
  } catch (error) {
    if (!isCode(error, "ENOENT") || dirname(dataDir) === dataDir) throw error;
    await makeDataDir(dirname(dataDir));
    await make(dataDir);
  }
}

async function make(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o711 });
  } catch (error) {
    // A folder that is there says so in various ways, such as EROFS on a disk that is only read.
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}

/** True if there is an embedded database, valid or not; a folder or a link that cannot be read counts as one. */
export async function holdsDatabase(dataDir: string): Promise<boolean> {
  try {
    return (await readdir(join(dataDir, "pg"))).length > 0;
  } catch (error) {
    return !isCode(error, "ENOENT");
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
