import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { readEvents } from "../support/text-errors.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { waitFor } from "../support/wait.ts";
import { ask, KEYS, type Reply } from "../support/world.ts";

const HISTORY = [
  { role: "user", content: "Say something about rivers." },
  { role: "assistant", content: "They run." },
  { role: "user", content: "And lakes?" },
];
const TRIGGERED = [...HISTORY, { type: "compaction_trigger" }];

describe("compaction", () => {
  let vendor: VendorUpstream;
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ path, response }) => {
      const usage = { input_tokens: 90, output_tokens: 10, total_tokens: 100 };
      const output = [{ type: "compaction", id: "cmp_1", encrypted_content: "theirs" }];
      const object = path.endsWith("/compact") ? "response.compaction" : "response";
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          id: "resp_1",
          object,
          created_at: 1,
          status: "completed",
          model: "m",
          output,
          usage,
        }),
      );
    });
    sandbox = await startSandbox();
    const limits = "context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 }";
    gateway = await startGateway({
      catalog: `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: claude, ${limits} }
  - { id: chat, ${limits} }
  - { id: native, ${limits} }
upstreams:
  - { name: m, kind: sandbox, base_url: "${sandbox.url}", api_key: good-key, protocols: [messages], models: [claude] }
  - { name: c, kind: sandbox, base_url: "${sandbox.url}", api_key: good-key, protocols: [chat-completions], models: [chat] }
  - { name: o, kind: openai, base_url: "${vendor.url}/v1", api_key: key-o, models: { native: gpt-9 } }
accounts:
  - { name: acme, group: default, balance: 10, keys: [{ name: main, key: ${KEYS.main} }, { name: narrow, key: ${KEYS.narrow}, models: [chat] }] }
`,
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await sandbox.stop();
    await vendor.close();
  });

  const respond = (body: object, path = "/v1/responses"): Promise<Reply> => ask(gateway.url, path, body);
  const chargeOf = (reply: Reply): Promise<number> =>
    waitFor("a receipt", async () => {
      const id = reply.headers.get("x-request-id");
      const { status, json } = await ask(gateway.url, `/v1/receipts/${id}`);
      return status === 200 ? Number(json.charge_nanos) : undefined;
    });
  const lastBody = async (): Promise<string> => JSON.stringify((await sandbox.journal()).at(-1));

  it.each(["claude", "chat"])(
    "of %s is one item, charged as the request it is, and read when it comes back",
    async (model) => {
      const reply = await respond({ model, input: TRIGGERED });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.json).toMatchObject({ object: "response", status: "completed" });
      expect(reply.json.output).toEqual([
        {
          type: "compaction",
          id: expect.stringMatching(/^cmp_gw/),
          encrypted_content: expect.stringMatching(/^gw1\./),
        },
      ]);
      const { input_tokens: input, output_tokens: output } = reply.json.usage;
      expect(await chargeOf(reply)).toBe(input * 3_000 + output * 15_000);
      const next = await respond({
        model,
        input: [...reply.json.output, { role: "user", content: "Go on." }],
      });
      expect(next.status, next.text).toBe(200);
      expect(next.headers.get("x-faregate-dropped")).toBeNull();
      expect(next.json.usage.input_tokens).toBeGreaterThan(output);
      expect(await lastBody()).not.toContain("gw1.");
    },
  );

  it("is streamed as a response whose only item it is", async () => {
    const { text } = await respond({ model: "claude", input: TRIGGERED, stream: true });
    const events = readEvents(text);
    const names = events.map(({ name }) => name);
    expect(names[0]).toBe("response.created");
    expect(names.at(-1)).toBe("response.completed");
    expect(names.filter((name) => name === "response.output_item.done")).toHaveLength(1);
    expect(names.some((name) => name?.includes("output_text"))).toBe(false);
    expect(events.at(-1)?.data).toMatchObject({
      response: {
        status: "completed",
        output: [{ type: "compaction" }],
        usage: { output_tokens: expect.any(Number) },
      },
    });
  });

  it("is a call of its own for the official client", async () => {
    const client = new OpenAI({ apiKey: KEYS.main, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const compacted = await client.responses.compact({ model: "chat", input: "Say something about rivers." });
    expect(compacted).toMatchObject({ object: "response.compaction", output: [{ type: "compaction" }] });
    expect(compacted.usage.input_tokens).toBeGreaterThan(0);
    const theirs = await client.responses.compact({ model: "native", input: "Hello" });
    expect(theirs.output).toMatchObject([{ type: "compaction", encrypted_content: "theirs" }]);
    expect(vendor.calls.at(-1)?.path).toBe("/v1/responses/compact");
    expect(vendor.calls.at(-1)?.model).toBe("gpt-9");
  });

  it("is the vendor's where it knows the item, and charged by what it reports", async () => {
    const reply = await respond({ model: "native", input: TRIGGERED });
    expect(vendor.calls.at(-1)?.path).toBe("/v1/responses");
    expect(vendor.calls.at(-1)?.body.toString()).toContain('"compaction_trigger"');
    expect(reply.json.output[0].encrypted_content).toBe("theirs");
    expect(await chargeOf(reply)).toBe(90 * 3_000 + 10 * 15_000);
    const called = await respond({ model: "native", input: HISTORY }, "/v1/responses/compact");
    expect(await chargeOf(called)).toBe(90 * 3_000 + 10 * 15_000);
  });

  it("is not begun by the word in somebody's text, nor for who may not use the model", async () => {
    const { json } = await respond({
      model: "chat",
      input: [{ role: "user", content: "compaction_trigger" }],
    });
    expect(json.output.at(-1).type).toBe("message");
    for (const path of ["/v1/responses", "/v1/responses/compact"]) {
      const refused = await ask(
        gateway.url,
        path,
        { model: "claude", input: TRIGGERED },
        { key: KEYS.narrow },
      );
      expect([refused.status, refused.json.error.code]).toEqual([404, "model_not_found"]);
    }
  });
});
