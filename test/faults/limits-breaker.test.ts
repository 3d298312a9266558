import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { percentile } from "../support/proc.ts";
import { report } from "../support/report.ts";
import { call, type Heard, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";

const REQUESTS = 300;

describe("O2 and O3, an upstream that fails all the time", () => {
  let first: VendorUpstream;
  let second: VendorUpstream;
  let gateway: TestGateway;
  beforeEach(async () => {
    first = await vendorUpstream(fail);
    second = await vendorUpstream(fail);
  });
  afterEach(async () => {
    await gateway?.end();
    await gateway?.clean();
    await first?.close();
    await second?.close();
  });

  const ask = (model: string, index: number): Promise<Heard> => {
    const protocol = TEXT_PROTOCOLS[index % TEXT_PROTOCOLS.length] ?? "messages";
    return call(gateway.url, { protocol, streamed: index % 8 >= 4, model, prompt: `Hello ${index}` });
  };

  it("is asked at most 1.2 times a request, even with a second one to go to that fails as well", async () => {
    // A model of its own for every request: no breaker opens, so that only the ration of retries counts.
    const models = Array.from({ length: REQUESTS }, (_, index) => `text-${index}`);
    const upstreams = [
      { name: "first", url: first.url },
      { name: "second", url: second.url, priority: 1 },
    ];
    gateway = await startGateway({ catalog: modelsFile({ models, upstreams }) });
    const heard = await Promise.all(models.map((model, index) => ask(model, index)));
    expect(new Set(heard.map(({ status }) => status))).toEqual(new Set([502]));
    const attempts = first.calls.length + second.calls.length;
    report(`O2: ${attempts} attempts for ${REQUESTS} requests`);
    expect(first.calls.length).toBe(REQUESTS);
    expect(second.calls.length).toBeGreaterThan(0);
    expect(attempts / REQUESTS).toBeLessThanOrEqual(1.2);
  });

  it("is left alone after five failures: callers are refused at once and told to wait", async () => {
    gateway = await startGateway({
      catalog: modelsFile({ models: ["text", "other"], upstreams: [{ name: "first", url: first.url }] }),
    });
    for (let index = 0; index < 5; index += 1) expect((await ask("text", index)).status).toBe(502);
    const tookMs: number[] = [];
    for (let index = 0; index < 100; index += 1) {
      const askedMs = performance.now();
      const { status, code } = await ask("text", index);
      tookMs.push(performance.now() - askedMs);
      expect([status, code]).toEqual([503, "no_available_upstream"]);
    }
    report(
      `O3: an open breaker refuses after p50 ${percentile(tookMs, 50).toFixed(1)} ms, p99 ${percentile(tookMs, 99).toFixed(1)} ms`,
    );
    expect(first.calls.length).toBe(5);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/breaker[^\n]*first[^\n]* 1$/m);
    expect((await ask("other", 0)).status).toBe(502); // another model there is none of its business
  });

  it("hides no healthy upstream: every request is answered by the other one", async () => {
    await second.close();
    second = await vendorUpstream(serveWell);
    gateway = await startGateway({
      catalog: modelsFile({
        models: ["text"],
        upstreams: [
          { name: "first", url: first.url },
          { name: "second", url: second.url, priority: 1 },
        ],
      }),
    });
    for (let index = 0; index < 40; index += 1) expect((await ask("text", index)).complete).toBe(true);
    expect(first.calls.length).toBe(5);
  });
});

function fail({ protocol, response }: VendorCall): void {
  const words = { status: 500, type: "server_error", code: "INTERNAL", message: "Oops" };
  response.writeHead(500, { "content-type": "application/json" }).end(VENDOR_WIRES[protocol].error(words));
}
