import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../support/wait.ts";
import { KEYS, startWorld, type World } from "../support/world.ts";

const TOOL = {
  name: "get_weather",
  description: "Weather",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};
const ASK = { model: "text", max_tokens: 2_048 };
const user = (content: string): Anthropic.MessageParam => ({ role: "user", content });

describe("the @anthropic-ai/sdk, unmodified", () => {
  let world: World;
  let client: Anthropic;
  beforeAll(async () => {
    world = await startWorld();
    client = new Anthropic({ apiKey: KEYS.main, baseURL: world.url, maxRetries: 0 });
  });
  afterAll(() => world.stop());

  it("asks once with a key that was revoked, though it would repeat what may pass", async () => {
    let requests = 0;
    const refused = new Anthropic({
      apiKey: KEYS.invalid,
      baseURL: world.url,
      fetch: (url, init) => {
        requests += 1;
        return fetch(url, init);
      },
    });
    const error = await refused.messages
      .create({ ...ASK, messages: [user("Rivers?")] })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get("x-should-retry")).toBe("false");
    expect(requests).toBe(1);
  });

  it("reads a model's limits", async () => {
    const limits = { max_input_tokens: 200_000, max_tokens: 32_000 };
    expect(await client.models.retrieve("text")).toMatchObject({ id: "text", ...limits });
    for await (const model of client.models.list())
      if (model.id === "text") expect(model).toMatchObject(limits);
  });

  it("reads the same message plain and streamed, thinking and signature included", async () => {
    const ask = {
      ...ASK,
      messages: [user("Rivers?")],
      thinking: { type: "enabled" as const, budget_tokens: 1_024 },
    };
    const plain = await client.messages.create(ask);
    expect(plain._request_id).toMatch(/^req_/);
    const streamed = await client.messages.stream(ask).finalMessage();
    expect(plain.content.map((block) => block.type)).toEqual(["thinking", "text"]);
    expect(streamed.content[1]).toEqual(plain.content[1]);
    expect(streamed.content[0]).toMatchObject({ signature: expect.stringMatching(/^.{100,}$/) });
    expect(streamed.usage).toEqual(plain.usage);
  });

  it("runs a tool loop with parallel calls, replaying the signed thinking", async () => {
    const ask = { ...ASK, tools: [TOOL], thinking: { type: "enabled" as const, budget_tokens: 1_024 } };
    const question = user("Weather? [[sandbox: tools=2]]");
    const first = await client.messages.stream({ ...ask, messages: [question] }).finalMessage();
    expect(first.stop_reason).toBe("tool_use");
    const calls = first.content.filter((block) => block.type === "tool_use");
    expect(calls).toHaveLength(2);
    expect(calls[0]?.input).toMatchObject({ city: expect.any(String) });
    const second = await client.messages.create({
      ...ask,
      messages: [
        question,
        { role: "assistant", content: first.content as Anthropic.ContentBlockParam[] },
        {
          role: "user",
          content: calls.map((call) => ({
            type: "tool_result",
            tool_use_id: call.id,
            content: "seven degrees",
          })),
        },
      ],
    });
    expect(second.content.at(-1)).toMatchObject({ text: expect.stringContaining("seven degrees") });
  });

  it("runs the SDK's own tool runner to its end, over the beta endpoint", async () => {
    let asked: unknown;
    const last = await client.beta.messages.toolRunner({
      ...ASK,
      messages: [user("Weather?")],
      tools: [
        {
          ...TOOL,
          run: (input: unknown) => {
            asked = input;
            return "seven degrees";
          },
          parse: (input: unknown) => input,
        },
      ],
    });
    expect(asked).toMatchObject({ city: expect.any(String) });
    expect(last.content.at(-1)).toMatchObject({ text: expect.stringContaining("seven degrees") });
  });

  it("writes and reads the prompt cache, since the prefix reaches the upstream byte for byte", async () => {
    const system = [
      {
        type: "text" as const,
        text: "Rivers run to the sea. ".repeat(300),
        cache_control: { type: "ephemeral" as const, ttl: "1h" as const },
      },
    ];
    const ask = (question: string) =>
      client.messages.create(
        { ...ASK, system, messages: [user(question)] },
        { headers: { "anthropic-beta": "extended-cache-ttl-2025-04-11" } },
      );
    const written = await ask("One?");
    expect(written.usage.cache_creation?.ephemeral_1h_input_tokens).toBeGreaterThan(1_000);
    const read = await ask("Two?");
    expect(read.usage.cache_read_input_tokens).toBe(written.usage.cache_creation_input_tokens);
  });

  it("gives structured output", async () => {
    const schema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const response = await client.messages.create({
      ...ASK,
      messages: [user("A number.")],
      output_config: { format: { type: "json_schema", schema } },
    });
    const [block] = response.content;
    expect(JSON.parse(block?.type === "text" ? block.text : "")).toEqual({ n: expect.any(Number) });
  });

  it("lists models in its own form, page by page, and retrieves one", async () => {
    const first = await client.models.list();
    expect(first).toMatchObject({ has_more: false, first_id: first.data[0]?.id });
    const whole = first.data.map((model) => model.id);
    expect(whole).toContain("text");
    const paged: string[] = [];
    for await (const model of client.models.list({ limit: 2 })) paged.push(model.id);
    expect(paged).toEqual(whole);
    expect(await client.models.retrieve("text")).toMatchObject({
      type: "model",
      id: "text",
      display_name: "text",
      created_at: "2025-07-31T22:13:20Z",
    });
  });

  it("accepts a bearer token in place of an API key", async () => {
    const bearer = new Anthropic({
      apiKey: null,
      authToken: KEYS.main,
      baseURL: world.url,
      maxRetries: 0,
    });
    expect((await bearer.messages.create({ ...ASK, messages: [user("Hi")] })).type).toBe("message");
  });

  it("raises its own error classes for errors of the gateway", async () => {
    const refusal = (apiKey: string, more: object = {}) =>
      client
        .withOptions({ apiKey })
        .messages.create({
          ...ASK,
          messages: [user("x")],
          ...more,
        } as Anthropic.MessageCreateParamsNonStreaming)
        .catch((error: unknown) => error);
    const wrongKey = await refusal(KEYS.invalid);
    expect(wrongKey).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(wrongKey).toMatchObject({ requestID: expect.stringMatching(/^req_/) });
    expect(await refusal(KEYS.main, { model: "nonsense" })).toBeInstanceOf(Anthropic.NotFoundError);
    expect(await refusal(KEYS.main, { max_tokens: "many" })).toBeInstanceOf(Anthropic.BadRequestError);
    expect(await refusal(KEYS.poor)).toBeInstanceOf(Anthropic.PermissionDeniedError);
  });

  it("fills the vendor's cache with a request for no output", async () => {
    const {
      content,
      stop_reason: stop,
      usage,
    } = await client.messages.create({ ...ASK, max_tokens: 0, messages: [user("x")] });
    expect([content, stop, usage.output_tokens]).toEqual([[], "max_tokens", 0]);
  });

  it("raises its own error classes for errors of an upstream, 529 among them", async () => {
    const refusal = (model: string, content: string) =>
      client.messages.create({ ...ASK, model, messages: [user(content)] }).catch((error: unknown) => error);
    const overloaded = await refusal("faulty-a", "[[sandbox: error=529]]");
    expect(overloaded).toBeInstanceOf(Anthropic.InternalServerError);
    expect(overloaded).toMatchObject({ status: 529 });
    const limited = await refusal("faulty-b", "[[sandbox: error=429 retry_after=7]]");
    expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
    expect((limited as InstanceType<typeof Anthropic.APIError>).headers?.get("retry-after")).toBe("7");
    expect(await refusal("faulty-c", "[[sandbox: error=500]]")).toMatchObject({ status: 502 });
    const bad = await client.messages
      .create({ ...ASK, max_tokens: -1, messages: [user("x")] })
      .catch((error: unknown) => error);
    expect(bad).toBeInstanceOf(Anthropic.BadRequestError);
    expect(bad).toMatchObject({ type: "invalid_request_error" });
  });

  it("is told of a failure in the midst of a stream, whether the upstream told it or broke off", async () => {
    for (const fault of ["error=529 at=2", "cut=2"]) {
      const stream = client.messages.stream({
        ...ASK,
        model: "faulty-d",
        messages: [user(`[[sandbox: ${fault} chunks=6]]`)],
      });
      await expect(stream.finalMessage(), fault).rejects.toBeInstanceOf(Anthropic.APIError);
    }
  });

  it("aborts a stream, which reaches the upstream", async () => {
    const tag = "anthropic-abort";
    const stream = client.messages.stream({
      ...ASK,
      messages: [user(`[[sandbox: chunks=1000 pace=20 tag=${tag}]]`)],
    });
    const ended = stream.finalMessage().catch((error: unknown) => error);
    stream.once("text", () => stream.abort());
    expect(await ended).toBeInstanceOf(Anthropic.APIUserAbortError);
    const line = await waitFor("the upstream to notice", async () =>
      (await world.sandbox.journal()).find((each) => each["tag"] === tag),
    );
    expect(line.outcome).toBe("aborted-by-client");
  });
});
