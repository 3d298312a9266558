import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { codeIn } from "../support/world.ts";

/** Requests and answers that real clients and vendors write, and that are easily read as something else. */
type Wire = Record<string, unknown>;

let vendor: VendorUpstream;
let gateway: TestGateway;
/** What the vendor answers next: a status, and a body or the events of a stream. */
let answer: { readonly status?: number; readonly body?: Wire; readonly events?: readonly Wire[] };

beforeAll(async () => {
  vendor = await vendorUpstream(({ response }: VendorCall) => {
    const { status = 200, body, events } = answer;
    if (body !== undefined) {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events ?? []) response.write(`data: ${JSON.stringify(event)}\r\n\r\n`);
    response.end();
  });
  gateway = await startGateway({ catalog: catalog(vendor.url) });
}, 120_000);

afterAll(async () => {
  await gateway?.clean();
  await vendor?.close();
});

/** A model for each protocol that the vendor speaks. */
function catalog(url: string): string {
  const models = { chat: "chat-completions", native: "generate-content", messages: "messages" };
  const names = Object.keys(models);
  return `version: 1
groups: [{ name: default, factor: 1 }]
models:
${names
  .map(
    (id) =>
      `  - { id: ${id}, endpoints: [oa, oa-response, an, ge], context_tokens: 100000, max_output_tokens: 9000, price: { input: 1, output: 10, cache_read: 1, cache_write: 1, cache_write_1h: 1 } }`,
  )
  .join("\n")}
upstreams:
${Object.entries(models)
  .map(
    ([id, protocol]) =>
      `  - { name: of-${id}, kind: sandbox, base_url: "${url}", api_keys: [k], models: { ${id}: ${id} }, protocols: [${protocol}] }`,
  )
  .join("\n")}
accounts:
  - { name: acme, group: default, balance: "100", keys: [{ name: test, key: "${TEST_KEY}" }] }
`;
}

const authorization = `Bearer ${TEST_KEY}`;

async function ask(path: string, body: Wire) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    text,
    json: text.startsWith("{") ? JSON.parse(text) : undefined,
    headers: reply.headers,
  };
}

async function receiptOf({ headers }: { readonly headers: Headers }) {
  const url = `${gateway.url}/v1/receipts/${headers.get("x-request-id")}`;
  // biome-ignore lint/suspicious/noExplicitAny: what came is what is tested
  return (await (await fetch(url, { headers: { authorization } })).json()) as any;
}

function lastSent(): Wire {
  return JSON.parse(String(vendor.calls.at(-1)?.body));
}

const USER = { role: "user", content: "Does it rain in Oslo?" };
const chatResponse = (message: Wire, finish_reason: string, usage: Wire) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage,
});

