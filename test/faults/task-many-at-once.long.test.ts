import { describe, expect, it } from "vitest";
import { residentBytes } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { openCrowd, pick, submitMany } from "../support/task-crowd.ts";
import { allFinal } from "../support/task-load.ts";

describe("10,000 tasks in flight", () => {
  it("are no burden: bounded calls at the upstream, flat memory, one submit each, clean books", async (test) => {
    const crowd = await openCrowd(test);
    const all = await crowd.start(3, { deadlineMinutes: 15, balance: 5_000 });
    const sizes: number[] = [];
    let turn = 0;
    const watching = setInterval(async () => {
      sizes.push(await residentBytes(all.first.child.pid ?? 0));
    }, 2_000);
    try {
      const accepted = await submitMany(() => pick(all.urls, turn++), 10_000, "delay=500 takes=120000", 32);
      expect(accepted).toHaveLength(10_000);
      await allFinal(crowd.databaseUrl(), 900_000);
      await crowd.expectNothingWrong(accepted);
      const { peak } = (await (await fetch(`${crowd.sandbox.url}/_sandbox/status`)).json()) as {
        peak: number;
      };
      // All tasks are in flight in both halves. Within each the collector breathes, so only their peaks compare.
      const half = Math.floor(sizes.length / 2);
      const [early, late] = [Math.max(...sizes.slice(0, half)), Math.max(...sizes.slice(half))];
      const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
      report(
        `10,000 tasks: at most ${peak} calls upstream at once; ${megabytes(early)} MB at most in the first half of the time, ${megabytes(late)} MB in the second`,
      );
      // Per process 64 submits and 16 looks, and no fewer than one process's submits or nothing was bounded here.
      expect(peak).toBeGreaterThanOrEqual(64);
      expect(peak).toBeLessThanOrEqual(3 * 80);
      expect(late).toBeLessThan(1.3 * early + 50e6);
    } finally {
      clearInterval(watching);
    }
  });
});
