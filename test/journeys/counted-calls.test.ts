import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { postedReceipt, type Receipt } from "../support/posted-receipt.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";

// Nanos: 3,000 a token in, 15,000 out; a search 5, 8 or 12 million by its size.
const PRICE = "{ input: 3, output: 15, calls: { web_search: { low: 0.005, medium: 0.008, high: 0.012 } } }";
const TOKENS = 10 * 3_000 + 2 * 15_000;
const NANOS = { low: 5_000_000, medium: 8_000_000, high: 12_000_000 };

/** What the upstream answers next, on any path. */
let answer: object = {};
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  gateway = await startGateway({
    catalog: catalogFile({
      upstreams: [{ url: upstream.url, protocols: ["chat-completions", "responses"] }],
      price: PRICE,
    }),
  });
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

function respond({ line, body, socket }: WireRequest): void {
  const isStream = body.includes('"stream":true');
  const whole = JSON.stringify(answer);
  const events = line.includes("/responses")
    ? `data: {"type":"response.completed","response":${whole}}\n\n`
    : `data: ${whole.replace('"message":', '"delta":')}\n\ndata: [DONE]\n\n`;
  const text = isStream ? events : whole;
  const type = isStream ? "text/event-stream" : "application/json";
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const chat = (usage: object = {}) => ({
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2, ...usage },
});
const response = (searches: number) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }],
  usage: { input_tokens: 10, output_tokens: 2 },
  tool_usage: { web_search: { num_requests: searches } },
});
const MESSAGES = [{ role: "user", content: "Hello" }];

describe.each([false, true])("searches (streamed: %s)", (stream) => {
  it.each(["low", "medium", "high", undefined] as const)(
    "cost the size that was asked for: %s",
    async (size) => {
      const nanos = NANOS[size ?? "medium"];
      const name = `web_search ${size ?? "medium"}`;
      answer = response(3);
      const tools = [{ type: "web_search", search_context_size: size }];
      const listed = await charged("v1/responses", { input: "Hello", tools, stream });
      expect([listed["charge_nanos"], listed["unpriced"]]).toEqual([String(TOKENS + 3 * nanos), undefined]);
      expect(listed["lines"]).toContainEqual(expect.objectContaining({ kind: "call", name, count: 3 }));
      answer = chat();
      const web_search_options = { search_context_size: size };
      const field = await charged("v1/chat/completions", { messages: MESSAGES, web_search_options, stream });
      expect([field["charge_nanos"], field["unpriced"]]).toEqual([String(TOKENS + nanos), undefined]);
      expect(Number(field["hold_usd"]) * 1e9).toBeGreaterThanOrEqual(TOKENS + nanos);
    },
  );

  it("cost nothing where the response says that there were none, or a plugin makes none", async () => {
    const none: readonly (readonly [fields: object, usage: object])[] = [
      [{ web_search_options: {} }, { num_search_queries: 0 }],
      [{ enable_search: true }, { plugins: { search: { count: 0 } } }],
      [{ plugins: [{ id: "web" }] }, { server_tool_use: { web_search_requests: 0 } }],
      [{ plugins: [{ id: "web" }] }, { server_side_tool_usage_details: { web_search_calls: 0 } }],
      [{ plugins: [{ id: "file-parser" }, { id: "response-healing" }] }, {}],
      [{ plugins: [{ id: "web", enabled: false }] }, {}],
    ];
    for (const [fields, usage] of none) {
      answer = chat(usage);
      const receipt = await charged("v1/chat/completions", { messages: MESSAGES, ...fields, stream });
      expect([fields, receipt["charge_nanos"]]).toEqual([fields, String(TOKENS)]);
    }
  });
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});

function charged(path: string, fields: object): Promise<Receipt> {
  return postedReceipt(gateway.url, path, { model: "text", ...fields });
}
