import { describe, expect, it } from "vitest";
import { StaleJournalMonitor } from "./maintenance.ts";

const at = (flush: number): { journal: string; flush: number }[] => [{ journal: "s", flush }];

describe("the watch over other processes' journals", () => {
  it("closes a journal that has not moved for 60 s of uninterrupted reads", () => {
    const watch = new StaleJournalMonitor();
    for (let ms = 0; ms < 60_000; ms += 5_000) expect(watch.observe(at(7), ms)).toEqual([]);
    expect(watch.observe(at(7), 60_000)).toEqual(at(7));
  });

  it("begins anew when the journal moves, when a read fails, and after a gap in which nobody watched", () => {
    for (const interrupt of ["moved", "lost", "gap"]) {
      const watch = new StaleJournalMonitor();
      for (let ms = 0; ms <= 55_000; ms += 5_000) watch.observe(at(7), ms);
      if (interrupt === "lost") watch.lost();
      const resumedMs = interrupt === "gap" ? 75_000 : 60_000;
      expect(watch.observe(at(interrupt === "moved" ? 8 : 7), resumedMs), interrupt).toEqual([]);
    }
  });
});
