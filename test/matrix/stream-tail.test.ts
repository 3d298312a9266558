import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

/** What a generateContent upstream says last of all, and what the receipt names of it. */
const TAILS = {
  sources: {
    last: {
      content: { role: "model", parts: [{ text: "" }] },
      groundingMetadata: {
        groundingChunks: [
          { retrievedContext: { text: "Rome lies on the Tiber.", fileSearchStore: "stores/1" } },
        ],
        groundingSupports: [{ segment: { endIndex: 5, text: "Rome." }, groundingChunkIndices: [0] }],
      },
    },
    losses: ["citations (no-slot)", "candidates[].groundingMetadata (no-slot)"],
  },
  audio: {
    last: {
      content: { role: "model", parts: [{ inlineData: { mimeType: "audio/L16;rate=24000", data: "AAAA" } }] },
    },
    losses: ["media (no-slot)"],
  },
};
type Tail = keyof typeof TAILS;

describe("the last event of a stream", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  let tail: Tail = "sources";
  let counts = true;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ response }) => {
      const words = { content: { role: "model", parts: [{ text: "Rome." }] }, index: 0 };
      const end = { ...TAILS[tail].last, finishReason: "STOP", index: 0 };
      const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
      response.writeHead(200, { "content-type": "text/event-stream" });
      const last = { candidates: [end], ...(counts ? { usageMetadata } : {}) };
      for (const event of [{ candidates: [words] }, last]) {
        response.write(`data: ${JSON.stringify(event)}\r\n\r\n`);
      }
      response.end();
    });
    const upstreams = [{ url: vendor.url, protocols: ["generate-content"] }];
    gateway = await startGateway({ catalog: catalogFile({ upstreams }) });
  });
  afterAll(async () => {
    await gateway?.clean();
    await vendor?.close();
  });

  it.each(Object.keys(TAILS) as Tail[])("has its losses on the receipt: %s", async (each) => {
    tail = each;
    const authorization = `Bearer ${TEST_KEY}`;
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization },
      body: JSON.stringify({ model: "text", stream: true, messages: [{ role: "user", content: "Where?" }] }),
    });
    expect(await response.text()).toContain('"finish_reason":"stop"');
    const url = `${gateway.url}/v1/receipts/${response.headers.get("x-request-id")}`;
    const receipt = (await (await fetch(url, { headers: { authorization } })).json()) as { losses: string[] };
    expect(receipt.losses).toEqual(TAILS[each].losses);
  });

  it("tells a caller who asked for usage what was charged, where its vendor counts nothing", async () => {
    counts = false;
    const headers = { authorization: `Bearer ${TEST_KEY}` };
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        ...{ model: "text", stream: true, stream_options: { include_usage: true } },
        messages: [{ role: "user", content: "Where does it lie?" }],
      }),
    });
    const told = (await response.text()).match(/"choices":\[\],"usage":\{.*?"total_tokens":(\d+)/)?.[1];
    const url = `${gateway.url}/v1/receipts/${response.headers.get("x-request-id")}`;
    const receipt = (await (await fetch(url, { headers })).json()) as { lines: { tokens: number }[] };
    const charged = receipt.lines.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(charged).toBeGreaterThan(0);
    expect(Number(told)).toBe(charged);
  });
});
