import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { runRepeatedly, systemTimers } from "../base/async/timers.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../observe/log.ts";
import type { BlobStore } from "./blob-store.ts";
import { dayOf } from "./media-name.ts";

export interface RetentionOptions {
  readonly clock: Clock;
  /** The time by the database, which drops the tasks: one clock alone may be far ahead for an hour. */
  readonly databaseNowMs: () => Promise<number>;
  readonly log: Log;
  /** Folder of temporary files. */
  readonly drafts: string;
  /** The days for which finished tasks are kept; read at every run, because it is a setting. */
  readonly days: () => number;
  readonly blobStores: () => readonly BlobStore[];
}

export interface Retention {
  /** One run now; rejects where a blob store does. */
  run(): Promise<void>;
  close(): Promise<void>;
}

const INTERVAL_MS = 3_600_000;
const DAY_MS = 24 * INTERVAL_MS;

/** A file is copied just before its task ends, perhaps before midnight: with two days more it outlasts the task. */
const DAYS_MORE = 2;

/** No copy takes as long, so nobody is writing an older draft: its process died. */
const OLDEST_DRAFT_MS = 3_600_000;

/** Removes files whose tasks are past retention, by the day in their names: no list of files is kept anywhere. */
export function createRetention(options: RetentionOptions): Retention {
  const { clock, databaseNowMs, log, drafts, days, blobStores } = options;
  const run = async (): Promise<void> => {
    await dropDrafts(drafts, clock.nowMs() - OLDEST_DRAFT_MS);
    const nowMs = Math.min(clock.nowMs(), await databaseNowMs());
    const upTo = dayOf(nowMs - (days() + DAYS_MORE) * DAY_MS);
    for (const blobStore of blobStores()) {
      const dropped = await blobStore.dropUpTo(upTo);
      if (dropped > 0) log.info({ dropped, upTo }, "expired result copies deleted");
    }
  };
  const keeping = runRepeatedly(systemTimers, INTERVAL_MS, run, (err) => {
    log.warn({ err }, "deletion of expired result copies failed; retrying");
  });
  return { run, close: () => keeping.stop() };
}

async function dropDrafts(folder: string, beforeMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < beforeMs) await rm(path, { force: true });
  }
}
