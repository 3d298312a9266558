import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import type { Receipt } from "../support/posted-receipt.ts";
import { type ScriptedUpstream, scriptedUpstream, type WireRequest } from "../support/scripted-upstream.ts";
import { waitFor } from "../support/wait.ts";

/** A picture of which its vendor never says what it used. It is estimated as docs/money.md says, under Usage. */
const IMAGE_TOKENS = 1_290;
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HEADERS = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };

/** What the upstream does behind its picture. */
type End = "waits" | "breaks off" | "ends";
let end: End = "ends";
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await scriptedUpstream(respond);
  const model = "context_tokens: 200000, max_output_tokens: 32000";
  const price = "price: { input: 3, output: 15, image: { input: 3, output: 32 } }";
  const vendor = `kind: sandbox, base_url: "${upstream.url}", api_key: secret`;
  gateway = await startGateway({
    catalog: `version: 1
models:
  - { id: native, ${model}, ${price} }
  - { id: chat, ${model}, ${price} }
upstreams:
  - { name: native, ${vendor}, models: [native], protocols: [generate-content] }
  - { name: chat, ${vendor}, models: [chat], protocols: [chat-completions] }
accounts:
  - name: acme
    balance: 1000
    keys:
      - { name: test, key: "${TEST_KEY}" }
`,
  });
});

afterAll(async () => {
  await gateway?.clean();
  await upstream?.close();
});

/** The picture in the form of the protocol that was asked, and the end of a whole response with it. */
function answerTo(line: string): { readonly piece: object; readonly whole: object; readonly done: string } {
  if (line.includes("/chat/completions")) {
    const said = { role: "assistant", images: [{ image_url: { url: `data:image/png;base64,${PNG}` } }] };
    const choice = (more: object): object => ({ id: "c", object: "x", choices: [{ index: 0, ...more }] });
    return {
      piece: choice({ delta: said, finish_reason: null }),
      whole: choice({ message: said, finish_reason: "stop" }),
      done: `data: ${JSON.stringify(choice({ delta: {}, finish_reason: "stop" }))}\n\ndata: [DONE]\n\n`,
    };
  }
  const content = { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: PNG } }] };
  const finish = { candidates: [{ index: 0, finishReason: "STOP" }] };
  return {
    piece: { candidates: [{ index: 0, content }] },
    whole: { candidates: [{ index: 0, content, finishReason: "STOP" }] },
    done: `data: ${JSON.stringify(finish)}\n\n`,
  };
}

function respond({ line, body, socket }: WireRequest): void {
  const { piece, whole, done } = answerTo(line);
  const isStream = line.includes(":streamGenerateContent") || body.includes('"stream":true');
  if (!isStream) {
    const text = JSON.stringify(whole);
    const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
    socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${text}`);
    return;
  }
  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
  socket.write(chunk(`data: ${JSON.stringify(piece)}\n\n`));
  if (end === "breaks off") socket.end();
  else if (end === "ends") socket.write(`${chunk(done)}0\r\n\r\n`);
}

/** As callers of either protocol ask. No request for a picture is translated; models make them unasked as well. */
const ASKS = {
  native: (model: string, streamed: boolean) => ({
    path: streamed
      ? `v1beta/models/${model}:streamGenerateContent?alt=sse`
      : `v1beta/models/${model}:generateContent`,
    body: {
      contents: [{ role: "user", parts: [{ text: "Draw a cat." }] }],
      generationConfig: model === "native" ? { responseModalities: ["TEXT", "IMAGE"] } : {},
    },
  }),
  chat: (model: string, streamed: boolean) => ({
    path: "v1/chat/completions",
    body: {
      model,
      stream: streamed,
      modalities: model === "chat" ? ["text", "image"] : ["text"],
      messages: [{ role: "user", content: "Draw a cat." }],
    },
  }),
};

/** Asks and reads until the picture is there, or to the end; then the receipt, once it is posted. */
async function receiptOf(
  caller: keyof typeof ASKS,
  model: keyof typeof ASKS,
  streamed: boolean,
): Promise<Receipt> {
  const { path, body } = ASKS[caller](model, streamed);
  const leaving = new AbortController();
  const reply = await fetch(`${gateway.url}/${path}`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  expect(reply.status).toBe(200);
  let heard = "";
  const decoder = new TextDecoder();
  for await (const bytes of reply.body ?? []) {
    heard += decoder.decode(bytes, { stream: true });
    if (end === "waits" && heard.includes(PNG)) break;
  }
  leaving.abort();
  expect(heard).toContain(PNG);
  const url = `${gateway.url}/v1/receipts/${reply.headers.get("x-request-id")}`;
  return waitFor("the receipt", async () => {
    const receipt = (await (await fetch(url, { headers: HEADERS })).json()) as Receipt;
    return receipt["state"] === "posted" ? receipt : undefined;
  });
}

const PATHS = (["native", "chat"] as const).flatMap((caller) =>
  (["native", "chat"] as const).map((model) => ({ caller, model })),
);

describe.each(PATHS)("a picture of a $model upstream for a $caller caller", ({ caller, model }) => {
  it.each<[string, End, boolean, string]>([
    ["the caller leaves", "waits", true, "client_aborted"],
    ["the upstream breaks off", "breaks off", true, "upstream_failed_after_output"],
    ["a whole stream states no usage", "ends", true, "completed_usage_missing"],
    ["a whole response states no usage", "ends", false, "completed_usage_missing"],
  ])("is charged by the documented estimate where %s", async (_, how, streamed, reason) => {
    end = how;
    const receipt = await receiptOf(caller, model, streamed);
    expect(receipt).toMatchObject({ reason, estimated: true });
    const lines = receipt["lines"] as readonly { bucket: string; tokens: number; usd: string }[];
    expect(lines).toContainEqual({
      bucket: "image_output",
      tokens: IMAGE_TOKENS,
      usd_per_million_tokens: "32",
      usd: "0.04128",
    });
    const input = lines.find(({ bucket }) => bucket === "input_uncached")?.tokens ?? 0;
    expect(input).toBeGreaterThan(0);
    expect(receipt["charge_nanos"]).toBe(String(IMAGE_TOKENS * 32_000 + input * 3_000));
  });
});

it("leaves books that agree", async () => {
  expect((await gateway.run("ledger", "verify")).code).toBe(0);
});
