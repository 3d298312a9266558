import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { readEvents } from "../support/text-errors.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask } from "../support/world.ts";

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
        model: "text",
        stream: true,
        stream_options: { include_usage: true },
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

/** Letters in a chat's last chunk: below and above what is held back of a stream, and at its edge. */
const LENGTHS = [60_000, 70_000, 300_000, 320_000, 2_000_000];
const COUNTED = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
/** Where the counts stand: in that chunk, or in one of its own a moment later; and how the frames are written. */
const PLACES = ["inline", "behind", "named", "parted"] as const;

describe("a large last chunk of a chat", () => {
  const models = LENGTHS.flatMap((length) => PLACES.map((place) => `${place}-${length}`));
  const frame = (data: object | string, place: string): string => {
    const text = typeof data === "string" ? data : JSON.stringify(data, null, place === "parted" ? 1 : 0);
    const lines = text.split("\n").map((line) => `data: ${line}\n`);
    return `${place === "named" ? "event: chunk\nid: 12\n" : ""}${lines.join("")}\n`;
  };
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ model, response }) => {
      const [place = "", length] = model.split("-");
      const head = { id: "c", object: "chat.completion.chunk", created: 1, model };
      const delta = { role: "assistant", content: "y".repeat(Number(length)) };
      const usage = place === "behind" ? {} : { usage: COUNTED };
      const last = { ...head, choices: [{ index: 0, delta, finish_reason: "stop" }], ...usage };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(frame(last, place));
      const rest = place === "behind" ? frame({ ...head, choices: [], usage: COUNTED }, place) : "";
      setTimeout(() => response.end(rest + frame("[DONE]", place)), 100);
    });
    const upstreams = [{ name: "c", url: vendor.url, protocols: ["chat-completions"] }];
    gateway = await startGateway({ catalog: modelsFile({ models, upstreams }) });
  });
  afterAll(async () => {
    await gateway?.clean();
    await vendor?.close();
  });

  it.each(models)("leaves the counts where they belong: %s", async (model) => {
    for (const include_usage of [true, false]) {
      const messages = [{ role: "user", content: `${model} ${include_usage}` }];
      const body = { model, messages, stream: true, stream_options: { include_usage } };
      const reply = await ask(gateway.url, "/v1/chat/completions", body, { key: TEST_KEY });
      const events = readEvents(reply.text).map(
        ({ data }) => data as { choices?: unknown[]; usage?: unknown },
      );
      expect(events.at(-1)).toBe("[DONE]");
      const counted = events.filter((event) => event.usage !== undefined);
      expect(counted.map(({ choices, usage }) => [choices, usage])).toEqual(
        include_usage ? [[[], COUNTED]] : [],
      );
      const id = reply.headers.get("x-request-id");
      const receipt = await ask(gateway.url, `/v1/receipts/${id}`, undefined, { key: TEST_KEY });
      expect([receipt.json.reason, Number(receipt.json.charge_nanos)]).toEqual([
        "completed",
        11 * 3_000 + 7 * 15_000,
      ]);
    }
  });
});
