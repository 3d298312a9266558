import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger } from "../support/money-books.ts";
import { residentBytes } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { deafCaller, deafCallers, Flood, settled } from "../support/slow-readers.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

const CALLERS = 200;
const MB = 1024 * 1024;

/** The kernel's buffers and the gateway's own are full once the vendor could send nothing more for so long: memory is flat from here on. */
const FULL_AFTER_MS = 3_000;

/** What a garbage collector breathes in and out once a process is busy, however many callers there are. */
const BREATH_BYTES = 64 * MB;

const DROPPED_AFTER_MS = 60_000;

/** A reader is looked at every few seconds; and a machine may be busy. */
const SURELY_DROPPED_AFTER_MS = DROPPED_AFTER_MS + 30_000;

/** More than two kernels' buffers, and less than the largest plain response. */
const LONG_BYTES = 64 * MB;
const LONG_RESPONSE = { protocol: "messages", streamed: false, prompt: "Hello" } as const;

function serveAtLength({ protocol, model, response }: VendorCall): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(VENDOR_WIRES[protocol].plain(model) + " ".repeat(LONG_BYTES));
}

describe("S1, slow readers are bounded", () => {
  let flood: Flood;
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeEach(async () => {
    flood = new Flood();
    vendor = await vendorUpstream((each) => (each.streamed ? flood.pour(each) : serveAtLength(each)));
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text"],
        upstreams: [{ name: "vendor", url: vendor.url, maxConcurrency: 1_000 }],
      }),
    });
  });
  afterEach(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it(`keeps ${CALLERS} of them at 1 MB each at most, memory flat, and drops them after a minute`, async () => {
    const pid = gateway.child.pid ?? 0;
    const before = await residentBytes(pid);
    const startedMs = performance.now();
    await deafCallers(gateway.url, CALLERS);
    await waitFor("all floods", () => vendor.calls.length === CALLERS);
    await settled(() => flood.sent, FULL_AFTER_MS);
    const filled = await residentBytes(pid);
    const filledMs = performance.now() - startedMs;
    let most = filled;
    while (vendor.sockets.size === CALLERS) {
      await sleep(1_000);
      most = Math.max(most, await residentBytes(pid));
    }
    const droppedMs = performance.now() - startedMs;
    expect(droppedMs).toBeGreaterThan(DROPPED_AFTER_MS - 1_000);
    // It began to be deaf once it was full.
    expect(droppedMs - filledMs).toBeLessThan(SURELY_DROPPED_AFTER_MS);
    const each = (most - before - BREATH_BYTES) / CALLERS / MB;
    report(
      `S1: ${CALLERS} slow readers cost ${each.toFixed(2)} MB each; memory grew ${((most - filled) / MB).toFixed(0)} MB once they were full`,
    );
    expect(each).toBeLessThan(1);
    expect(most - filled).toBeLessThan(BREATH_BYTES);
    await waitFor("the others to be dropped", () => vendor.sockets.size === 0);
    expect(await gateway.end()).toBe(0);
    await cleanLedger(gateway);
  });

  it("drops who reads nothing of a long plain answer, and lets who reads it slowly have it", async () => {
    const deaf = await deafCaller(gateway.url, LONG_RESPONSE);
    const slow = await deafCaller(gateway.url, LONG_RESPONSE);
    const ofDeaf = counted(deaf);
    const ofSlow = counted(slow);
    const startedMs = performance.now();
    while (performance.now() - startedMs < SURELY_DROPPED_AFTER_MS) {
      slow.resume();
      await sleep(20);
      slow.pause();
      await sleep(5_000);
    }
    // What the kernels had taken comes first, then the end that is none.
    deaf.resume();
    await waitFor("the deaf caller to be dropped", () => deaf.closed);
    expect(ofDeaf.bytes).toBeLessThan(LONG_BYTES);
    slow.resume();
    await waitFor("the slow reader to have all", () => ofSlow.bytes > LONG_BYTES);
    slow.destroy();
    expect(await gateway.end()).toBe(0);
    await cleanLedger(gateway);
  });
});

/** Counts what a caller takes; it stays paused if it is. */
function counted(caller: Socket): { bytes: number } {
  const taken = { bytes: 0 };
  caller.on("data", ({ length }: Buffer) => {
    taken.bytes += length;
  });
  return taken;
}
