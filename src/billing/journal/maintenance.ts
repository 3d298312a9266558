import { runEvery, type Timers } from "../../base/async/timers.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../observe/log.ts";
import type { JournalStore } from "./flush.ts";
import type { JournalDisk } from "./journal-disk.ts";
import { recoverJournal } from "./recovery.ts";

// A living process flushes every second. Twelve times its staleness limit: by then it takes no new holds.
const UNMOVED_MS = 60_000;
// Reads further apart than this do not count as watching: the database or this process was away between
// them, and so may have been the other's chance to flush.
const MAX_GAP_MS = 15_000;

/**
 * Closes journals of processes that nobody on their machine recovers. Only this process's own steady time
 * counts, over which every read succeeded; wall clocks are never compared.
 */
export class StaleJournalMonitor {
  private readonly seen = new Map<string, { flush: number; sinceMs: number }>();
  private readAtMs = Number.NEGATIVE_INFINITY;

  /** Takes in one successful read; gives the journals to close, with the flush they stand at. */
  observe(
    journals: Awaited<ReturnType<JournalStore["listOpen"]>>,
    nowMs: number,
  ): { journal: string; flush: number }[] {
    if (nowMs - this.readAtMs > MAX_GAP_MS) this.seen.clear();
    this.readAtMs = nowMs;
    const open = new Set(journals.map(({ journal }) => journal));
    for (const journal of this.seen.keys()) if (!open.has(journal)) this.seen.delete(journal);
    return journals.filter(({ journal, flush }) => {
      const before = this.seen.get(journal);
      if (before?.flush === flush) return nowMs - before.sinceMs >= UNMOVED_MS;
      this.seen.set(journal, { flush, sinceMs: nowMs });
      return false;
    });
  }

  /** A read failed: watching begins anew. */
  lost(): void {
    this.seen.clear();
  }
}

// Well below the 60 s after which a silent journal is closed.
const WATCH_INTERVAL_MS = 5_000;
// A process that dies beside this one leaves its requests unresolved until then.
const RECOVER_INTERVAL_MS = 10_000;

export interface JournalMaintenanceOptions {
  readonly store: JournalStore;
  readonly disk: JournalDisk;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Journals of this process, which are none of this business. */
  readonly ownIds: ReadonlySet<string>;
}

export interface JournalMaintenance {
  /** Finishes the journals that dead processes left on this data dir. Never rejects: it is tried again. */
  recover(): Promise<void>;
  /** Ends after what is under way. */
  stop(): Promise<void>;
}

/** Looks after the journals of others: recovers those of dead processes here, closes silent ones elsewhere. */
export function startMaintenance(options: JournalMaintenanceOptions): JournalMaintenance {
  const { store, disk, clock, timers, log, ownIds } = options;
  const watch = new StaleJournalMonitor();
  const unknown = new Set<string>();

  const recover = async (): Promise<void> => {
    for (const journal of disk.abandoned(ownIds)) {
      if (unknown.has(journal)) continue;
      try {
        const contents = disk.read(journal);
        const recovered = await recoverJournal(store, journal, contents);
        if (!recovered && contents.begins.size > 0) {
          unknown.add(journal);
          log.error({ journal }, "journal on disk belongs to another database; leaving it unchanged");
          continue;
        }
        disk.remove(journal);
        const { damaged } = contents;
        if (recovered) log.info({ journal, damaged }, "journal of an ended process recovered");
      } catch (error) {
        log.warn({ err: error, journal }, "journal recovery failed; retrying");
      }
    }
  };

  const observe = async (): Promise<void> => {
    try {
      const open = await store.listOpen();
      for (const { journal, flush } of watch.observe(open, clock.monotonicMs())) {
        if (ownIds.has(journal) || !(await store.close(journal, flush))) continue;
        log.warn({ journal }, "stale journal closed: its process was silent for 60 s");
      }
    } catch {
      watch.lost();
    }
  };

  const recoveries = runEvery(timers, RECOVER_INTERVAL_MS, recover);
  const observations = runEvery(timers, WATCH_INTERVAL_MS, observe);
  return {
    recover: recoveries.now,
    async stop() {
      await Promise.all([recoveries.stop(), observations.stop()]);
    },
  };
}
