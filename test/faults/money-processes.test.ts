import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { PATIENCE_MS } from "../support/gateways.ts";
import {
  cleanLedger,
  expectNothingOpen,
  ODD_PRICE,
  priceYaml,
  readUsageLog,
} from "../support/money-books.ts";
import { faultsOf, journalOwners, journalsLeft, type Load, startLoad } from "../support/money-crash.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

describe("M3, kills among three processes", { timeout: PATIENCE_MS }, () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  let load: Load;
  const start = (more: object = {}): Promise<TestGateway> =>
    startGateway({
      catalog: catalogFile({ upstreams: [{ url: sandbox.url }], price: priceYaml(ODD_PRICE) }),
      args: ["--processes", "3"],
      ...more,
    });
  beforeEach(async () => {
    sandbox = await startSandbox();
    gateway = await start();
    load = startLoad(() => gateway.url, { name: "processes", modes: ["stream", "plain"], callers: 9 });
    await waitFor("answers", () => load.answered() >= 30);
  });
  afterEach(async () => {
    // First what the load waits for.
    const children = await childrenOf(gateway.child.pid).catch(() => []);
    gateway.child.kill("SIGKILL");
    await gateway.ended;
    for (const pid of children) if (await isRunning(pid)) process.kill(pid, "SIGKILL");
    await load.stop();
    await gateway.clean();
    await sandbox.stop();
  });

  const expectRightBooks = async (): Promise<void> => {
    const told = await load.stop();
    expect(await gateway.end()).toBe(0);
    const databaseUrl = gateway.database?.url ?? "";
    await expectNothingOpen(databaseUrl);
    expect(journalsLeft(gateway)).toEqual([]);
    expect(faultsOf(told, await readUsageLog(databaseUrl), await sandbox.journal(), ODD_PRICE)).toEqual([]);
    await cleanLedger(gateway);
  };

  it("replaces a killed process, whose lines its siblings post", async () => {
    const [victim] = await childrenOf(gateway.child.pid);
    expect(victim).toBeDefined();
    process.kill(victim ?? 0, "SIGKILL");
    await waitFor("another process in its place", async () => {
      const children = await childrenOf(gateway.child.pid);
      return children.length === 3 && !children.includes(victim ?? 0);
    });
    const before = load.answered();
    await waitFor("answers after the kill", () => load.answered() >= before + 30);
    // At its next look around, a sibling adopts what the dead has left.
    await waitFor("the end of its journal", () => !journalOwners(gateway).includes(victim ?? 0));
    await expectRightBooks();
  });

  it("ends its processes in order when the first of them is killed, and goes on after a new start", async () => {
    const children = await childrenOf(gateway.child.pid);
    gateway.child.kill("SIGKILL");
    await waitFor("the end of its processes", async () =>
      (await Promise.all(children.map(isRunning))).every((running) => !running),
    );
    const { database, dataDir } = gateway;
    gateway = await start({ dataDir, ...(database === undefined ? {} : { database }) });
    const before = load.answered();
    await waitFor("answers after the start", () => load.answered() >= before + 30);
    await expectRightBooks();
  });
});

async function childrenOf(pid: number | undefined): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}
