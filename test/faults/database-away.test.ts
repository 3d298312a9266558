import { afterEach, expect, it } from "vitest";
import { TEST_KEY } from "../support/gateway.ts";
import { type Gateways, startGateways } from "../support/gateways.ts";
import { ask } from "../support/world.ts";

let gateways: Gateways | undefined;
afterEach(() => gateways?.clean());

function linesOf(output: string): number {
  return output.split("\n").length;
}

it("while the database is away, what reads it answers 503 in its path's shape and says when to come again", async () => {
  const catalog = `version: 1
accounts: [{ name: acme, balance: 1, keys: [{ name: main, key: ${TEST_KEY} }] }]
`;
  gateways = await startGateways(1, { catalog });
  const { url, database } = gateways.first;
  // The key is known from here on.
  expect((await ask(url, "/v1/models", undefined, { key: TEST_KEY })).status).toBe(200);
  await database?.shut();
  for (const [path, code] of [
    [`/v1/images/tasks/task-${"a".repeat(24)}`, "code"],
    [`/v1/receipts/req_${"a".repeat(32)}`, "error.code"],
  ] as const) {
    const reply = await ask(url, path, undefined, { key: TEST_KEY });
    expect(reply.json).toHaveProperty(code, "service_unavailable");
    expect([path, reply.status, Number(reply.headers.get("retry-after")) > 0]).toEqual([path, 503, true]);
  }
  // Each of them says so in the log, and the log says it a few times.
  const before = linesOf(gateways.first.output());
  for (let request = 0; request < 200; request += 1)
    await ask(url, `/v1/receipts/req_${String(request).padStart(32, "0")}`, undefined, { key: TEST_KEY });
  expect(linesOf(gateways.first.output()) - before).toBeLessThan(20);
});
