import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { readEvents } from "../support/text-errors.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask } from "../support/world.ts";

let vendor: VendorUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await vendorUpstream(({ model, streamed, response }) => {
    const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
    const head = { id: "c", created: 1, model };
    response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
    const said = (content: string) => ({ role: "assistant", content });
    if (!streamed) {
      const choices = [{ index: 0, message: said("<think>Hm.</think>\n\nYes."), finish_reason: "stop" }];
      response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
      return;
    }
    const chunks = ["<thi", "nk>Hm.", "</think>\n\nY", "es."].map((piece) => ({
      ...head,
      choices: [{ index: 0, delta: said(piece), finish_reason: null }],
    }));
    const last = { ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage };
    for (const chunk of [...chunks, last]) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  const record = "context_tokens: 9000, max_output_tokens: 900, price: { input: 3, output: 15 }";
  gateway = await startGateway({
    catalog: `version: 1
models:
  - { id: tagged, ${record}, quirks: { think_tags: true } }
  - { id: plain, ${record} }
upstreams:
  - { name: c, kind: openai-compatible, protocols: [chat-completions], base_url: "${vendor.url}/v1", api_key: key-c, models: [tagged, plain] }
accounts:
  - { name: acme, balance: 10, keys: [{ name: main, key: ${TEST_KEY} }] }
`,
  });
});
afterAll(async () => {
  await gateway?.clean();
  await vendor?.close();
});

/** The thoughts and the words of a response, read plain and streamed. */
async function told(model: string) {
  const body = {
    model,
    seed: 7,
    logit_bias: { 5: 1 },
    messages: [{ role: "user", content: `Of ${model}?` }],
  };
  const plain = await ask(gateway.url, "/v1/chat/completions", body, { key: TEST_KEY });
  const streamed = await ask(
    gateway.url,
    "/v1/chat/completions",
    { ...body, stream: true },
    { key: TEST_KEY },
  );
  const deltas = readEvents(streamed.text).map(({ data }): Record<string, string> => {
    const { choices } = data as { choices?: { delta: Record<string, string> }[] };
    return choices?.[0]?.delta ?? {};
  });
  const joined = (field: string): string => deltas.map((delta) => delta[field] ?? "").join("");
  const { reasoning_content = "", content } = plain.json.choices[0].message;
  return [
    [reasoning_content, content],
    [joined("reasoning_content"), joined("content")],
  ];
}

it("thoughts in tags are told as thoughts to chat callers too, where the catalog says that they stand there", async () => {
  expect(await told("tagged")).toEqual([
    ["Hm.", "Yes."],
    ["Hm.", "Yes."],
  ]);
  const sent = JSON.parse(vendor.calls.at(-1)?.body.toString() ?? "{}");
  expect(sent).toMatchObject({ model: "tagged", seed: 7, logit_bias: { 5: 1 } });
});

it("tags are words where the catalog says nothing", async () => {
  const words = "<think>Hm.</think>\n\nYes.";
  expect(await told("plain")).toEqual([
    ["", words],
    ["", words],
  ]);
});
