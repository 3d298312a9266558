import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/storage/open-database.ts";
import { catalogFile } from "../support/catalog-file.ts";
import { BUSY_TIMEOUT_MS } from "../support/database.ts";
import { removeDataDir, serverPid } from "../support/embedded.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import {
  cleanLedger,
  expectNothingOpen,
  ODD_PRICE,
  priceYaml,
  readUsageLog,
} from "../support/money-books.ts";
import { faultsOf, journalsLeft, type Load, startLoad } from "../support/money-crash.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

describe("M3, kills of the embedded database", { timeout: PATIENCE_MS }, () => {
  let sandbox: TestSandbox;
  let catalog: string;
  let gateway: TestGateway;
  let load: Load;
  beforeEach(async () => {
    sandbox = await startSandbox();
    catalog = catalogFile({ upstreams: [{ url: sandbox.url }], price: priceYaml(ODD_PRICE) });
    gateway = await startGateway({ embedded: true, catalog });
    load = startLoad(() => gateway.url, { name: "embedded", modes: ["stream", "plain"] });
    await waitFor("answers", () => load.answered() >= 10);
  });
  afterEach(async () => {
    if (gateway.child.exitCode === null && gateway.child.signalCode === null) await gateway.end("SIGKILL");
    await load.stop();
    await removeDataDir(gateway.dataDir);
    await sandbox.stop();
  });

  const killDatabase = async (): Promise<void> => {
    const pid = await serverPid(gateway.dataDir);
    if (pid === undefined) throw new Error("the gateway has no database");
    process.kill(pid, "SIGKILL");
  };

  const killGateway = async (): Promise<void> => {
    gateway.child.kill("SIGKILL");
    await gateway.ended;
  };

  const restart = async (): Promise<void> => {
    gateway = await startGateway({ embedded: true, catalog, dataDir: gateway.dataDir });
  };

  const responsesAgain = async (): Promise<void> => {
    const before = load.answered();
    await waitFor("answers after the kill", () => load.answered() >= before + 20);
  };

  /** Stops the gateway in order and holds its books against callers and upstream. */
  const expectRightBooks = async (): Promise<void> => {
    const told = await load.stop();
    expect(await gateway.end()).toBe(0);
    expect(journalsLeft(gateway)).toEqual([]);
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
      await expectNothingOpen(database.url);
      expect(faultsOf(told, await readUsageLog(database.url), await sandbox.journal(), ODD_PRICE)).toEqual(
        [],
      );
    } finally {
      await database.close();
    }
    await cleanLedger(gateway);
  };

  it("goes on by itself when the database is killed, and loses nothing", async () => {
    await killDatabase();
    await responsesAgain();
    await expectRightBooks();
  });

  it("loses nothing when the gateway is killed and its database lives on", async () => {
    await killGateway();
    await restart();
    await responsesAgain();
    await expectRightBooks();
  });

  it("loses nothing when both are killed", async () => {
    await killDatabase();
    await killGateway();
    await restart();
    await responsesAgain();
    await expectRightBooks();
  });
});
