import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/storage/open-database.ts";
import { BUSY_TIMEOUT_MS } from "../support/database.ts";
import { removeDataDir, serverPid } from "../support/embedded.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { allFinal, startTaskLoad, taskCatalog, taskFaults, taskRows } from "../support/task-load.ts";
import { waitFor } from "../support/wait.ts";

const TASKS = 1_000;

describe("T2 on the embedded database", () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  let catalog: string;
  beforeEach(async () => {
    sandbox = await startSandbox();
    catalog = taskCatalog({ url: sandbox.url });
    gateway = await startGateway({ embedded: true, catalog });
  });
  afterEach(async () => {
    if (gateway.child.exitCode === null && gateway.child.signalCode === null) await gateway.end("SIGKILL");
    await removeDataDir(gateway.dataDir);
    await sandbox.stop();
  });

  const killDatabase = async (): Promise<void> => {
    const pid = await waitFor("a running database", () => serverPid(gateway.dataDir));
    process.kill(pid, "SIGKILL");
    await waitFor("another database", async () => {
      const now = await serverPid(gateway.dataDir);
      return now !== undefined && now !== pid;
    });
  };

  it("1,000 tasks end in time although the database restarts and the gateway dies", async () => {
    const load = startTaskLoad(() => gateway.url, "takes=15000", 16);
    for (const share of [0.25, 0.5, 0.75]) {
      await waitFor(`${share * TASKS} tasks`, () => load.accepted().length >= share * TASKS);
      await killDatabase();
    }
    gateway.child.kill("SIGKILL");
    await gateway.ended;
    gateway = await startGateway({ embedded: true, catalog, dataDir: gateway.dataDir });
    await waitFor("all tasks", () => load.accepted().length >= TASKS);
    const accepted = await load.stop();
    await sleep(5_000);
    await killDatabase();
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const database = await openDatabase({
      databaseUrl: undefined,
      dataDir: gateway.dataDir,
      role: "guest",
      applicationName: "faregate test",
      timeoutMs: BUSY_TIMEOUT_MS,
      log: quiet,
    });
    try {
      await allFinal(database.url, 180_000);
      expect(taskFaults(accepted, await taskRows(database.url), await sandbox.journal())).toEqual([]);
    } finally {
      await database.close();
    }
    await cleanLedger(gateway);
  });
});
