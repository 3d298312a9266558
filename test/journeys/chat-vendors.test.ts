import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";

type Chunk = OpenAI.ChatCompletionChunk;
type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & {
  readonly reasoning?: string;
  readonly reasoning_content?: string;
};

const HEAD = { id: "chatcmpl-v", object: "chat.completion.chunk", created: 1_790_000_000, model: "vendor-1" };
const USAGE = { prompt_tokens: 40, completion_tokens: 6, total_tokens: 46 };
const choice = (delta: object, finish_reason: string | null = null, index = 0): object => ({
  index,
  delta,
  finish_reason,
});
const chunk = (choices: readonly object[], more: object = {}): object => ({ ...HEAD, choices, ...more });
const call = { index: 0, id: "call_1", type: "function", function: { name: "now", arguments: "" } };

/** Streams as vendors have them: where they state the role, the usage and the end. */
const VENDORS = {
  "OpenAI's, with nulls in every chunk": [
    chunk([choice({ role: "assistant", content: "" })], { usage: null }),
    chunk([choice({ content: "Seven degrees." })], { usage: null }),
    chunk([choice({}, "stop")], { usage: null }),
    chunk([], { usage: USAGE }),
  ],
  "Mistral's and Zhipu's, which count on the last chunk of the answer": [
    chunk([choice({ role: "assistant", content: "" })]),
    chunk([choice({ content: "Seven degrees." })]),
    chunk([choice({ content: "" }, "stop")], { usage: USAGE }),
  ],
  "Moonshot's, which counts on the choice, and once more behind it": [
    chunk([choice({ role: "assistant", content: "Seven " })]),
    chunk([choice({ content: "degrees." })]),
    chunk([{ ...choice({}, "stop"), usage: USAGE }]),
    chunk([], { usage: USAGE }),
  ],
  "a server's that never says who speaks": [
    chunk([choice({ content: "Seven " })], { usage: USAGE }),
    chunk([choice({ content: "degrees." }, "stop")], { usage: USAGE }),
  ],
  "Google's, which says who speaks each time": [
    chunk([choice({ role: "assistant", content: "Seven degrees." })]),
    chunk([choice({ role: "assistant" }, "stop")], { usage: USAGE }),
  ],
  "Azure's, which tells of the prompt first": [
    chunk([], { prompt_filter_results: [] }),
    chunk([choice({ role: "assistant", content: "Seven degrees." })]),
    chunk([choice({}, "stop")]),
    chunk([], { usage: USAGE }),
  ],
  "a simple server's that counts nothing": [
    chunk([choice({ content: "Seven degrees." })]),
    chunk([choice({}, "stop")]),
  ],
  "one of several answers": [
    chunk([choice({ content: "Seven " }, null, 1), choice({ role: "assistant", content: "Seven " })]),
    chunk([choice({ content: "degrees." }, "stop", 1)]),
    chunk([choice({ content: "degrees." }, "stop")], { usage: USAGE }),
  ],
} as const;

const reasoned = (field: "delta" | "message"): object => ({
  [field]: { role: "assistant", reasoning: "It is May.", content: "Seven degrees." },
});

