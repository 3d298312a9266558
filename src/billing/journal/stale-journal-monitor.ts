import type { JournalStore } from "./flush.ts";

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
