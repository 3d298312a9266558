import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";
import { ask, codeIn, KEYS, type Reply } from "../support/world.ts";

const MODELS = ["chat", "claude"] as const;
/** As every response of the vendor's counts. */
const COST = 7 * 3_000 + 3 * 15_000;

describe("several prompts of one legacy completion", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(serve);
    const limits = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
    gateway = await startGateway({
      catalog: `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: chat, ${limits} }
  - { id: claude, ${limits} }
  - { id: silent, ${limits} }
upstreams:
  - { name: c, kind: openai-compatible, base_url: "${vendor.url}/v1", api_key: k, models: [chat, silent] }
  - { name: m, kind: anthropic, base_url: "${vendor.url}", api_key: k, models: [claude] }
accounts:
  - { name: acme, group: default, balance: 10, keys: [{ name: main, key: ${KEYS.main} }] }
  - { name: poor, group: default, balance: 0.005, keys: [{ name: poor, key: ${KEYS.partner} }] }
`,
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await vendor.close();
  });

  const complete = (body: object, key: string = KEYS.main): Promise<Reply> =>
    ask(gateway.url, "/v1/completions", body, { key });
  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  const receiptOf = (reply: Reply): Promise<any> =>
    waitFor("a receipt", async () => {
      const id = reply.headers.get("x-request-id");
      const { status, json } = await ask(gateway.url, `/v1/receipts/${id}`);
      return status === 200 ? json : undefined;
    });
  const asked = (model: string, mark: string): unknown[] =>
    vendor.calls
      .filter((call) => call.model === model && call.body.includes(mark))
      .map(({ body }) => JSON.parse(body.toString()).messages.length);

  it.each(MODELS)("are answered by a choice each, in order, and charged once: %s", async (model) => {
    const prompt = ["river", "lake", "sea"].map((word) => `${word} of ${model}`);
    const reply = await complete({ model, prompt, max_tokens: 50 });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toMatchObject({
      object: "text_completion",
      choices: prompt.map((each, index) => ({ index, text: `Echo: ${each}`, finish_reason: "stop" })),
      usage: { prompt_tokens: 21, completion_tokens: 9 },
    });
    expect(asked(model, "of ")).toEqual([1, 1, 1]);
    expect(await receiptOf(reply)).toMatchObject({ charge_nanos: String(3 * COST), estimated: false });
  });

  it.each(MODELS)("are answered n times each, the answers of one prompt side by side: %s", async (model) => {
    const reply = await complete({ model, prompt: ["one", "two"], n: 2 });
    const texts = ["one", "one", "two", "two"].map((each) => `Echo: ${each}`);
    expect(reply.json.choices.map(({ text }: { text: string }) => text)).toEqual(texts);
    expect(reply.json.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3]);
    expect(await receiptOf(reply)).toMatchObject({ charge_nanos: String(4 * COST) });
  });

  it.each(MODELS)("are streamed side by side to the official client: %s", async (model) => {
    const client = new OpenAI({ apiKey: KEYS.main, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const prompt = Array.from({ length: 20 }, (_, number) => `Stream ${number}`);
    const texts: string[] = [];
    const finishes: string[] = [];
    let usage: OpenAI.CompletionUsage | null | undefined;
    const more = { stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await client.completions.create({ model, prompt, ...more })) {
      for (const { index, text, finish_reason: finish } of chunk.choices) {
        texts[index] = (texts[index] ?? "") + text;
        if (finish !== null) finishes[index] = finish;
      }
      usage = chunk.usage ?? usage;
    }
    expect(texts).toEqual(prompt.map((each) => `Echo: ${each}`));
    expect(finishes).toEqual(prompt.map(() => "stop"));
    expect(usage).toMatchObject({ prompt_tokens: 140, completion_tokens: 60 });
  });

  it("are held for all of their answers, and fail together for nothing", async () => {
    const prompt = ["a", "b", "c", "d"];
    // 200 tokens of output are 0.003 dollars, so that one response is within the balance of 0.005.
    const refused = await complete({ model: "chat", prompt, max_tokens: 200 }, KEYS.partner);
    expect([refused.status, codeIn(refused.json)]).toEqual([403, "insufficient_user_quota"]);
    const one = await complete({ model: "chat", prompt: ["a"], max_tokens: 200 }, KEYS.partner);
    expect(one.status, one.text).toBe(200);
    const failed = await complete({ model: "chat", prompt: ["fine", "broken"] });
    expect([failed.status, codeIn(failed.json)]).toEqual([502, "upstream_error"]);
    expect(await receiptOf(failed)).toMatchObject({ charge_nanos: "0" });
  });

  it("are counted by the gateway where the vendor counts nothing, each once", async () => {
    const words = (times: number): string => "river ".repeat(times).trim();
    const one = await complete({ model: "silent", prompt: words(300), max_tokens: 1_000 });
    const three = await complete({ model: "silent", prompt: [100, 101, 99].map(words), max_tokens: 1_000 });
    const [single, several] = [await receiptOf(one), await receiptOf(three)];
    expect(several).toMatchObject({ estimated: true });
    const ratio = Number(several.charge_nanos) / Number(single.charge_nanos);
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.15);
  });

  /** Echoes the one prompt of each request. */
  function serve({ protocol, streamed, model, body, response }: VendorCall): void {
    const { messages } = JSON.parse(body.toString());
    const [{ content }] = messages.slice(-1);
    const prompt = typeof content === "string" ? content : content[0].text;
    if (prompt === "broken") return void response.writeHead(500).end("{}");
    const wire = VENDOR_WIRES[protocol];
    const text = `Echo: ${prompt}`;
    const whole = streamed
      ? wire.opening(model) + wire.delta(text) + wire.closing(model)
      : wire.plain(model).replace("Hello there.", () => text);
    const type = streamed ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type });
    response.end(model === "silent" ? whole.replace(/,"usage":\{[^}]*\}/, "") : whole);
  }
});
