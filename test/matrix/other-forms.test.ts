import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask, codeIn, KEYS, type Reply } from "../support/world.ts";

const VECTOR = [0.5, -0.25, 1];

/** What has no protocol of its own among upstreams: legacy completions, native embeddings, packed vectors. */
describe("a call in a form of its own", () => {
  let vendor: VendorUpstream;
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ path, body, response }) => {
      const asked = JSON.parse(body.toString("utf8"));
      response.writeHead(200, { "content-type": "application/json" });
      if (path.endsWith(":batchEmbedContents")) {
        const embeddings = asked.requests.map(() => ({ values: VECTOR }));
        response.end(JSON.stringify({ embeddings }));
        return;
      }
      const texts = Array.isArray(asked.input) ? asked.input : [asked.input];
      const data = texts.map((_: unknown, index: number) => ({
        object: "embedding",
        index,
        embedding: VECTOR,
      }));
      const usage = { prompt_tokens: 7, total_tokens: 7 };
      response.end(JSON.stringify({ object: "list", data, model: asked.model, usage }));
    });
    sandbox = await startSandbox();
    const text = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
    const vectors = "endpoints: [embeddings], context_tokens: 100000, price: { input: 1 }";
    gateway = await startGateway({
      catalog: `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: text, ${text} }
  - { id: claude, ${text} }
  - { id: floats, ${vectors} }
  - { id: native, ${vectors} }
upstreams:
  - { name: s, kind: sandbox, base_url: "${sandbox.url}", api_key: good-key, models: [text] }
  - { name: m, kind: sandbox, base_url: "${sandbox.url}", api_key: good-key, protocols: [messages], models: [claude] }
  - { name: f, kind: openai-compatible, base_url: "${vendor.url}/v1", models: { floats: their-floats } }
  - { name: g, kind: gemini, base_url: "${vendor.url}", api_key: key-g, models: { native: gemini-embedding-001 } }
accounts:
  - { name: acme, group: default, balance: 10, keys: [{ name: main, key: ${KEYS.main} }, { name: narrow, key: ${KEYS.narrow}, models: [text] }] }
`,
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await sandbox.stop();
    await vendor.close();
  });

  const openai = (): OpenAI => new OpenAI({ apiKey: KEYS.main, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const google = (): GoogleGenAI =>
    new GoogleGenAI({ apiKey: KEYS.main, httpOptions: { baseUrl: gateway.url } });
  const lastBody = (): { readonly [name: string]: unknown } =>
    JSON.parse(vendor.calls.at(-1)?.body.toString("utf8") ?? "{}");
  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  const receiptOf = (reply: Reply): Promise<any> =>
    waitFor("a receipt", async () => {
      const { status, json } = await ask(gateway.url, `/v1/receipts/${reply.headers.get("x-request-id")}`);
      return status === 200 ? json : undefined;
    });

  it.each(["text", "claude"])("completes a prompt, plain and streamed alike, on %s", async (model) => {
    const asked = { model, prompt: "The river", max_tokens: 200 };
    const plain = await openai().completions.create(asked);
    expect(plain).toMatchObject({ object: "text_completion", choices: [{ index: 0, logprobs: null }] });
    expect(plain.choices[0]?.text).not.toBe("");
    expect(plain.usage?.prompt_tokens).toBeGreaterThan(0);
    let text = "";
    let finish: string | null = null;
    let usage: OpenAI.CompletionUsage | undefined;
    const more = { stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await openai().completions.create({ ...asked, ...more })) {
      expect(chunk.object).toBe("text_completion");
      for (const choice of chunk.choices) {
        text += choice.text;
        finish = choice.finish_reason ?? finish;
      }
      usage = chunk.usage ?? usage;
    }
    expect([text, finish]).toEqual([plain.choices[0]?.text, plain.choices[0]?.finish_reason]);
    expect(usage).toEqual(plain.usage);
  });

  it("is charged as the chat that it is", async () => {
    const body = { model: "text", prompt: ["The river"], max_tokens: 50 };
    const reply = await ask(gateway.url, "/v1/completions", body);
    const { prompt_tokens: input, completion_tokens: output } = reply.json.usage;
    expect(BigInt((await receiptOf(reply)).charge_nanos)).toBe(BigInt(input * 3_000 + output * 15_000));
  });

  it.each([
    ["prompt", { prompt: [1, 2] }],
    ["prompt", { prompt: [[1, 2], [3]] }],
    ["prompt", { prompt: ["one", [2]] }],
    ["prompt", { prompt: ["one", ""] }],
    ["prompt", { prompt: [] }],
    ["prompt", { prompt: Array(33).fill("one") }],
    ["n", { prompt: ["one", "two"], n: 17 }],
    ["n", { prompt: ["one", "two"], n: 1.5 }],
    ["prompt", { prompt: undefined }],
    ["suffix", { suffix: "end" }],
    ["echo", { echo: true }],
    ["logprobs", { logprobs: 2 }],
    ["best_of", { best_of: 3 }],
    ["max_tokens", { max_tokens: 0 }],
  ])("names what completions cannot do here: %s %j", async (param, more) => {
    const { status, json } = await ask(gateway.url, "/v1/completions", {
      model: "text",
      prompt: "a",
      ...more,
    });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_request", param]);
    if (JSON.stringify(more).includes("2]")) expect(json.error.message).toContain("tokens");
  });

  it("gives the official client vectors where the upstream only has floats", async () => {
    const { data } = await openai().embeddings.create({ model: "floats", input: ["a", "b"] });
    expect(data.map(({ embedding }) => embedding)).toEqual([VECTOR, VECTOR]);
    // Some such servers refuse base64.
    expect(lastBody()).toEqual({ model: "their-floats", input: ["a", "b"] });
    const packed = await ask(gateway.url, "/v1/embeddings", {
      model: "floats",
      input: "a",
      encoding_format: "base64",
    });
    expect(Buffer.from(packed.json.data[0].embedding, "base64").readFloatLE(4)).toBe(-0.25);
    expect(BigInt((await receiptOf(packed)).charge_nanos)).toBe(7_000n);
  });

  it("embeds by the native call at any upstream of embeddings", async () => {
    const { embeddings } = await google().models.embedContent({
      model: "floats",
      contents: ["a", "b"],
      config: { outputDimensionality: 3, taskType: "CLUSTERING" },
    });
    expect(embeddings?.map(({ values }) => values)).toEqual([VECTOR, VECTOR]);
    expect(lastBody()).toEqual({
      model: "their-floats",
      input: ["a", "b"],
      encoding_format: "float",
      dimensions: 3,
    });
    const one = await ask(gateway.url, "/v1beta/models/floats:embedContent", {
      content: { parts: [{ text: "river " }, { text: "bank" }] },
    });
    expect(one.json.embedding).toEqual({ values: VECTOR });
    expect(lastBody()["input"]).toEqual(["river bank"]);
    expect(BigInt((await receiptOf(one)).charge_nanos)).toBe(7_000n);
  });

  it("embeds at an upstream of the native protocol, by its own call and by OpenAI's", async () => {
    const config = { taskType: "CLUSTERING", outputDimensionality: 3 };
    await google().models.embedContent({ model: "native", contents: ["a"], config });
    const asked = vendor.calls.at(-1);
    expect(asked?.path).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
    expect(asked?.request.headers["x-goog-api-key"]).toBe("key-g");
    expect(lastBody()).toEqual({
      requests: [{ model: "models/gemini-embedding-001", content: { parts: [{ text: "a" }] }, ...config }],
    });
    const { data } = await openai().embeddings.create({ model: "native", input: "a" });
    expect(data[0]?.embedding).toEqual(VECTOR);
    const words = "The river runs. ".repeat(100);
    const reply = await ask(gateway.url, "/v1/embeddings", { model: "native", input: words });
    // The vendor reports no tokens: they are counted here.
    const receipt = await receiptOf(reply);
    expect(Number(receipt.charge_nanos)).toBeGreaterThan(300_000);
    expect(receipt.estimated).toBe(true);
    expect(Number(receipt.charge_nanos)).toBe(1_000 * reply.json.usage.prompt_tokens);
  });

  it("is for who may use the model, on an endpoint that it has, in the path's shape", async () => {
    const embed = (model: string, key: string = KEYS.main): Promise<Reply> =>
      ask(
        gateway.url,
        `/v1beta/models/${model}:embedContent`,
        { content: { parts: [{ text: "a" }] } },
        { key },
      );
    const told = ({ status, json }: Reply): unknown[] => [status, codeIn(json), json.error.status];
    expect(told(await embed("floats", KEYS.narrow))).toEqual([404, "model_not_found", "NOT_FOUND"]);
    expect(told(await embed("text"))).toEqual([400, "unsupported_endpoint", "INVALID_ARGUMENT"]);
    expect(told(await embed("floats", KEYS.invalid))).toEqual([401, "", "UNAUTHENTICATED"]);
    const odd = { requests: [{ content: { parts: [{ inlineData: {} }] } }] };
    const refused = await ask(gateway.url, "/v1beta/models/floats:batchEmbedContents", odd);
    expect(told(refused)).toEqual([400, "invalid_request", "INVALID_ARGUMENT"]);
    const complete = await ask(gateway.url, "/v1/completions", { model: "floats", prompt: "a" });
    expect(told(complete)).toEqual([400, "unsupported_endpoint", undefined]);
  });
});
