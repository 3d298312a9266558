import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { postedRow } from "../support/money-books.ts";
import { call, TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { wholeStream } from "../support/vendor-wire.ts";

/** More than a gateway holds back, and less than the longest responses of models. */
const LONG = "words and more of them ".repeat(40_000);

/** What a model may write that looks like a vendor's error further in. */
const ODD = { detail: "x", error: { code: 1 }, type: "error", body: LONG };
const CALL = JSON.stringify(ODD);

const named = (type: string, more: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const bare = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const chunk = (delta: object): string => bare({ id: "c", choices: [{ index: 0, delta }] });
const candidate = (part: object): string =>
  bare({ candidates: [{ index: 0, content: { role: "model", parts: [part] } }] });

/** Events of one piece that vendors send: whole texts, calls, code, results. */
const EVENTS: Readonly<Record<TextProtocol, readonly string[]>> = {
  "chat-completions": [
    chunk({ content: CALL }),
    chunk({ reasoning_content: LONG }),
    chunk({ tool_calls: [{ index: 0, id: "call_1", function: { name: "f", arguments: CALL } }] }),
  ],
  responses: [
    named("response.output_text.done", { item_id: "msg_1", output_index: 0, content_index: 0, text: CALL }),
    named("response.function_call_arguments.done", { item_id: "fc_1", output_index: 0, arguments: CALL }),
    named("response.custom_tool_call_input.done", { item_id: "ctc_1", output_index: 0, input: CALL }),
    named("response.code_interpreter_call_code.done", { item_id: "ci_1", output_index: 0, code: LONG }),
    named("response.output_item.done", {
      output_index: 0,
      item: { type: "mcp_call", error: null, output: LONG },
    }),
  ],
  messages: [
    named("content_block_delta", { index: 0, delta: { type: "text_delta", text: CALL } }),
    named("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: CALL } }),
    named("content_block_start", {
      index: 0,
      content_block: { type: "web_search_tool_result", content: [ODD] },
    }),
  ],
  "generate-content": [
    candidate({ text: CALL }),
    candidate({ functionCall: { name: "f", args: ODD } }),
    candidate({ codeExecutionResult: { outcome: "OUTCOME_OK", output: LONG } }),
  ],
};

const CASES = TEXT_PROTOCOLS.flatMap((protocol) =>
  EVENTS[protocol].flatMap((event, index) =>
    (["first", "later"] as const).map((place) => ({ protocol, event, index, place })),
  ),
);

describe("an event of nearly a megabyte", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ protocol, model, response }) => {
      const [index, place] = model.split("-");
      const event = EVENTS[protocol][Number(index)] ?? "";
      const stream = wholeStream(protocol, model);
      const start = place === "first" ? 0 : stream.indexOf("\n\n", stream.indexOf("there.")) + 2;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(stream.slice(0, start) + event + stream.slice(start));
    });
    const models = ["first", "later"].flatMap((place) => [0, 1, 2, 3, 4].map((index) => `${index}-${place}`));
    gateway = await startGateway({
      catalog: modelsFile({
        models,
        upstreams: TEXT_PROTOCOLS.map((protocol) => ({
          name: protocol,
          url: vendor.url,
          protocols: [protocol],
        })),
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it.each(CASES)(
    "is passed on as it came: $protocol $index $place",
    async ({ protocol, event, index, place }) => {
      const heard = await call(gateway.url, {
        protocol,
        streamed: true,
        model: `${index}-${place}`,
        prompt: "Hello",
      });
      expect(heard).toMatchObject({ status: 200, complete: true });
      expect(heard.text.includes(event)).toBe(true);
    },
  );
});

/** An image of the largest kind, in one event with everything that is known of its response at the end alone. */
const IMAGE = `iVBORw0KGgo${"A".repeat(20_000_000)}`;
const LAST_EVENTS = {
  "generate-content": bare({
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: IMAGE } }] },
        finishReason: "STOP",
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  }),
  responses: named("response.completed", {
    response: {
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [{ type: "image_generation_call", id: "ig_1", status: "completed", result: IMAGE }],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    },
  }),
} as const;

describe("an event with an image of 20 MB and the end of its answer", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ protocol, response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(protocol === "responses" ? LAST_EVENTS.responses : LAST_EVENTS["generate-content"]);
    });
    const protocols = ["generate-content", "responses"] as const;
    gateway = await startGateway({
      catalog: modelsFile({
        models: [...protocols],
        upstreams: protocols.map((protocol) => ({
          name: protocol,
          url: vendor.url,
          protocols: [protocol],
          models: [protocol],
        })),
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  it.each([
    ["generate-content", "generate-content"],
    ["responses", "responses"],
    ["responses", "generate-content"],
    ["generate-content", "responses"],
  ] as const)("reaches a caller of %s from %s, and is charged", async (protocol, model) => {
    const heard = await call(gateway.url, { protocol, streamed: true, model, prompt: "Hello" });
    expect(heard).toMatchObject({ status: 200, complete: true });
    expect(heard.text.includes(IMAGE)).toBe(true);
    expect(heard.text.slice(-2_000)).not.toContain("error");
    const row = await postedRow(gateway, heard.requestId);
    expect(row).toMatchObject({ reason: "completed" });
    expect(row.chargeNanos).toBeGreaterThan(0n);
  });
});
