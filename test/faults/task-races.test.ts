import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { createTestDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway.ts";
import { type Gateways, PATIENCE_MS, startGateways } from "../support/gateways.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { readTask, submitTask, taskCatalog, taskFaults, taskRows } from "../support/task-load.ts";

describe("tasks among three gateways", { timeout: PATIENCE_MS }, () => {
  let sandbox: TestSandbox;
  let gateways: Gateways;
  let databaseUrl: string;
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateways = await startGateways(3, { catalog: taskCatalog({ url: sandbox.url }) });
    databaseUrl = gateways.first.database?.url ?? "";
  });
  afterAll(async () => {
    await gateways.clean();
    await sandbox.stop();
  });
  const urlOf = (index: number): string => gateways.urls[index % 3] ?? "";

  it("M5: every task that fails is refunded once, whoever sees it first", async () => {
    const told = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        submitTask(urlOf(index), "video", 'takes=200 fail="no foxes"'),
      ),
    );
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set([200]));
    const ends = await Promise.all(
      told.map(({ id = "" }, index) => readTask(urlOf(index + 1), "video", id, 30)),
    );
    for (const end of ends) expect(end).toMatchObject({ status: "FAILURE", progress: "100%", data: null });
    expect(ends[0]?.["fail_reason"]).toMatch(/^no foxes \(request id: req_/);
    const verdict = await cleanLedger(gateways.first);
    expect(BigInt(verdict.accounts[0]?.balance_nanos ?? 0)).toBe(1_000_000_000_000n);
  });

  it("T6: one Idempotency-Key is one task, of a hundred submits at once too, and another body is refused", async () => {
    const headers = { "idempotency-key": "the same" };
    const told = await Promise.all(
      Array.from({ length: 100 }, (_, index) => submitTask(urlOf(index), "video", "takes=100", headers)),
    );
    expect(new Set(told.map(({ status, id }) => `${status} ${id}`)).size).toBe(1);
    expect(await submitTask(urlOf(0), "video", "takes=101", headers)).toMatchObject({
      status: 409,
      body: { code: "idempotency_conflict", data: null },
    });
    expect(await readTask(urlOf(1), "video", told[0]?.id ?? "", 30)).toMatchObject({ status: "SUCCESS" });
  });

  it("T4: a submit whose answer was lost is never repeated, and refunded at the deadline", async () => {
    const { id = "" } = await submitTask(urlOf(0), "image", "lost=1 takes=0");
    let task = await readTask(urlOf(1), "image", id, 60);
    if (task["status"] !== "FAILED") task = await readTask(urlOf(1), "image", id, 60);
    expect(task).toMatchObject({ status: "FAILED", data: [] });
    await cleanLedger(gateways.first);
  });

  it("and nothing else is wrong with any of them", async () => {
    const rows = await taskRows(databaseUrl);
    expect(rows).toHaveLength(62);
    expect(taskFaults([], rows, await sandbox.journal())).toEqual([]);
  });
});

describe("M10: a commit whose answer is lost", { timeout: PATIENCE_MS }, () => {
  let sandbox: TestSandbox;
  let proxy: CuttingProxy;
  afterAll(async () => {
    await sandbox?.stop();
  });

  it("is neither lost nor repeated", async () => {
    sandbox = await startSandbox();
    const database = await createTestDatabase();
    proxy = await startCuttingProxy(database.url);
    const gateway = await startGateway({
      catalog: taskCatalog({ url: sandbox.url }),
      database: { ...database, url: proxy.url },
    });
    try {
      const ids: string[] = [];
      for (const statement of ["accept_task", "finish_task", "set upstream_task"]) {
        const before = proxy.cuts();
        proxy.cutAfter(statement, 3);
        const told = await Promise.all(
          Array.from({ length: 10 }, () => submitTask(gateway.url, "video", "takes=100")),
        );
        for (const { status, id = "" } of told) {
          expect(status).toBe(200);
          ids.push(id);
        }
        for (const { id = "" } of told)
          expect(await readTask(gateway.url, "video", id, 60)).toMatchObject({ status: "SUCCESS" });
        expect(proxy.cuts() - before).toBe(3);
      }
      const rows = await taskRows(database.url);
      expect(rows.map(({ id }) => id).sort()).toEqual(ids.sort());
      expect(taskFaults([], rows, await sandbox.journal())).toEqual([]);
      await cleanLedger(gateway);
    } finally {
      await gateway.end("SIGKILL");
      await proxy.close();
      await gateway.clean();
    }
  });
});
