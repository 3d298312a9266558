import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type Gateways, PATIENCE_MS, startGateways } from "../support/gateways.ts";
import {
  cleanLedger,
  expectNothingOpen,
  nanosOf,
  ODD_PRICE,
  priceYaml,
  readUsageLog,
  requestIdOf,
} from "../support/money-books.ts";
import { faultsOf, journalsLeft, startLoad } from "../support/money-crash.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";

describe("stopping and starting", { timeout: PATIENCE_MS }, () => {
  let sandbox: TestSandbox;
  let catalog: string;
  let running: { clean(): Promise<void> } | undefined;
  beforeAll(async () => {
    sandbox = await startSandbox();
    catalog = catalogFile({ upstreams: [{ url: sandbox.url }], price: priceYaml(ODD_PRICE) });
  });
  afterEach(async () => {
    await running?.clean();
    await sandbox.reset();
  });
  afterAll(() => sandbox.stop());

  const start = async (args: readonly string[] = []): Promise<TestGateway> => {
    const gateway = await startGateway({ catalog, args });
    running = gateway;
    return gateway;
  };
  const startTwo = async (): Promise<Gateways> => {
    const gateways = await startGateways(2, { catalog });
    running = gateways;
    return gateways;
  };

  it.each([
    { name: "one process", args: [] },
    { name: "three processes", args: ["--processes", "3"] },
  ])("lets live streams finish after SIGTERM, posts them and exits with 0: $name", async ({ args }) => {
    const gateway = await start(args);
    const before = await receivedAt(sandbox);
    const responses = Array.from({ length: 24 }, (_, index) =>
      call(gateway.url, {
        protocol: TEXT_PROTOCOLS[index % 4] ?? "messages",
        streamed: index % 2 === 0,
        prompt: `Count slowly. [[sandbox: chunks=20 pace=100 delay=${index % 2 === 0 ? 0 : 1500}]]`,
      }),
    );
    // Not that all run at once: on a busy machine the first are over when the last arrives.
    await waitFor(
      "all of them upstream",
      async () => (await receivedAt(sandbox)) - before === responses.length,
    );
    expect(await gateway.end()).toBe(0);
    expect((await Promise.all(responses)).map(({ complete }) => complete)).toEqual(responses.map(() => true));
    await expectExact(gateway.database?.url ?? "", responses.length);
    expect(journalsLeft(gateway)).toEqual([]);
    await cleanLedger(gateway);
  });

  it("refuses a second gateway on the same data folder in one sentence, and the first goes on", async () => {
    const gateway = await start();
    const second = startGateway({ catalog, dataDir: gateway.dataDir, ...sharedDatabase(gateway) });
    await expect(second).rejects.toThrow(
      /ended with 1 (.|\n)*faregate: Another gateway .* already serves from .*FAREGATE_DATA_DIR/,
    );
    expect(await call(gateway.url, { protocol: "messages", prompt: "Hello" })).toMatchObject({
      complete: true,
    });
    expect(await gateway.end()).toBe(0);
    await expectExact(gateway.database?.url ?? "", 1);
  });

  it("posts at a late start what a killed gateway had answered, while another one goes on", async () => {
    const { first, add, end } = await startTwo();
    const load = startLoad(() => first.url, { name: "late", modes: ["stream", "plain"] });
    await waitFor("answers", () => load.answered() >= 20);
    first.child.kill("SIGKILL");
    await first.ended;
    const told = await load.stop();
    expect(journalsLeft(first).length).toBeGreaterThan(0);
    await add({ dataDir: first.dataDir });
    expect(await end()).toEqual([0, 0]);
    const databaseUrl = first.database?.url ?? "";
    await expectNothingOpen(databaseUrl);
    expect(journalsLeft(first)).toEqual([]);
    expect(faultsOf(told, await readUsageLog(databaseUrl), await sandbox.journal(), ODD_PRICE)).toEqual([]);
    await cleanLedger(first);
  });

  /** Every request is on the books exactly as in the journal, and nothing is open. */
  const expectExact = async (databaseUrl: string, requests: number): Promise<void> => {
    const rows = await readUsageLog(databaseUrl);
    const journal = await sandbox.journal();
    const charged = new Map(rows.map(({ requestId, chargeNanos }) => [requestId, chargeNanos]));
    expect(rows).toHaveLength(requests);
    expect(journal.map((line) => charged.get(requestIdOf(line)))).toEqual(
      journal.map(({ usage }) => nanosOf(usage, ODD_PRICE)),
    );
    await expectNothingOpen(databaseUrl);
  };
});

/** How many requests have arrived there since it was started. */
async function receivedAt(sandbox: TestSandbox): Promise<number> {
  const status = await (await fetch(`${sandbox.url}/_sandbox/status`)).json();
  return (status as { received: number }).received;
}

/** Its database, without the right to remove it. */
function sharedDatabase({ database }: TestGateway): object {
  return database === undefined ? {} : { database: { ...database, drop: async () => undefined } };
}
