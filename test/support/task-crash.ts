import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Failpoint, TASK_FAILPOINTS } from "../../src/base/failpoint.ts";
import { verifyLedger } from "../../src/billing/ledger/verify.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { PATIENCE_MS } from "./gateways.ts";
import { startSandbox, type TestSandbox } from "./sandbox.ts";
import {
  type AcceptedTask,
  allFinal,
  startTaskLoad,
  TASK_NANOS,
  taskCatalog,
  taskFaults,
  taskRows,
} from "./task-load.ts";

/** Those of a webhook are met only where one is told, which task-webhooks.test.ts does. */
export const POINTS = TASK_FAILPOINTS.filter((point) => !point.startsWith("task.webhook"));

/** The crash points under pictures and videos alike, one after the other on the same database. */
export function taskCrashLaws(points: readonly Failpoint[]): void {
  describe("M3, T1-T4: tasks survive a death anywhere", { timeout: PATIENCE_MS }, () => {
    let sandbox: TestSandbox;
    let database: TestDatabase;
    let dataDir: string;
    const accepted: AcceptedTask[] = [];
    beforeAll(async () => {
      [sandbox, database] = await Promise.all([startSandbox(), createTestDatabase()]);
      dataDir = await mkdtemp(join(tmpdir(), "faregate-task-crash-"));
    });
    afterAll(async () => {
      await database.drop();
      await sandbox.stop();
      await rm(dataDir, { recursive: true, force: true });
    });

    const start = (env: Record<string, string> = {}): Promise<TestGateway> =>
      startGateway({ dataDir, database, catalog: taskCatalog({ url: sandbox.url }), env });

    it.each(points)("dies at %s", async (point) => {
      // Some looks, finishes and claims are of tasks that the death before left behind.
      const gateway = await start({ FAREGATE_CRASH_AT: `${point}:5` }).catch((error: unknown) => {
        if (!String(error).includes("before it was ready")) throw error;
      });
      if (!gateway) return;
      // A look is written only of what still runs, however late this machine looks.
      const takesMs = point.startsWith("task.poll") ? 10_000 : 300;
      const load = startTaskLoad(() => gateway.url, `takes=${takesMs}`);
      await gateway.ended;
      expect(gateway.child.signalCode).toBe("SIGKILL");
      accepted.push(...(await load.stop()));
      expect((await verifyLedger(database.database)).breaches).toEqual([]);
    });

    it("and in the end every accepted task is over, made at most once, charged or refunded exactly once", async () => {
      const gateway = await start();
      // A minute to the deadline of the last, and the minute that a submit under way gets.
      await allFinal(database.url, 120_000);
      expect(await gateway.end()).toBe(0);
      const rows = await taskRows(database.url);
      expect(taskFaults(accepted, rows, await sandbox.journal())).toEqual([]);
      const made = rows.filter(({ state }) => state === "SUCCESS");
      expect(made.length).toBeGreaterThan(points.length);
      const report = await verifyLedger(database.database);
      expect(report.breaches).toEqual([]);
      expect(report.revenue_nanos).toBe(made.reduce((sum, { medium }) => sum + TASK_NANOS[medium], 0n));
      expect(report.accounts[0]?.available_nanos).toBe(1_000_000_000_000n - report.revenue_nanos);
    });
  });
}
