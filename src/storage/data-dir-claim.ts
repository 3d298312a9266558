import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomId } from "../base/random.ts";
import { makeDataDir } from "./data-dir.ts";
import type { DatabaseLog } from "./database.ts";
import { type DatabaseSession, openSession } from "./database-session.ts";
import { openReconnectingSession } from "./reconnecting-session.ts";

export interface ClaimOptions {
  readonly url: string;
  readonly dataDir: string;
  readonly log: DatabaseLog;
  readonly onLost: (error: Error) => void;
}

/**
 * Claims a data folder for the one gateway that serves from it while the database is a server elsewhere:
 * the journal in the folder is one program's own. The claim is an advisory lock on the server, named after
 * an id that lies in the folder, so that it holds whatever the folder's path is on each machine. Rejects
 * with OwnerTakenError where another gateway has it. Gives the function that ends the claim.
 */
export async function claimDataDir({
  url,
  dataDir,
  log,
  onLost,
}: ClaimOptions): Promise<() => Promise<void>> {
  await makeDataDir(dataDir);
  const domain = `faregate ${await idOf(dataDir)}`;
  const attach = async (): Promise<{ url: string; session: DatabaseSession }> => ({
    url,
    session: await openSession({ url, role: "owner", dataDir, domain }),
  });
  const claim = await openReconnectingSession(attach, log, onLost);
  return async () => {
    const { session } = await claim.end();
    await session.end();
  };
}

async function idOf(dataDir: string): Promise<string> {
  const path = join(dataDir, "id");
  // If two processes write at once, the first wins, and both read its id.
  await writeFile(path, `${randomId()}\n`, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  // It is there a moment before its words are.
  for (let round = 0; round < MAX_LOOKS; round += 1) {
    const id = (await readFile(path, "utf8")).trim();
    if (id !== "") return id;
    await sleep(LOOK_MS);
  }
  throw new Error(
    `The file ${path} contains no id. Delete it while no gateway uses this folder; the next start creates another.`,
  );
}

const MAX_LOOKS = 100;
const LOOK_MS = 20;
