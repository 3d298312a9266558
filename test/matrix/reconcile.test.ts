import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";

/** Those of `modelsFile`; what it leaves out is priced as input. */
const PRICES = { input: 3, "cached input": 3, "cache write": 3, "cache write 1h": 3, output: 15 };

let sandbox: TestSandbox;
let gateway: TestGateway;

beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await startGateway({
    catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: sandbox.url }] }),
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await sandbox?.stop();
});

async function reconciled(text: string, ...options: string[]) {
  const file = join(gateway.dataDir, "export");
  await writeFile(file, text);
  const { code, stdout, stderr } = await gateway.run("reconcile", file, "--tolerance", "0", ...options);
  return { code, stdout, stderr };
}

describe("faregate reconcile", () => {
  it("finds no difference in a vendor's bill of a day's traffic, and a fault in it", async () => {
    for (const protocol of TEXT_PROTOCOLS)
      for (const streamed of [false, true])
        await call(gateway.url, { protocol, streamed, model: "text", prompt: "Tell me of prices" });
    const asked = (await sandbox.journal()).length;
    await waitFor("all usage to be posted", async () => {
      const rows = await gateway.database?.database.query("select from usage");
      return rows?.length === asked;
    });
    const response = await fetch(`${sandbox.url}/_sandbox/export`, {
      method: "POST",
      body: JSON.stringify({ format: "csv", prices: { text: PRICES } }),
    });
    const bill = await response.text();
    const clean = await reconciled(bill, "--upstream", "vendor");
    expect(clean.stdout).toMatch(/^No differences: CSV, .* recorded \$0\.\d+, billed \$0\.\d+\.$/m);
    expect(clean.code).toBe(0);
    const lines = bill.split("\n");
    const doubled = await reconciled([...lines, lines[1]].join("\n"), "--json");
    expect(JSON.parse(doubled.stdout).causes).toMatchObject([{ name: "duplicate_row" }]);
    expect(doubled.code).toBe(1);
  });

  it("names what it can't read by file, line and column, and the lines that it leaves out", async () => {
    const refused = await reconciled('day,model,bucket,amount\n2026-01-01,m,inputs,"0,003"\n');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/export:2:14: bucket: unknown bucket "inputs"; did you mean "input"\?$/m);
    expect(refused.stderr).toMatch(/export:2:21: amount: "0,003" is no number/m);
    const { stdout } = await reconciled("day,amount\n2026-01-01,0\nTotal,0\n");
    expect(stdout).toMatch(/^Left out: 1 row without a day, as totals are \(line 3\)\.$/m);
  });

  it("ends in 3 where it could not run, and in 2 where its options make no sense", async () => {
    expect((await reconciled("nothing")).code).toBe(3);
    expect((await reconciled("day,amount\n2026-01-01,1", "--zone", "Mars/Olympus")).code).toBe(2);
    expect((await gateway.run("reconcile")).code).toBe(2);
  });
});
