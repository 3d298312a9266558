import { setTimeout as sleep } from "node:timers/promises";
import type { Seals } from "../base/seal.ts";
import type { Database, Queryable } from "../storage/database.ts";
import { installNextKey, type MasterKeySource, prepareNextKey, readMasterKey } from "./master-key.ts";
import {
  announceMasterKey,
  HASHING_SECRET,
  learnMasterKey,
  MASTER_KEY_CHANNEL,
  readHashingSecret,
  resealAll,
  withdrawMasterKey,
} from "./master-key-store.ts";

export interface Rotation extends MasterKeySource {
  readonly database: Database;
  /** Needed where the old one is given; else the new key is made in the data dir. */
  readonly newKey: string | undefined;
  /** The time for running gateways to learn the new key. */
  readonly noticeMs?: number;
  /** Leaves a trace in the transaction that seals everything anew. */
  readonly trace?: (tx: Queryable, sealed: number) => Promise<void>;
}

/**
 * Rotates the master key while gateways run. The new key is announced under the old one, every running
 * gateway adopts it beside the old, and only then all secrets are sealed anew. Cut short at any point,
 * it can be run again. Gives the number of secrets sealed.
 *
 * The announcement stays, so that a process which is restarted with the old key still finds its way; the
 * first gateway that is started with the new key withdraws it, and the old key is worth nothing.
 */
export async function rotateMasterKey(rotation: Rotation): Promise<number> {
  const { database, dataDir, noticeMs = NOTICE_MS } = rotation;
  const inFile = rotation.configured === undefined;
  const oldKey = await readMasterKey(rotation);
  const newKey = inFile ? await prepareNextKey(dataDir) : rotation.newKey;
  if (newKey === undefined) {
    throw new Error(
      "FAREGATE_NEW_MASTER_KEY is required, because the old key is in FAREGATE_MASTER_KEY. Create one with `openssl rand -base64 32`.",
    );
  }
  await announceMasterKey(database, oldKey, newKey);
  await sleep(noticeMs);
  const sealed = await resealAll(database, oldKey, newKey, rotation.trace);
  if (inFile) await installNextKey(dataDir);
  return sealed;
}

/**
 * Keeps a serving process able to read what a rotation seals, and ends a rotation to whose new key it was
 * started. Call it before the first secret is opened; the function it gives stops it.
 */
export async function watchMasterKey(database: Database, seals: Seals): Promise<() => Promise<void>> {
  const learn = async (): Promise<void> => {
    const outcome = await learnMasterKey(database, seals);
    if (outcome === "unreadable" && (await isOursNow(database, seals))) await withdrawMasterKey(database);
  };
  await learn();
  return database.listen({
    channel: MASTER_KEY_CHANNEL,
    // Its failure is no one's to catch: the beat tries again, and says what is wrong.
    onMessage: () => void learn().catch(() => undefined),
    refresh: learn,
  });
}

/** True if the secrets are under a key of ours already; all are sealed anew in one transaction. */
async function isOursNow(database: Database, seals: Seals): Promise<boolean> {
  const sealed = await readHashingSecret(database);
  if (sealed === undefined) return false;
  try {
    seals.open(sealed, HASHING_SECRET);
    return true;
  } catch {
    return false;
  }
}

// A gateway that missed the notification asks within 5 s.
const NOTICE_MS = 6_000;
