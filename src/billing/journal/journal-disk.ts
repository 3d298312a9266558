import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  type JournalContents,
  type JournalMedium,
  openJournalFiles,
  readJournalFiles,
} from "./journal-files.ts";

/** The journals of one data dir. The simulation has one in memory. */
export interface JournalDisk {
  /** Makes a journal of this process. */
  make(journal: string): JournalMedium;
  /** Journals whose process is gone; `own` are this process's. */
  abandoned(own: ReadonlySet<string>): string[];
  read(journal: string): JournalContents;
  remove(journal: string): void;
}

/**
 * `<data dir>/journal/<journal id>/`: the segments of one journal and `owner.json`, which says whose it is. Several
 * processes of one gateway share the data dir; a folder whose owner is gone may be recovered by any.
 */
export function openJournalDisk(dataDir: string): JournalDisk {
  adoptOldFolder(dataDir);
  const folderOf = (journal: string): string => join(dataDir, ROOT, journal);
  return {
    make(journal) {
      // Under its name only once it says whose it is: a sibling that looks around would take it for abandoned.
      const unfinished = folderOf(`${UNFINISHED}${process.pid}`);
      rmSync(unfinished, { recursive: true, force: true });
      mkdirSync(unfinished, { recursive: true, mode: 0o700 });
      const owner: Owner = { pid: process.pid, startedAt: startOf(process.pid) };
      writeFileSync(join(unfinished, OWNER_FILE), JSON.stringify(owner), { mode: 0o600 });
      const folder = folderOf(journal);
      renameSync(unfinished, folder);
      return openJournalFiles(folder);
    },
    abandoned: (own) =>
      journalsOnDisk(dataDir).filter((journal) => !own.has(journal) && !isOwned(folderOf(journal))),
    read: (journal) => readJournalFiles(folderOf(journal)),
    remove: (journal) => rmSync(folderOf(journal), { recursive: true, force: true }),
  };
}

/**
 * Moves what lies under the folder's old name, journal by journal: it may hold charges that the database lacks, also
 * where newer journals lie beside it.
 */
function adoptOldFolder(dataDir: string): void {
  const old = join(dataDir, OLD_ROOT);
  if (!existsSync(old)) return;
  mkdirSync(join(dataDir, ROOT), { recursive: true, mode: 0o700 });
  for (const journal of readdirSync(old)) {
    // A sibling that starts at the same moment moves them too.
    ignoreMissingFile(() => renameSync(join(old, journal), join(dataDir, ROOT, journal)));
  }
  ignoreMissingFile(() => rmdirSync(old));
}

function ignoreMissingFile(move: () => void): void {
  try {
    move();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

/** Ids of all journals in a data dir, whoever owns them. */
export function journalsOnDisk(dataDir: string): string[] {
  const root = join(dataDir, ROOT);
  return existsSync(root) ? readdirSync(root).filter((name) => !name.startsWith(UNFINISHED)) : [];
}

const ROOT = "journal";
/** Name of the folder before the first release. */
const OLD_ROOT = "spool";
const OWNER_FILE = "owner.json";
/** Begins the name of a folder that has no owner yet; its maker's process id follows. */
const UNFINISHED = ".";

interface Owner {
  readonly pid: number;
  /** When that process started, as the system counts; tells it from a later one with the same number. */
  readonly startedAt: string | null;
}

function isOwned(folder: string): boolean {
  const owner = readOwner(folder);
  // Our own number, but not our own journal: a process before us had it, as in a container that was restarted.
  if (!owner || owner.pid === process.pid || !isRunning(owner.pid)) return false;
  return owner.startedAt === null || owner.startedAt === startOf(owner.pid);
}

function readOwner(folder: string): Owner | undefined {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(join(folder, OWNER_FILE), "utf8")) as Partial<Owner>;
    return typeof pid === "number" ? { pid, startedAt: startedAt ?? null } : undefined;
  } catch {
    return undefined; // torn by a failure of the machine
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Clock ticks from the machine's boot to the start of a process; null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold spaces; the 22nd field is the 20th behind it.
    return (
      text
        .slice(text.lastIndexOf(")") + 2)
        .split(" ")
        .at(19) ?? null
    );
  } catch {
    return null;
  }
}
