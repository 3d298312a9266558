import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";

const PROBE_AFTER_MS = 30_000;

describe("O3, the way back from an open breaker", () => {
  let well = false;
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream((each: VendorCall) => {
      if (well) serveWell(each);
      else each.response.writeHead(503).end();
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

  const ask = (index: number) =>
    call(gateway.url, { protocol: TEXT_PROTOCOLS[index % 4] ?? "messages", prompt: "Hello" });

  /** Asks all the while; gives what the upstream saw in that time. */
  async function askFor(ms: number): Promise<{ attempts: number; statuses: Set<number> }> {
    const before = vendor.calls.length;
    const statuses = new Set<number>();
    const endMs = performance.now() + ms;
    for (let index = 0; performance.now() < endMs; index += 1) {
      for (const heard of await Promise.all([ask(index), ask(index + 1), ask(index + 2)]))
        statuses.add(heard.status);
      await sleep(200);
    }
    return { attempts: vendor.calls.length - before, statuses };
  }

  it("is one probe each 30 seconds, and the first that succeeds opens it to all", async () => {
    for (let index = 0; index < 5; index += 1) expect((await ask(index)).status).toBe(502);
    const openedMs = performance.now();
    const early = await askFor(PROBE_AFTER_MS - 5_000);
    expect(early).toEqual({ attempts: 0, statuses: new Set([503]) });
    // Two periods more, in which two probes fail.
    const late = await askFor(2 * PROBE_AFTER_MS);
    expect(late.attempts).toBeGreaterThanOrEqual(1);
    expect(late.attempts).toBeLessThanOrEqual(Math.floor((performance.now() - openedMs) / PROBE_AFTER_MS));
    well = true;
    const found = await askFor(PROBE_AFTER_MS + 5_000);
    expect(found.statuses).toContain(200);
    const after = await askFor(2_000);
    expect(after.statuses).toEqual(new Set([200]));
  });
});
