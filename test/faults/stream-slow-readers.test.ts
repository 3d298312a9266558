import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { report } from "../support/report.ts";
import { deafCallers, Flood, settled } from "../support/slow-readers.ts";
import { call } from "../support/text-caller.ts";
import { serveWell, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";

const CALLERS = 20;

/** Two kernels' buffers on either side of the gateway come to about 8 MB; ours is to be 1 MB at most. */
const MAX_EACH_BYTES = 16 * 1024 * 1024;

describe("S1, callers that never read", () => {
  const flood = new Flood();
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream((each) => (each.streamed ? flood.pour(each) : serveWell(each)));
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: vendor.url }] }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it("stop the flood at its source, and cost nobody else an answer", async () => {
    const sockets = await deafCallers(gateway.url, CALLERS);
    await waitFor("all floods", () => vendor.calls.length === CALLERS);
    const sent = await settled(() => flood.sent, 2_000);
    report(
      `S1: ${CALLERS} callers that never read let the upstream send ${(sent / CALLERS / 1e6).toFixed(1)} MB each`,
    );
    expect(sent / CALLERS).toBeLessThan(MAX_EACH_BYTES);
    expect((await call(gateway.url, { protocol: "messages", prompt: "Hello" })).complete).toBe(true);
    for (const socket of sockets) socket.destroy();
    await waitFor("the upstream's connections to close", () => vendor.sockets.size <= 1);
  });
});
