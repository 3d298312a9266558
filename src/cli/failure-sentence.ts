import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { type Config, ConfigError } from "../config.ts";
import { CommandFailure } from "./command.ts";

/**
 * The sentence for a failed command. The program's own failures are sentences already; failures of the system that an
 * operator can meet name the remedy; anything else is a bug and keeps its words.
 */
export function sentenceOf(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigError || error instanceof CommandFailure) return error.message;
  if (!(error instanceof Error)) return String(error);
  return (config && sentenceOfSystem(error, config)) ?? (error.message || (error.stack ?? error.name));
}

function sentenceOfSystem(error: NodeJS.ErrnoException, config: Config): string | undefined {
  const { code = "", path, syscall } = error;
  if (typeof path === "string" && involvesPath(path, config.dataDir)) return ofDataDir(config, code, path);
  // PostgreSQL's words, which the embedded one says of the same disk.
  if (config.databaseUrl === undefined && error.message.includes("No space left on device"))
    return ofDataDir(config, "ENOSPC", config.dataDir);
  // A process of several binds at the port that all share.
  if (syscall === "listen" || syscall === "bind") return LISTENING[code]?.(config);
  if (syscall === "getaddrinfo" && "hostname" in error && error.hostname === config.host)
    return `The name ${config.host} doesn't resolve to an address. Set HOST to an address of this machine.`;
  return undefined;
}

function ofDataDir({ dataDir }: Config, code: string, path: string): string | undefined {
  const what = DATA_DIR[code];
  if (what === undefined) return undefined;
  const where = namesOf(dataDir).some((folder) => isWithin(folder, path)) ? "" : ` (${path})`;
  return `The data folder ${dataDir} can't be used: ${what.reason}${where}. ${what.advice}.`;
}

/** The data folder, what is in it, or a folder on the way to it. */
function involvesPath(path: string, dataDir: string): boolean {
  return namesOf(dataDir).some((folder) => isWithin(path, folder) || isWithin(folder, path));
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split("/")[0] !== "..";
}

/** The folder's name as stated, and without links. */
function namesOf(dataDir: string): readonly string[] {
  try {
    return [dataDir, realpathSync(dataDir)];
  } catch {
    return [dataDir];
  }
}

const ANOTHER = "Set FAREGATE_DATA_DIR to a folder that this user can write to";
const NO_ACCESS = {
  reason: "this user has no read and write permission for all of it",
  advice:
    "Change the owner of the folder to this user, or set FAREGATE_DATA_DIR to a folder that it can write to",
};
const NOT_A_FOLDER = { reason: "a path that should be a folder isn't one", advice: ANOTHER };
const NO_ROOM = {
  reason: "its disk is full",
  advice: "Free some space, or move the folder to a larger disk and change FAREGATE_DATA_DIR",
};

const DATA_DIR: Readonly<Record<string, { readonly reason: string; readonly advice: string }>> = {
  EACCES: NO_ACCESS,
  EPERM: NO_ACCESS,
  EROFS: { reason: "its file system is read-only", advice: ANOTHER },
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
  ENOENT: { reason: "no folder can be created there", advice: ANOTHER },
  ENAMETOOLONG: { reason: "its path is too long", advice: ANOTHER },
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
};

const LISTENING: Readonly<Record<string, (config: Config) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `Port ${port} of ${host} is in use by another program. Stop it, or change PORT (0 = any free port).`,
  EACCES: ({ port }) => `This user may not listen on port ${port}. Set PORT to 1024 or higher.`,
  EADDRNOTAVAIL: ({ host }) =>
    `${host} isn't an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`,
};
