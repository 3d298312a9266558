import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger } from "../support/money-books.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

/** Forwarded to callers of its protocol, translated for all others. */
const ENDLESS = { name: "vendor", protocols: ["chat-completions"] };
const CALLERS_EACH = 2;

let vendor: VendorUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await vendorUpstream(({ response }) => {
    response.writeHead(200, { "content-type": "application/json" }).write('{"id":"');
    const pace = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(pace));
  });
  const upstreams = [{ ...ENDLESS, url: vendor.url }];
  gateway = await startGateway({ catalog: modelsFile({ models: ["text"], upstreams }) });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await vendor?.close();
});

it("plain answers without end are let go of once their callers have left", async () => {
  const leaving = new AbortController();
  const asked = TEXT_PROTOCOLS.flatMap((protocol) =>
    Array.from({ length: CALLERS_EACH }, () =>
      call(gateway.url, { protocol, model: "text", prompt: "Hello" }, { signal: leaving.signal }),
    ),
  );
  await waitFor("all requests at the vendor", () => vendor.calls.length === asked.length);
  leaving.abort();
  await Promise.all(asked);
  expect(vendor.sockets.size).toBe(asked.length);
  // An upstream may take an hour for a response whose caller waits.
  await waitFor("the vendor's connections to be closed", () => vendor.sockets.size === 0);
  await waitFor("the requests to be settled", async () =>
    /requests_running 0\b/.test((await ask(gateway.url, "/metrics")).text),
  );
  await cleanLedger(gateway);
});
