import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { readEvents } from "../support/text-errors.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask, codeIn, type Reply } from "../support/world.ts";

const BETA = { "anthropic-beta": "compact-2026-09-04" };
const ELSEWHERE = ["chat-completions", "responses", "generate-content"] as const;
/** Responses that are no summary: what a chat says, how it ends, and how that is told. */
const FLAWED: Readonly<Record<string, readonly [message: object, finish: string, told: string]>> = {
  cut: [{ content: "The user wanted to" }, "length", "max_tokens"],
  filtered: [{ content: "The" }, "content_filter", "refusal"],
  blank: [{ content: " \n" }, "stop", "end_turn"],
  calling: [
    {
      content: "So:",
      tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    "tool_calls",
    "tool_use",
  ],
};
/** What servers of the protocol say that do not know the field, and what the vendor says of a wrong use of it. */
const UNKNOWN: Readonly<Record<string, string>> = {
  strict: "compaction: Extra inputs are not permitted",
  named: "Unknown parameter: 'compaction'",
  model: "Compaction is not supported for this model.",
};
const MISUSED: Readonly<Record<string, string>> = {
  headless: "compaction: this parameter requires anthropic-beta: compact-2026-09-04",
};
const NATIVE = ["native", ...Object.keys(UNKNOWN), ...Object.keys(MISUSED)];
const THEIRS = {
  type: "compaction",
  content: "Of rivers.",
  encrypted_content: null,
  signature: "EuYBsigned",
};

describe("a compaction that messages ask for", () => {
  let vendor: VendorUpstream;
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ protocol, model, streamed, body, response }) => {
      const asked = JSON.parse(body.toString()) as { compaction?: object };
      const refusal = { ...UNKNOWN, ...MISUSED }[model];
      if (protocol === "messages" && refusal !== undefined && asked.compaction !== undefined) {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: refusal } }),
        );
      } else if (protocol === "messages") {
        response.writeHead(200, { "content-type": "application/json" });
        const iterations = [{ type: "compaction", input_tokens: 144, output_tokens: 276 }];
        const own = asked.compaction !== undefined;
        response.end(
          JSON.stringify({
            id: "msg_1",
            type: "message",
            role: "assistant",
            model,
            content: own ? [THEIRS] : [{ type: "text", text: "Rivers were talked of." }],
            stop_reason: own ? "compaction" : "end_turn",
            usage: own
              ? { input_tokens: 0, output_tokens: 0, iterations }
              : { input_tokens: 20, output_tokens: 7 },
          }),
        );
      } else {
        const [message, finish_reason] = FLAWED[model] ?? [{}, "stop"];
        const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
        const head = { id: "c", created: 1, model, usage };
        const said = { role: "assistant", ...message };
        response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
        if (streamed) {
          const choices = [{ index: 0, delta: said, finish_reason }];
          response.end(`data: ${JSON.stringify({ ...head, choices })}\n\ndata: [DONE]\n\n`);
        } else {
          const choices = [{ index: 0, message: said, finish_reason }];
          response.end(JSON.stringify({ ...head, object: "chat.completion", choices }));
        }
      }
    });
    sandbox = await startSandbox();
    gateway = await startGateway({
      catalog: modelsFile({
        models: [...ELSEWHERE, ...NATIVE, ...Object.keys(FLAWED)],
        upstreams: [
          ...ELSEWHERE.map((protocol) => ({
            name: protocol,
            url: sandbox.url,
            models: [protocol],
            protocols: [protocol],
            apiKey: "good-key",
          })),
          { name: "native", url: vendor.url, models: NATIVE, protocols: ["messages"] },
          { name: "flawed", url: vendor.url, models: Object.keys(FLAWED), protocols: ["chat-completions"] },
        ],
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await sandbox?.stop();
    await vendor?.close();
  });

  const history = (text: string) => [
    { role: "user", content: `Of ${text}: say something about rivers.` },
    { role: "assistant", content: "They run." },
    { role: "user", content: "And lakes?" },
  ];
  const compact = (model: string, more: object = {}): Promise<Reply> =>
    ask(
      gateway.url,
      "/v1/messages",
      {
        model,
        max_tokens: 900,
        compaction: { type: "summarize" },
        messages: history(`${model} ${JSON.stringify(more)}`),
        ...more,
      },
      { key: TEST_KEY, headers: BETA },
    );
  const chargeOf = async (reply: Reply): Promise<number> => {
    const id = reply.headers.get("x-request-id");
    const { json } = await ask(gateway.url, `/v1/receipts/${id}`, undefined, { key: TEST_KEY });
    return Number(json.charge_nanos);
  };
  const lastSent = async (): Promise<string> => JSON.stringify((await sandbox.journal()).at(-1));

  it.each(ELSEWHERE)("is one block whose words stand for the conversation: %s", async (model) => {
    const reply = await compact(model);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toMatchObject({
      type: "message",
      role: "assistant",
      stop_reason: "compaction",
      usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 },
    });
    expect(reply.json.content).toEqual([
      {
        type: "compaction",
        content: expect.stringMatching(/\S/),
        encrypted_content: null,
        signature: expect.stringMatching(/^gw1\./),
      },
    ]);
    expect(reply.headers.get("x-faregate-dropped")).toBeNull();
    const [{ input_tokens: input, output_tokens: output }] = reply.json.usage.iterations;
    expect(await chargeOf(reply)).toBe(input * 3_000 + output * 15_000);
    const messages = [
      { role: "assistant", content: reply.json.content },
      { role: "user", content: "Go on." },
    ];
    const next = await ask(
      gateway.url,
      "/v1/messages",
      { model, max_tokens: 90, messages },
      { key: TEST_KEY },
    );
    expect(next.status, next.text).toBe(200);
    expect(next.headers.get("x-faregate-dropped")).toBeNull();
    expect(next.json.usage.input_tokens).toBeGreaterThan(output);
    expect(await lastSent()).not.toContain("gw1.");
  });

  it("is made with the caller's own instructions, tools and effort, and without what would hinder it", async () => {
    const reply = await compact("cut", {
      compaction: { type: "summarize", instructions: "Keep every lake." },
      tools: [{ name: "look", input_schema: { type: "object" } }],
      tool_choice: { type: "any" },
      stop_sequences: ["They"],
      output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
    });
    expect(reply.status, reply.text).toBe(200);
    const body = JSON.parse(vendor.calls.at(-1)?.body.toString() ?? "{}") as Record<string, unknown>;
    expect((body["messages"] as object[]).at(-1)).toMatchObject({ role: "user" });
    expect(JSON.stringify((body["messages"] as object[]).at(-1))).toContain("Keep every lake.");
    expect(body).toMatchObject({ tool_choice: "none", reasoning_effort: "low" });
    expect(body["tools"]).toHaveLength(1);
    expect([body["stop"], body["response_format"], body["compaction"]]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each(ELSEWHERE)("is streamed as a message whose only block it is, whole: %s", async (model) => {
    const { text } = await compact(model, { stream: true });
    const events = readEvents(text).filter(({ name }) => name !== "ping");
    expect(events.map(({ name }) => name)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events[1]?.data).toMatchObject({ index: 0, content_block: { type: "compaction" } });
    expect(events[3]?.data).toMatchObject({
      delta: { stop_reason: "compaction" },
      usage: { output_tokens: 0, iterations: [{ type: "compaction" }] },
    });
  });

  it.each(ELSEWHERE.flatMap((model) => [false, true].map((stream) => [model, stream] as const)))(
    "takes the conversation's place in the official tool runner: %s, stream %s",
    async (model, stream) => {
      const client = new Anthropic({ apiKey: TEST_KEY, baseURL: gateway.url, maxRetries: 0 });
      const runner = client.beta.messages.toolRunner({
        model,
        max_tokens: 900,
        max_iterations: 4,
        betas: ["compact-2026-09-04"],
        tools: [],
        stream,
        messages: [{ role: "user", content: `Of ${model} ${stream}: say something about rivers.` }],
      });
      runner.compactBeforeNextTurn();
      await runner.runUntilDone();
      expect(runner.params.messages).toMatchObject([
        { role: "assistant", content: [{ type: "compaction", content: expect.stringMatching(/\S/) }] },
        {
          role: "assistant",
          content: [{ type: "text", text: expect.stringContaining("this summary of it") }],
        },
      ]);
    },
  );

  it.each(Object.keys(FLAWED))("has no content where the model wrote none: %s", async (model) => {
    const reason = FLAWED[model]?.[2];
    const plain = await compact(model);
    expect(plain.json, plain.text).toMatchObject({ content: [], stop_reason: reason });
    expect(plain.json.usage.iterations).toMatchObject([{ input_tokens: 9, output_tokens: 5 }]);
    expect(await chargeOf(plain)).toBe(9 * 3_000 + 5 * 15_000);
    const streamed = await compact(model, { stream: true });
    const events = readEvents(streamed.text).filter(({ name }) => name !== "ping");
    expect(events.map(({ name }) => name)).toEqual(["message_start", "message_delta", "message_stop"]);
    expect(events[1]?.data).toMatchObject({ delta: { stop_reason: reason } });
  });

  it("is the vendor's where it knows it, and charged by what it reports apart", async () => {
    const reply = await compact("native");
    expect(reply.json.content).toEqual([THEIRS]);
    expect(vendor.calls.at(-1)?.body.toString()).toContain('"compaction":{"type":"summarize"}');
    expect(await chargeOf(reply)).toBe(144 * 3_000 + 276 * 15_000);
  });

  it.each(Object.keys(UNKNOWN))("is the gateway's own where a server does not know it: %s", async (model) => {
    const reply = await compact(model);
    expect(reply.json.content, reply.text).toMatchObject([
      { type: "compaction", content: "Rivers were talked of.", signature: expect.stringMatching(/^gw1\./) },
    ]);
    expect(await chargeOf(reply)).toBe(20 * 3_000 + 7 * 15_000);
    const messages = [
      { role: "assistant", content: reply.json.content },
      { role: "user", content: "Go on." },
    ];
    const body = { model, max_tokens: 9, messages };
    const next = await ask(gateway.url, "/v1/messages", body, { key: TEST_KEY, headers: BETA });
    expect(next.status, next.text).toBe(200);
    const sent = vendor.calls.at(-1)?.body.toString() ?? "";
    expect(sent).toContain("Rivers were talked of.");
    expect(sent).not.toMatch(/gw1\.|"compaction"/);
  });

  it("is refused as the vendor refuses it", async () => {
    const headless = await compact("headless");
    expect([headless.status, headless.json.error.message]).toEqual([
      400,
      expect.stringContaining(MISUSED["headless"] ?? ""),
    ]);
    for (const messages of [
      [],
      [
        ...history("open"),
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
      ],
    ]) {
      const reply = await compact("chat-completions", { messages });
      expect([reply.status, codeIn(reply.json), reply.json.error.param], reply.text).toEqual([
        400,
        "invalid_request",
        "messages",
      ]);
    }
    const other = await compact("chat-completions", { compaction: { type: "erase" } });
    expect([other.status, other.json.error.param]).toEqual([400, "compaction"]);
  });
});
