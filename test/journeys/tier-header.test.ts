import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";

/** Google says in a header with which tier it has served: https://ai.google.dev/gemini-api/docs/priority-inference */
let header = "";
let usageMetadata: object = {};
let upstream: ScriptedUpstream;
let gateway: TestGateway;

const PRICE =
  "{ input: 3, output: 15, tiers: { priority: { factor: 2 }, flex: { factor: 0.5 }, batch: { factor: 0.1 } } }";

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  gateway = await startGateway({
    catalog: catalogFile({
      upstreams: [{ url: upstream.url, protocols: ["generate-content"] }],
      price: PRICE,
    }),
  });
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

function respond({ line, socket }: WireRequest): void {
  const isStream = line.includes(":streamGenerateContent");
  const content = { role: "model", parts: [{ text: "Hi" }] };
  const answer = JSON.stringify({ candidates: [{ content, finishReason: "STOP" }], usageMetadata });
  const text = isStream ? `data: ${answer}\n\n` : answer;
  const type = isStream ? "text/event-stream" : "application/json";
  const length = Buffer.byteLength(text);
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${header}content-length: ${length}\r\n\r\n${text}`,
  );
}

const COUNTS = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
const PLAIN = 100 * 3_000 + 10 * 15_000;

const native = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
const chat = { model: "text", messages: [{ role: "user", content: "Hello" }] };
const WAYS = [
  { way: "forwarded", path: "v1beta/models/text:generateContent", body: native },
  { way: "forwarded, streamed", path: "v1beta/models/text:streamGenerateContent?alt=sse", body: native },
  { way: "translated", path: "v1/chat/completions", body: chat },
  { way: "translated, streamed", path: "v1/chat/completions", body: { ...chat, stream: true } },
];

describe.each(WAYS)("a tier in the head of a response, $way,", ({ path, body }) => {
  it.each([
    ["priority", {}, 2],
    ["FLEX", {}, 0.5],
    ["standard", {}, 1],
    [undefined, {}, 1],
    ["no word, but two", {}, 1],
    // The body's own word counts before it.
    ["priority", { trafficType: "ON_DEMAND_FLEX" }, 0.5],
    ["priority", { trafficType: "ON_DEMAND" }, 1],
  ])("%s, decides the price where the body says nothing else (%j): times %d", async (word, said, factor) => {
    header = word === undefined ? "" : `X-Gemini-Service-Tier: ${word}\r\n`;
    usageMetadata = { ...COUNTS, ...said };
    expect(await charged(path, body)).toBe(String(PLAIN * factor));
  });
});

it("replaces the tier that was asked where the vendor has served a lower one", async () => {
  usageMetadata = COUNTS;
  const path = "v1beta/models/text:generateContent";
  const asked = { ...native, serviceTier: "priority" };
  header = "x-gemini-service-tier: standard\r\n";
  expect(await charged(path, asked)).toBe(String(PLAIN));
  header = "";
  expect(await charged(path, asked)).toBe(String(PLAIN * 2));
});

it("leaves books that agree", async () => {
  await cleanLedger(gateway);
});

async function charged(path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const reply = await fetch(`${gateway.url}/${path}`, init);
  expect(reply.status, await reply.clone().text()).toBe(200);
  expect(reply.headers.get("x-gemini-service-tier")).toBeNull();
  await reply.text();
  const url = `${gateway.url}/v1/receipts/${reply.headers.get("x-request-id")}`;
  const receipt = (await (await fetch(url, { headers })).json()) as Record<string, unknown>;
  expect(receipt["unpriced"]).toBeUndefined();
  return receipt["charge_nanos"];
}
