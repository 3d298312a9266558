import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { report } from "../support/report.ts";
import { call, type Heard, type Wish } from "../support/text-caller.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

const MB = 1024 * 1024;

const answer = (message: object): Buffer =>
  Buffer.from(
    JSON.stringify({
      ...{ id: "chatcmpl-1", object: "chat.completion", created: 1_754_000_000, model: "m" },
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...message } }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    }),
  );

const CALL = { type: "function", function: { name: "f", arguments: '{"a":1}' } };
const calls = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ id: `call_${at}`, ...CALL }));

/** By model. */
const ANSWERS: Readonly<Record<string, () => Buffer>> = {
  // So many small values that reading them takes longer than anything else here.
  many: () => answer({ content: "Hello there.", more: Array.from({ length: 1_000_000 }, () => ({ a: 1 })) }),
  called: () => answer({ content: "Hello there.", tool_calls: calls(60_000) }),
  // As a stream of its caller's protocol it is several times as long.
  swelling: () => answer({ content: "Hello there.", tool_calls: calls(260_000) }),
  words: () => answer({ content: "Hello there. ".repeat((2 * MB) / 13) }),
};

describe("a plain answer of many megabytes", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  const made = new Map<string, Buffer>();
  beforeAll(async () => {
    vendor = await vendorUpstream(({ model, response }) => {
      const body = made.get(model) ?? Buffer.alloc(0);
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
      response.end(body);
    });
    const upstreams = [{ name: "vendor", url: vendor.url, protocols: ["chat-completions"] }];
    gateway = await startGateway({ catalog: modelsFile({ models: Object.keys(ANSWERS), upstreams }) });
    for (const [model, make] of Object.entries(ANSWERS)) made.set(model, make());
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  /** Asks, and others all the while. */
  async function askBesideOthers(wish: Wish): Promise<{ heard: Heard; tookMs: number; longestMs: number }> {
    let over = false;
    let longestMs = 0;
    const startedMs = performance.now();
    const asked = call(gateway.url, wish).finally(() => {
      over = true;
    });
    while (!over) {
      const askedMs = performance.now();
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
      longestMs = Math.max(longestMs, performance.now() - askedMs);
    }
    return { heard: await asked, tookMs: performance.now() - startedMs, longestMs };
  }

  it.each([
    { protocol: "chat-completions", streamed: false, model: "many" },
    { protocol: "chat-completions", streamed: true, model: "many" },
    { protocol: "messages", streamed: false, model: "many" },
    { protocol: "messages", streamed: true, model: "many" },
    { protocol: "responses", streamed: false, model: "called" },
    { protocol: "messages", streamed: true, model: "called" },
  ] as const)(
    "holds nobody else up while it is read: $model, $protocol, streamed $streamed",
    async (wish) => {
      const { heard, tookMs, longestMs } = await askBesideOthers({ ...wish, prompt: "Hi" });
      expect(heard, heard.text.slice(0, 500)).toMatchObject({ status: 200, complete: true });
      expect(heard.text.slice(0, 2_000)).toContain("Hello there.");
      report(
        `An answer of ${((made.get(wish.model)?.length ?? 0) / MB).toFixed(0)} MB that took ${tookMs.toFixed(0)} ms held others up for ${longestMs.toFixed(0)} ms`,
      );
      // On the event loop it would take most of the time, in which nothing is answered.
      expect(longestMs).toBeLessThan(tookMs / 2);
    },
  );

  it("is refused where it would swell beyond the largest answer there can be", async () => {
    const heard = await call(gateway.url, {
      protocol: "messages",
      streamed: true,
      model: "swelling",
      prompt: "",
    });
    // On a busy machine signs of life have been sent by then, and it is told as a stream tells it.
    expect(heard.complete).toBe(false);
    expect(heard.text).toContain("exceeds the gateway's limit");
    expect(heard.text).toContain('{"type":"error"');
  });

  it("is refused from a megabyte on where it answers a call of another form", async () => {
    const ask = (model: string): Promise<Response> =>
      fetch(`${gateway.url}/v1/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ model, prompt: "Hi" }),
      });
    const refused = await ask("words");
    expect(refused.status).toBe(502);
    expect(await refused.text()).toContain("exceeds the gateway's limit");
  });
});
