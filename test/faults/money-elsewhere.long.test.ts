import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { runSql } from "../support/embedded.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import {
  balanceOf,
  cleanLedger,
  expectNothingOpen,
  ODD_PRICE,
  priceYaml,
  readUsageLog,
} from "../support/money-books.ts";
import { faultsOf, journalsLeft, startLoad } from "../support/money-crash.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

/** A hold is resolved within this time of a death, wherever the dead machine's data folder is. */
const RESOLVED_MS = 120_000;

describe("M3, a gateway that dies and whose data folder is out of reach", () => {
  let sandbox: TestSandbox;
  let gateways: Gateways;
  beforeEach(async () => {
    sandbox = await startSandbox();
    const catalog = catalogFile({ upstreams: [{ url: sandbox.url }], price: priceYaml(ODD_PRICE) });
    gateways = await startGateways(2, { catalog });
  });
  afterEach(async () => {
    await gateways.clean();
    await sandbox.stop();
  });

  it("has its leases returned by another one within 120 s, and its lines posted at its late start", async () => {
    const { first } = gateways;
    const databaseUrl = first.database?.url ?? "";
    const load = startLoad(() => first.url, { name: "elsewhere", modes: ["stream", "plain"] });
    await waitFor("answers", () => load.answered() >= 20);
    const journals = await openJournals(databaseUrl, first.child.pid);
    expect(journals).toHaveLength(1);
    first.child.kill("SIGKILL");
    await first.ended;
    const killedAt = performance.now();
    const told = await load.stop();

    while ((await openJournals(databaseUrl, first.child.pid)).length > 0) {
      expect(performance.now() - killedAt).toBeLessThan(RESOLVED_MS);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    const leases = await runSql(databaseUrl, `select 1 from leases where journal = '${journals[0]}'`);
    expect(leases).toEqual([]);

    const before = (await readUsageLog(databaseUrl)).length;
    await gateways.add({ dataDir: first.dataDir });
    await waitFor("the late lines", async () => journalsLeft(first).length === 1);
    expect((await readUsageLog(databaseUrl)).length).toBeGreaterThanOrEqual(before);
    expect(await gateways.end()).toEqual([0, 0]);
    await expectNothingOpen(databaseUrl);
    const rows = await readUsageLog(databaseUrl);
    expect(faultsOf(told, rows, await sandbox.journal(), ODD_PRICE)).toEqual([]);
    const verdict = await cleanLedger(first);
    const charged = rows.reduce((sum, { chargeNanos }) => sum + chargeNanos, 0n);
    expect(balanceOf(verdict)).toBe(1_000_000_000_000n - charged);
  });
});

/** Ids of the open journals of a process. */
async function openJournals(databaseUrl: string, pid: number | undefined): Promise<string[]> {
  const rows = await runSql(
    databaseUrl,
    `select id from journals where not closed and label like '% pid ${pid}'`,
  );
  return rows.map(({ id }) => String(id));
}
