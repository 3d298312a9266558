import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { SERVER_ENVIRONMENT } from "./settings.ts";

/** A program to run, and as whom. */
export interface Command {
  readonly file: string;
  readonly args: string[];
  readonly identity: { uid?: number; gid?: number };
}

/** The user that runs the PostgreSQL programs, since they refuse to run as root. */
export interface Identity {
  readonly name: IdentityName;
  /** The owner of the database's files on disk. */
  readonly owner: { readonly uid: number; readonly gid: number };
  command(file: string, args: string[]): Command;
}

type IdentityName = "self" | "faregate" | "nobody" | "namespace";

// "nobody" on Debian; no account is needed, only a number that owns nothing else of worth.
const NOBODY = { uid: 65534, gid: 65534 };

/** The identities open to this program, to be tried in order. */
export function identities(): Identity[] {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const self: Identity = {
    name: "self",
    owner: { uid, gid },
    command: (file, args) => ({ file, args, identity: {} }),
  };
  const nobody: Identity = {
    name: "nobody",
    owner: NOBODY,
    command: (file, args) => ({ file, args, identity: NOBODY }),
  };
  // Still ourselves, but seen by the program as nobody. For root this needs no permission on the way to
  // the data, so it works below a home folder of mode 700; for a number without an account, as containers
  // run them, it has the name that initdb asks for. Some containers forbid it.
  const namespace: Identity = {
    name: "namespace",
    owner: { uid, gid },
    command: (file, args) => ({
      file: "unshare",
      args: ["--user", `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`, "--", file, ...args],
      identity: {},
    }),
  };
  return uid === 0 ? [...ownAccount(), nobody, namespace] : [self, namespace];
}

/** The account that an administrator has made for it: what it owns no other service can touch. */
function ownAccount(): Identity[] {
  const line = /^faregate:[^:]*:(\d+):(\d+):/m.exec(readAccounts());
  if (line === null) return [];
  const owner = { uid: Number(line[1]), gid: Number(line[2]) };
  return [{ name: "faregate", owner, command: (file, args) => ({ file, args, identity: owner }) }];
}

function readAccounts(): string {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    return "";
  }
}

/**
 * Tries whether the identity reaches both the programs and a folder to keep data in, by running one in
 * the other; gives what `postgres --version` printed, or the reason why not.
 */
export async function probe(
  identity: Identity,
  postgres: string,
  folder: string,
): Promise<{ version: string } | { reason: string }> {
  const {
    file,
    args,
    identity: ids,
  } = identity.command("/bin/sh", [
    "-c",
    'cd "$1" && test -w . && exec "$2" --version',
    "sh",
    folder,
    postgres,
  ]);
  try {
    const { stdout } = await promisify(execFile)(file, args, { ...ids, cwd: "/", env: SERVER_ENVIRONMENT });
    return { version: stdout.trim() };
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).split("\n");
    return { reason: lines.filter((line) => line.trim() !== "").at(-1) ?? "unknown" };
  }
}

/** Gives a folder and all in it to an owner; nothing is touched where it has them already. */
export async function changeOwner(folder: string, owner: { uid: number; gid: number }): Promise<void> {
  if (process.getuid?.() !== 0) return;
  if ((await lstat(folder)).uid === owner.uid) return;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    // Never through a link: what it points at is not ours to give.
    await lchown(path, owner.uid, owner.gid);
  }
  // Last, so that a run cut short is seen as not done.
  await lchown(folder, owner.uid, owner.gid);
}
