import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { randomKey, randomText } from "../base/random.ts";
import { createSeals, type Seals } from "../base/seal.ts";
import { makeDataDir } from "../storage/data-dir.ts";
import type { Queryable } from "../storage/database.ts";
import { readHashingSecret } from "./master-key-store.ts";

export interface MasterKeySource {
  readonly dataDir: string;
  /** FAREGATE_MASTER_KEY; undefined = the file `master.key` in the data dir, made where there is none. */
  readonly configured: string | undefined;
  /** The database whose secrets the key opens: where it holds some, no other key is made. Migrated. */
  readonly database?: Queryable;
}

/** The master key by which secrets are sealed, and where a rotation was cut short the next one with it. */
export async function openSeals(source: MasterKeySource): Promise<Seals> {
  if (source.configured !== undefined) return createSeals(source.configured);
  const seals = createSeals(await readOrMakeFirstKey(source));
  const next = await readKey(nextKeyFile(source.dataDir));
  if (next !== undefined) seals.adopt(next);
  return seals;
}

/** The key in use, for who must rotate it. */
export async function readMasterKey(source: MasterKeySource): Promise<string> {
  return source.configured ?? readOrMakeFirstKey(source);
}

/** The next key of the data dir, kept in a file before the first secret depends on it. */
export function prepareNextKey(dataDir: string): Promise<string> {
  return readOrMakeKey(nextKeyFile(dataDir));
}

/** Makes the prepared key the key of the data dir. The old one is gone then. */
export function installNextKey(dataDir: string): Promise<void> {
  return rename(nextKeyFile(dataDir), keyFile(dataDir));
}

const keyFile = (dataDir: string): string => join(dataDir, "master.key");
const nextKeyFile = (dataDir: string): string => join(dataDir, "master.key.next");

/** A new key beside old secrets would open none of them, and hide that the old one is missing. */
async function readOrMakeFirstKey({ dataDir, database }: MasterKeySource): Promise<string> {
  const found = await readKey(keyFile(dataDir));
  if (found !== undefined) return found;
  if (database !== undefined && (await readHashingSecret(database)) !== undefined) {
    // Another process may have made key and secret between the two looks.
    const made = await readKey(keyFile(dataDir));
    if (made !== undefined) return made;
    throw new Error(
      `master.key is missing in ${dataDir}, and the database holds secrets that only it opens. Restore it from the backup, or set FAREGATE_MASTER_KEY to the key.`,
    );
  }
  return readOrMakeKey(keyFile(dataDir));
}

async function readOrMakeKey(file: string): Promise<string> {
  const found = await readKey(file);
  if (found !== undefined) return found;
  await makeDataDir(dirname(file));
  const draft = `${file}.${randomText(8)}`;
  await writeFile(draft, `${randomKey(32).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true });
  try {
    // A link appears whole and never replaces: of two processes that start at once, one makes the key.
    await link(draft, file);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    await unlink(draft);
  }
  const made = await readKey(file);
  if (made === undefined) throw new Error(`the master key file ${file} vanished while it was being made`);
  return made;
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    const key = (await readFile(file, "utf8")).trim();
    if (key.length < 16) {
      throw new Error(
        `The master key file ${file} contains no key. Restore it from a backup: without it, stored secrets can't be decrypted.`,
      );
    }
    return key;
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
