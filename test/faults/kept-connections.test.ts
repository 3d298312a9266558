import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runSql } from "../support/embedded.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger } from "../support/money-books.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

let vendor: VendorUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  const used = new Set<Socket>();
  vendor = await vendorUpstream((each) => {
    const { socket } = each.request;
    if (used.has(socket)) socket.destroy();
    else serveWell(each);
    used.add(socket);
  });
  gateway = await startGateway({
    catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: vendor.url }] }),
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await vendor?.close();
});

it("an only upstream that closes kept connections just as they are used answers all the same, in one attempt", async () => {
  const wishes = TEXT_PROTOCOLS.flatMap((protocol) =>
    [false, true].map((streamed) => ({ protocol, streamed, prompt: "Hello" })),
  );
  for (const wish of wishes) {
    expect([wish, await call(gateway.url, wish)]).toMatchObject([wish, { status: 200, complete: true }]);
  }
  expect(vendor.calls.length).toBeGreaterThan(wishes.length);
  await gateway.end();
  await cleanLedger(gateway);
  const rows = await runSql(gateway.database?.url ?? "", "select attempts, reason from usage");
  expect(rows).toEqual(wishes.map(() => ({ attempts: 1, reason: "completed" })));
});
