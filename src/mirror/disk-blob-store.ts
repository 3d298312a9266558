import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { failpoint } from "../base/failpoint.ts";
import type { BlobStore } from "./blob-store.ts";
import { isDay, pathOf } from "./media-name.ts";

/** A folder with one of each day in it. */
export function createDiskBlobStore(folder: string): BlobStore {
  return {
    async put(name, draft) {
      const path = join(folder, pathOf(name));
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      failpoint("mirror.before-put");
      await rename(draft.path, path);
      failpoint("mirror.after-put");
    },
    async size(name) {
      try {
        return (await stat(join(folder, pathOf(name)))).size;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    read: async (name, { first, last }) =>
      createReadStream(join(folder, pathOf(name)), { start: first, end: last }),
    async dropUpTo(day) {
      const old = (await namesIn(folder)).filter((name) => isDay(name) && name <= day);
      let dropped = 0;
      for (const name of old) {
        dropped += (await namesIn(join(folder, name))).length;
        await rm(join(folder, name), { recursive: true, force: true });
      }
      return dropped;
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