describe("the openai SDK before chat upstreams of many habits", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  let client: OpenAI;
  let answer: readonly object[] | object = [];
  beforeAll(async () => {
    vendor = await vendorUpstream(({ response }) => {
      if (!Array.isArray(answer)) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const each of answer) response.write(`data: ${JSON.stringify(each)}\n\n`);
      response.end("data: [DONE]\n\n");
    });
    const upstreams = [{ url: `${vendor.url}/v1`, kind: "openai-compatible" }];
    const quirks = "{ reasoning_field: reasoning }";
    gateway = await startGateway({ catalog: catalogFile({ upstreams, quirks }) });
    client = new OpenAI({ apiKey: TEST_KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  });
  afterAll(async () => {
    await gateway?.clean();
    await vendor?.close();
  });

  let asked = 0;
  const ask = (more: object = {}) => {
    asked += 1;
    return { model: "text", messages: [{ role: "user" as const, content: `Weather ${asked}?` }], ...more };
  };

  async function chunksOf(
    include_usage: boolean | undefined,
    n: number,
  ): Promise<{ chunks: readonly Chunk[]; requestId: string | null }> {
    const stream_options = include_usage === undefined ? {} : { stream_options: { include_usage } };
    const body = { ...ask(), n, stream: true as const, ...stream_options };
    const { data, request_id: requestId } = await client.chat.completions.create(body).withResponse();
    const chunks: Chunk[] = [];
    for await (const each of data) chunks.push(each);
    return { chunks, requestId };
  }

  it.each(Object.keys(VENDORS) as (keyof typeof VENDORS)[])(
    "reads a stream as specified: %s",
    async (name) => {
      answer = VENDORS[name];
      const n = name === "one of several answers" ? 2 : 1;
      for (const include_usage of [true, false, undefined]) {
        const { chunks, requestId } = await chunksOf(include_usage, n);
        const said = chunks.flatMap((each) => each.choices);
        for (let index = 0; index < n; index += 1) {
          const own = said.filter((each) => each.index === index);
          expect(own[0]?.delta).toMatchObject({ role: "assistant", content: "" });
          expect(own.map(({ delta }) => delta.content ?? "").join("")).toBe("Seven degrees.");
          if (!name.startsWith("Google")) expect(own.filter(({ delta }) => delta.role)).toHaveLength(1);
        }
        for (const each of chunks) expect(each).toMatchObject(HEAD);
        if (include_usage !== true) {
          expect(chunks.filter((each) => "usage" in each)).toEqual([]);
          expect(said.filter((each) => "usage" in each)).toEqual([]);
          continue;
        }
        expect(chunks.filter(({ usage }) => usage)).toEqual([chunks.at(-1)]);
        const { usage, choices } = chunks.at(-1) as Chunk;
        expect(choices).toEqual([]);
        const receipt = await fetch(`${gateway.url}/v1/receipts/${requestId}`, {
          headers: { authorization: TEST_KEY },
        });
        const { lines } = (await receipt.json()) as { lines: readonly { tokens: number }[] };
        const charged = lines.reduce((sum, { tokens }) => sum + tokens, 0);
        // What no vendor counted is told as it was charged.
        expect(usage?.total_tokens).toBe(charged);
        if (!name.startsWith("a simple")) expect(usage).toMatchObject(USAGE);
        else expect(charged).toBeGreaterThan(0);
      }
    },
  );

  it("adds up a stream's usage and roles as its vendor meant them", async () => {
    answer = VENDORS["Moonshot's, which counts on the choice, and once more behind it"];
    const body = { ...ask(), stream_options: { include_usage: true } };
    const whole = await client.chat.completions.stream(body).finalChatCompletion();
    expect(whole.usage).toEqual(USAGE);
    expect(whole.choices[0]?.message).toMatchObject({ role: "assistant", content: "Seven degrees." });
  });

  it("gets calls that stand in the first chunk", async () => {
    answer = [
      chunk([choice({ tool_calls: [call] })]),
      chunk([choice({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] })]),
      chunk([choice({}, "tool_calls")]),
    ];
    const whole = await client.chat.completions.stream(ask()).finalChatCompletion();
    expect(whole.choices[0]?.message).toMatchObject({
      role: "assistant",
      tool_calls: [{ id: "call_1", function: { name: "now", arguments: "{}" } }],
    });
  });

  it("shows thoughts under the specified name, and hands them back under the vendor's", async () => {
    answer = {
      ...HEAD,
      object: "chat.completion",
      choices: [{ index: 0, ...reasoned("message"), finish_reason: "stop" }],
      usage: USAGE,
    };
    const plain = await client.chat.completions.create(ask());
    const message = plain.choices[0]?.message as OpenAI.ChatCompletionMessage & Delta;
    expect(message).toMatchObject({ reasoning: "It is May.", reasoning_content: "It is May." });

    answer = [
      chunk([choice({ role: "assistant", content: "" })]),
      chunk([choice({ reasoning: "It is " })]),
      chunk([choice({ reasoning: "May." })]),
      chunk([choice({ content: "Seven degrees." }, "stop")], { usage: USAGE }),
    ];
    const { chunks } = await chunksOf(undefined, 1);
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta as Delta));
    for (const field of ["reasoning", "reasoning_content"] as const)
      expect(deltas.map((delta) => delta[field] ?? "").join(""), field).toBe("It is May.");

    const { reasoning: _, ...worded } = message;
    const bare = { role: "assistant" as const, reasoning_content: "", content: "Yes." };
    const turns = [
      ...ask().messages,
      message,
      ...ask().messages,
      worded,
      ...ask().messages,
      bare,
      ...ask().messages,
    ];
    await client.chat.completions.create({
      model: "text",
      messages: turns as OpenAI.ChatCompletionMessageParam[],
      stream: true,
    });
    const sent = JSON.parse(vendor.calls.at(-1)?.body.toString() ?? "") as { messages: readonly object[] };
    expect(JSON.stringify(sent)).not.toContain("reasoning_content");
    expect(sent.messages.map((each) => (each as Delta).reasoning)).toEqual([
      undefined,
      "It is May.",
      undefined,
      "It is May.",
      undefined,
      "",
      undefined,
    ]);
  });
});
