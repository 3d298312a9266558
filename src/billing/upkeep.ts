import type { Clock } from "../base/clock.ts";
import { every, type Timers } from "../base/timers.ts";
import type { Log } from "../observe/log.ts";
import { adoptSpool } from "./adoption.ts";
import type { SpoolDisk } from "./spool-disk.ts";
import { SpoolWatch } from "./spool-watch.ts";
import type { SpoolStore } from "./tick.ts";

// Well below the 60 s after which a silent spool is closed.
const WATCH_BEAT_MS = 5_000;
// A process that dies beside this one leaves its requests unresolved until then.
const ADOPT_BEAT_MS = 10_000;

export interface UpkeepOptions {
  readonly store: SpoolStore;
  readonly disk: SpoolDisk;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Spools of this process, which are none of this business. */
  readonly ownIds: ReadonlySet<string>;
}

export interface Upkeep {
  /** Finishes the spools that dead processes left on this data dir. Never rejects: it is tried again. */
  adopt(): Promise<void>;
  /** Ends after what is under way. */
  stop(): Promise<void>;
}

/** Looks after the spools of others: adopts those of dead processes here, closes silent ones elsewhere. */
export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { store, disk, clock, timers, log, ownIds } = options;
  const watch = new SpoolWatch();
  const unknown = new Set<string>();

  const adopt = async (): Promise<void> => {
    for (const spool of disk.abandoned(ownIds)) {
      if (unknown.has(spool)) continue;
      try {
        const contents = disk.read(spool);
        const adopted = await adoptSpool(store, spool, contents);
        if (!adopted && contents.begins.size > 0) {
          unknown.add(spool);
          log.error({ spool }, "a spool on disk is unknown to this database; it is left where it is");
          continue;
        }
        disk.remove(spool);
        const { damaged } = contents;
        if (adopted) log.info({ spool, damaged }, "finished the spool of a process that is gone");
      } catch (error) {
        log.warn({ err: error, spool }, "the spool of a process that is gone cannot be finished yet");
      }
    }
  };

  const observe = async (): Promise<void> => {
    try {
      const open = await store.listOpen();
      for (const { spool, tick } of watch.observe(open, clock.monotonicMs())) {
        if (ownIds.has(spool) || !(await store.close(spool, tick))) continue;
        log.warn({ spool }, "closed the spool of a process that has been silent for 60 s");
      }
    } catch {
      watch.lost();
    }
  };

  const adoptions = every(timers, ADOPT_BEAT_MS, adopt);
  const observations = every(timers, WATCH_BEAT_MS, observe);
  return {
    adopt: adoptions.now,
    async stop() {
      await Promise.all([adoptions.stop(), observations.stop()]);
    },
  };
}
