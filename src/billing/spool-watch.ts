import type { SpoolStore } from "./tick.ts";

// A living process ticks every second. Twelve times its staleness limit: by then it takes no new holds.
const UNMOVED_MS = 60_000;
// Reads further apart than this do not count as watching: the database or this process was away between
// them, and so may have been the other's chance to tick.
const LONGEST_GAP_MS = 15_000;

/**
 * Closes spools of processes that nobody on their machine adopts. Only this process's own steady time
 * counts, over which every read succeeded; wall clocks are never compared.
 */
export class SpoolWatch {
  private readonly seen = new Map<string, { tick: number; sinceMs: number }>();
  private readAtMs = Number.NEGATIVE_INFINITY;

  /** Takes in one successful read; gives the spools to close, with the tick they stand at. */
  observe(
    spools: Awaited<ReturnType<SpoolStore["listOpen"]>>,
    nowMs: number,
  ): { spool: string; tick: number }[] {
    if (nowMs - this.readAtMs > LONGEST_GAP_MS) this.seen.clear();
    this.readAtMs = nowMs;
    const open = new Set(spools.map(({ spool }) => spool));
    for (const spool of this.seen.keys()) if (!open.has(spool)) this.seen.delete(spool);
    return spools.filter(({ spool, tick }) => {
      const before = this.seen.get(spool);
      if (before?.tick === tick) return nowMs - before.sinceMs >= UNMOVED_MS;
      this.seen.set(spool, { tick, sinceMs: nowMs });
      return false;
    });
  }

  /** A read failed: watching begins anew. */
  lost(): void {
    this.seen.clear();
  }
}
