import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { withNoise } from "../support/noise.ts";
import { report } from "../support/report.ts";
import { call } from "../support/text-caller.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

const CALLERS = 2_000;
const LIMIT_MS = 10_000;

/** How often the server looks for callers that are late. */
const LOOK_MS = 2_000;

describe("O4, callers that send a byte at a time", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream();
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text"], upstreams: [{ name: "vendor", url: vendor.url }] }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it(`answers ${CALLERS} of them with 408 after ten seconds, and everybody else meanwhile`, async () => {
    const before = vendor.calls.length;
    let served = 0;
    const { result, noiseMs } = await withNoise(gateway.url, async () => {
      const trickles = Array.from({ length: CALLERS }, () => trickle(gateway.url));
      let over = false;
      const others = (async () => {
        while (!over) {
          expect((await call(gateway.url, { protocol: "messages", prompt: "Hello" })).complete).toBe(true);
          served += 1;
        }
      })();
      const heard = await Promise.all(trickles);
      over = true;
      await others;
      return heard;
    });
    report(
      `O4: ${served} ordinary requests served beside ${CALLERS} slow callers, noise ${noiseMs.toFixed(0)} ms`,
    );
    expect(served).toBeGreaterThan(0);
    for (const { text, tookMs } of result) {
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      expect(text).toContain('"code":"request_timeout"');
      expect(tookMs).toBeGreaterThan(LIMIT_MS - 500);
      expect(tookMs).toBeLessThan(LIMIT_MS + LOOK_MS + 3 * noiseMs + 2_000);
    }
    expect(vendor.calls.length - before).toBe(served);
  });
});

/** Sends headers a byte a second until it is told to stop. */
function trickle(url: string): Promise<{ text: string; tookMs: number }> {
  const { hostname, port } = new URL(url);
  const bytes = `POST /v1/messages HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TEST_KEY}\r\nx: ${"a".repeat(500)}`;
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname);
    let text = "";
    let at = 0;
    let startedMs = performance.now();
    socket.once("connect", () => {
      startedMs = performance.now();
    });
    const pace = setInterval(() => socket.writable && socket.write(bytes[at++] ?? "a"), 1_000);
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(pace);
      resolve({ text, tookMs: performance.now() - startedMs });
    });
  });
}