describe("what is easily misread", () => {
  it("is counted: thoughts that only the total tells of, and sound beside the prompt", async () => {
    const counts = async (usage: Wire) => {
      answer = { body: chatResponse({ content: "No." }, "stop", usage) };
      const receipt = await receiptOf(await ask("/v1/chat/completions", { model: "chat", messages: [USER] }));
      return receipt.charge_nanos;
    };
    // Input costs 1,000 nanos a token, output 10,000.
    expect(await counts({ prompt_tokens: 20, completion_tokens: 6, total_tokens: 226 })).toBe("2080000");
    const heard = { prompt_tokens: 8, completion_tokens: 40, total_tokens: 348 };
    expect(await counts({ ...heard, prompt_tokens_details: { audio_tokens: 300 } })).toBe("708000");
  });

  it("is a number in place of a word, asked and answered, forwarded and translated", async () => {
    const body = {
      contents: [{ role: "user", parts: [{ text: "Does it rain?" }] }],
      tools: [
        {
          functionDeclarations: [
            { name: "rain", parameters: { type: 6, properties: { city: { type: 1 } } } },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 2 } },
    };
    answer = {
      body: chatResponse({ content: "No." }, "stop", {
        prompt_tokens: 1,
        completion_tokens: 1,
        total_tokens: 2,
      }),
    };
    expect((await ask("/v1beta/models/chat:generateContent", body)).status).toBe(200);
    expect(lastSent()).toMatchObject({
      tool_choice: "required",
      tools: [{ function: { parameters: { type: "object", properties: { city: { type: "string" } } } } }],
    });
    const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
    const piece = (text: string, finishReason: number) => ({
      candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason }],
      usageMetadata,
    });
    answer = { events: [piece("It ", 0), piece("does", 2)] };
    const streamed = await ask("/v1/chat/completions", { model: "native", stream: true, messages: [USER] });
    expect(streamed.text).toContain('"finish_reason":"length"');
    const forwarded = await ask("/v1beta/models/native:streamGenerateContent?alt=sse", body);
    expect(forwarded.text).toContain('"finishReason":2');
    for (const reply of [streamed, forwarded]) {
      expect(await receiptOf(reply)).toMatchObject({ reason: "completed", charge_nanos: "23000" });
    }
  });

  it("is a function from before there were tools, which is answered as one", async () => {
    answer = {
      body: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        stop_reason: "tool_use",
        content: [{ type: "tool_use", id: "t", name: "rain", input: { city: "Oslo" } }],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    };
    const body = {
      model: "messages",
      messages: [USER],
      function_call: "auto",
      functions: [{ name: "rain", parameters: { type: "object", properties: { city: { type: "string" } } } }],
    };
    const { json, headers } = await ask("/v1/chat/completions", body);
    expect(json.choices[0]).toMatchObject({
      finish_reason: "function_call",
      message: { content: null, function_call: { name: "rain", arguments: '{"city":"Oslo"}' } },
    });
    expect(headers.get("x-faregate-dropped")).toBeNull();
    expect(lastSent()).toMatchObject({ tools: [{ name: "rain" }], tool_choice: { type: "auto" } });
    answer = { body: chatResponse({ content: "No." }, "stop", {}) };
    await ask("/v1/chat/completions", { ...body, model: "chat" });
    expect(lastSent()).toMatchObject({ functions: body.functions, function_call: "auto" });
  });

  it("is the result of a call that is lost on the way", async () => {
    answer = { body: chatResponse({ content: "Done." }, "stop", {}) };
    const { status, headers } = await ask("/v1/responses", {
      model: "chat",
      input: [
        USER,
        { type: "tool_search_call", call_id: "ts_9", execution: "client", arguments: { query: "rain" } },
        { type: "function_call_output", call_id: "ts_9", output: "rain" },
        { role: "user", content: "Use it." },
      ],
    });
    expect([status, headers.get("x-faregate-dropped")]).toEqual([200, "input, input[]"]);
    const parts = [USER.content, "Use it."].map((text) => ({ type: "text", text }));
    expect(lastSent()["messages"]).toEqual([{ role: "user", content: parts }]);
  });

  it("is sound with nothing in it, which is no loss", async () => {
    const audio = { id: "", data: "", transcript: "", expires_at: 0 };
    answer = { body: chatResponse({ content: "No.", audio }, "stop", {}) };
    const { json, headers } = await ask("/v1/messages", { model: "chat", max_tokens: 9, messages: [USER] });
    expect(json.content).toMatchObject([{ type: "text", text: "No." }]);
    expect(headers.get("x-faregate-dropped")).toBeNull();
  });

  it("is a prompt beyond the context, which is one code for every client", async () => {
    const error = { type: "invalid_request_error", message: "prompt is too long: 90 tokens > 50 maximum" };
    answer = { status: 400, body: { type: "error", error } };
    for (const [path, body] of [
      ["/v1/chat/completions", { model: "messages", messages: [USER] }],
      ["/v1/responses", { model: "messages", input: "Hi" }],
      ["/v1/messages", { model: "messages", max_tokens: 9, messages: [USER] }],
      ["/v1beta/models/messages:generateContent", { contents: [{ parts: [{ text: "Hi" }] }] }],
    ] as const) {
      const { status, json } = await ask(path, body);
      expect([status, codeIn(json)], path).toEqual([400, "context_length_exceeded"]);
      expect(json.error.message, path).toContain("prompt is too long");
    }
  });
});
