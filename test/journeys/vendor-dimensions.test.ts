import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { postedReceipt, type Receipt } from "../support/posted-receipt.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";

// Nanos a token: 3,000 in, 300 cached, 6,000 and 9,000 written, 15,000 out; 40,000 heard and 80,000 spoken.
const PRICE =
  "{ input: 3, cache_read: 0.3, cache_write: 6, cache_write_12h: 9, output: 15, audio: { input: 40, output: 80 }, " +
  "calls: { web_search: 0.01, code_container: 0.03 }, steps: [{ above: 50000, cache_read: 0.6 }] }";

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

const chat = (usage: object) => ({
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage,
});
const response = (usage: object, more: object = {}) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }],
  usage,
  ...more,
});

describe.each([false, true])("what a vendor states besides plain tokens (streamed: %s)", (stream) => {
  it("is charged at its own price: sound in and out", async () => {
    answer = chat({
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { audio_tokens: 60, cached_tokens: 30 },
      completion_tokens_details: { audio_tokens: 45 },
    });
    const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    const receipt = await charged("v1/chat/completions", {
      messages: [{ role: "user", content: [sound] }],
      modalities: ["text", "audio"],
      stream,
    });
    expect(namesOf(receipt)).toEqual([
      "input_uncached 10",
      "cache_read 30",
      "output_visible 5",
      "audio_input 60",
      "audio_output 45",
    ]);
    expect(receipt["charge_nanos"]).toBe(
      String(10 * 3_000 + 30 * 300 + 5 * 15_000 + 60 * 40_000 + 45 * 80_000),
    );
  });

  it("is charged as often as a tool ran, and not for its offer", async () => {
    const usage = { input_tokens: 10, output_tokens: 2 };
    answer = response(usage, { tool_usage: { web_search: { num_requests: 3 } } });
    const asked = { input: "Hello", tools: [{ type: "web_search_preview" }], stream };
    const searched = await charged("v1/responses", asked);
    expect(namesOf(searched)).toEqual(["input_uncached 10", "output_visible 2", "web_search 3"]);
    expect(searched["charge_nanos"]).toBe(String(10 * 3_000 + 2 * 15_000 + 3 * 10_000_000));
    answer = response(usage);
    expect((await charged("v1/responses", asked))["charge_nanos"]).toBe(String(10 * 3_000 + 2 * 15_000));
  });

  it("is charged by the step that the input of all passes exceeds, and says so where tools ran", async () => {
    const usage = { input_tokens: 60_000, input_tokens_details: { cached_tokens: 40_000 }, output_tokens: 2 };
    const tokens = 20_000 * 3_000 + 40_000 * 600 + 2 * 15_000;
    const asked = { input: "Hello", tools: [{ type: "web_search" }], stream };
    answer = response(usage, { tool_usage: { web_search: { num_requests: 2 } } });
    expect(await charged("v1/responses", asked)).toMatchObject({
      row: "above 50000",
      step_estimated: true,
      charge_nanos: String(tokens + 2 * 10_000_000),
    });
    answer = response(usage);
    const plain = await charged("v1/responses", asked);
    expect(plain).toMatchObject({ row: "above 50000", charge_nanos: String(tokens) });
    expect(plain["step_estimated"]).toBeUndefined();
  });

  it("is charged at the highest price and named where it has no price", async () => {
    const found = { type: "file_search_call", id: "fs_1", status: "completed" };
    answer = response({ input_tokens: 10, output_tokens: 2 }, { output: [found] });
    const receipt = await charged("v1/responses", {
      input: "Hello",
      tools: [{ type: "web_search" }],
      stream,
    });
    expect(receipt["unpriced"]).toEqual(["call file_search"]);
    expect(receipt["charge_nanos"]).toBe(String(10 * 3_000 + 2 * 15_000 + 30_000_000));
  });

  it("is not charged beyond what the request allows of a tool, and told as impossible", async () => {
    answer = response(
      { input_tokens: 10, output_tokens: 2 },
      { tool_usage: { web_search: { num_requests: 1e6 } } },
    );
    const tokens = 10 * 3_000 + 2 * 15_000;
    expect(await charged("v1/responses", { input: "Hello", stream })).toMatchObject({
      charge_nanos: String(tokens),
      implausible: [{ field: "calls", reported: 1e6, most: 0 }],
    });
    const limited = { input: "Hello", tools: [{ type: "web_search" }], max_tool_calls: 2, stream };
    expect(await charged("v1/responses", limited)).toMatchObject({
      charge_nanos: String(tokens + 2 * 10_000_000),
      implausible: [{ field: "calls", reported: 1e6, most: 2 }],
    });
  });

  it("is charged where a request without output has prepared a cache or found it, and nothing where it has not", async () => {
    const empty = (written: number, read = 0) =>
      response(
        {
          input_tokens: 2_000,
          input_tokens_details: {
            cached_tokens: read,
            cache_write_tokens: written,
            cache_write_tokens_details: { ttl_12h_tokens: written },
          },
          output_tokens: 0,
        },
        { output: [] },
      );
    answer = empty(1_900);
    const prepared = await charged("v1/responses", {
      input: "Hello ".repeat(2_000),
      prompt_cache_options: { prewarm: true, ttl: "12h" },
      stream,
    });
    expect(prepared).toMatchObject({
      reason: "completed",
      charge_nanos: String(100 * 3_000 + 1_900 * 9_000),
    });
    answer = empty(0, 1_900);
    expect(await charged("v1/responses", { input: "Hello", stream })).toMatchObject({
      reason: "completed",
      charge_nanos: String(100 * 3_000 + 1_900 * 300),
    });
    answer = empty(0);
    expect(await charged("v1/responses", { input: "Hello", stream })).toMatchObject({
      reason: "empty_answer",
      charge_nanos: "0",
    });
  });
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});

function namesOf(receipt: Record<string, unknown>): string[] {
  const lines = receipt["lines"] as { bucket?: string; tokens?: number; name?: string; count?: number }[];
  return lines
    .filter(({ tokens, count }) => (tokens ?? count ?? 0) > 0)
    .map(({ bucket, tokens, name, count }) => `${bucket ?? name} ${tokens ?? count}`);
}

function charged(path: string, fields: object): Promise<Receipt> {
  return postedReceipt(gateway.url, path, { model: "text", ...fields });
}
