import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../support/wait.ts";
import { KEYS, startWorld, type World } from "../support/world.ts";

const PARAMETERS = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
  required: ["city", "days"],
  additionalProperties: false,
};
const ASK = { model: "text", messages: [{ role: "user" as const, content: "Weather in Oslo?" }] };

describe("the openai SDK, unmodified", () => {
  let world: World;
  let client: OpenAI;
  beforeAll(async () => {
    world = await startWorld();
    client = new OpenAI({ apiKey: KEYS.main, baseURL: `${world.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => world.stop());

  it("reads the same chat completion plain and streamed, several choices included", async () => {
    const plain = await client.chat.completions.create({ ...ASK, n: 2 });
    expect(plain.choices).toHaveLength(2);
    expect(plain._request_id).toMatch(/^req_/);
    const whole = await client.chat.completions.stream({ ...ASK, n: 2 }).finalChatCompletion();
    expect(whole.choices.map((choice) => choice.message.content)).toEqual(
      plain.choices.map((choice) => choice.message.content),
    );
  });

  it("gets usage in a stream only where it asked for it", async () => {
    const usages = async (stream_options?: { include_usage: boolean }): Promise<unknown[]> => {
      const found: unknown[] = [];
      const stream = await client.chat.completions.create({
        ...ASK,
        stream: true,
        ...(stream_options === undefined ? {} : { stream_options }),
      });
      for await (const chunk of stream) if (chunk.usage) found.push(chunk.usage);
      return found;
    };
    expect(await usages()).toEqual([]);
    expect(await usages({ include_usage: false })).toEqual([]);
    expect(await usages({ include_usage: true })).toEqual([
      expect.objectContaining({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) }),
    ]);
  });

  it("runs a tool loop over chat completions to its end", async () => {
    const asked: unknown[] = [];
    const runner = client.chat.completions.runTools({
      model: "text",
      messages: [{ role: "user", content: "Weather in Oslo? [[sandbox: tools=2]]" }],
      stream: true,
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "Weather",
            parameters: PARAMETERS,
            parse: JSON.parse,
            function: (args: unknown) => {
              asked.push(args);
              return "seven degrees";
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain("seven degrees");
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ city: expect.any(String), days: expect.any(Number) });
  });

  it("parses structured output over both endpoints", async () => {
    const chat = await client.chat.completions.parse({
      ...ASK,
      response_format: { type: "json_schema", json_schema: { name: "w", schema: PARAMETERS, strict: true } },
    });
    expect(JSON.parse(chat.choices[0]?.message.content ?? "")).toMatchObject({ days: expect.any(Number) });
    const response = await client.responses.create({
      model: "text",
      input: "Weather?",
      text: { format: { type: "json_schema", name: "w", schema: PARAMETERS, strict: true } },
    });
    expect(JSON.parse(response.output_text)).toMatchObject({ city: expect.any(String) });
  });

  it("reads plain and streamed responses with reasoning, and goes on from a stored one", async () => {
    const ask = { model: "text", input: "Rivers?", reasoning: { effort: "low", summary: "auto" } } as const;
    const plain = await client.responses.create(ask);
    expect(plain.output.map((item) => item.type)).toEqual(["reasoning", "message"]);
    const streamed = await client.responses.stream(ask).finalResponse();
    expect(streamed.output_text).toBe(plain.output_text);
    expect(streamed.usage).toEqual(plain.usage);
    for (const { id } of [plain, streamed]) {
      const next = await client.responses.create({
        model: "text",
        input: "And stones?",
        previous_response_id: id,
      });
      expect(next.usage?.input_tokens).toBeGreaterThan(plain.usage?.input_tokens ?? 0);
    }
  });

  it("reads a stored response and its input again, until it is deleted", async () => {
    const { id, output } = await client.responses.create({ model: "text", input: "Rivers of Norway?" });
    expect(await client.responses.retrieve(id)).toMatchObject({ id, output, status: "completed" });
    const { data } = await client.responses.inputItems.list(id);
    expect(data).toMatchObject([{ role: "user", content: [{ text: "Rivers of Norway?" }] }]);
    await client.responses.delete(id);
    await expect(client.responses.retrieve(id)).rejects.toThrow(OpenAI.NotFoundError);
  });

  it("runs a tool loop over responses with parallel calls, replaying encrypted reasoning", async () => {
    const ask = {
      model: "text",
      tools: [{ type: "function" as const, name: "get_weather", parameters: PARAMETERS, strict: true }],
      reasoning: { effort: "low" as const },
      include: ["reasoning.encrypted_content" as const],
      store: false,
    };
    const question = { role: "user" as const, content: "Weather? [[sandbox: tools=2]]" };
    const first = await client.responses.stream({ ...ask, input: [question] }).finalResponse();
    const calls = first.output.filter((item) => item.type === "function_call");
    expect(calls).toHaveLength(2);
    const results = calls.map((call) => ({
      type: "function_call_output" as const,
      call_id: call.call_id,
      output: "seven degrees",
    }));
    const items = first.output as OpenAI.Responses.ResponseInputItem[];
    const response = await client.responses.create({ ...ask, input: [question, ...items, ...results] });
    expect(response.output_text).toContain("seven degrees");
  });

  it("embeds as floats and as base64", async () => {
    const ask = { model: "embed", input: ["river", "stone"] };
    const floats = await client.embeddings.create({ ...ask, encoding_format: "float" });
    const packed = await client.embeddings.create(ask);
    expect(floats.data.map((each) => each.embedding.length)).toEqual([1_536, 1_536]);
    expect(packed.data[1]?.embedding[7]).toBeCloseTo(floats.data[1]?.embedding[7] ?? Number.NaN, 6);
  });

  it("lists models and retrieves one", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain("text");
    expect(await client.models.retrieve("vendor/odd:name")).toMatchObject({
      id: "vendor/odd:name",
      object: "model",
      owned_by: "acme",
      created: 1_754_000_000,
    });
  });

  it("raises its own error classes for errors of the gateway", async () => {
    const refusal = (apiKey: string, more: object = {}) =>
      client
        .withOptions({ apiKey })
        .chat.completions.create({ ...ASK, ...more } as OpenAI.ChatCompletionCreateParamsNonStreaming)
        .catch((error: unknown) => error);
    const wrongKey = await refusal(KEYS.invalid);
    expect(wrongKey).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(wrongKey).toMatchObject({ status: 401, type: "gateway_error", code: "" });
    expect(wrongKey).toHaveProperty("requestID", expect.stringMatching(/^req_/));
    const unknown = await refusal(KEYS.main, { model: "nonsense" });
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
    expect(unknown).toMatchObject({ code: "model_not_found", param: "model" });
    const mistyped = await refusal(KEYS.main, { temperature: "hot" });
    expect(mistyped).toBeInstanceOf(OpenAI.BadRequestError);
    expect(mistyped).toMatchObject({ code: "invalid_request", param: "temperature" });
    const poor = await refusal(KEYS.poor);
    expect(poor).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(poor).toMatchObject({ code: "insufficient_user_quota", type: "gateway_error" });
  });

  it("raises its own error classes for errors of an upstream", async () => {
    const refusal = (model: string, content: string, stream = false) =>
      client.chat.completions
        .create({ model, messages: [{ role: "user", content }], stream })
        .catch((error: unknown) => error);
    for (const stream of [false, true]) {
      const limited = await refusal("faulty-a", "[[sandbox: error=429 retry_after=7]]", stream);
      expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
      expect((limited as InstanceType<typeof OpenAI.APIError>).headers?.get("retry-after")).toBe("7");
      const broken = await refusal("faulty-b", "[[sandbox: error=500]]", stream);
      expect(broken).toBeInstanceOf(OpenAI.InternalServerError);
      expect(broken).toMatchObject({ status: 502, code: "upstream_error", type: "gateway_error" });
    }
    // The caller's own mistake, told by the vendor: its words, status and code.
    const bad = await client.chat.completions
      .create({ model: "text", messages: [{ role: "wizard" as "user", content: "x" }] })
      .catch((error: unknown) => error);
    expect(bad).toBeInstanceOf(OpenAI.BadRequestError);
    expect(bad).toMatchObject({
      type: "invalid_request_error",
      message: expect.stringContaining("wizard"),
    });
  });

  it("is told of a failure in the midst of a stream, and never sees it finished", async () => {
    const finishes: unknown[] = [];
    const read = async (): Promise<void> => {
      const stream = await client.chat.completions.create({
        model: "faulty-c",
        messages: [{ role: "user", content: "[[sandbox: cut=2 chunks=6]]" }],
        stream: true,
      });
      for await (const chunk of stream) finishes.push(...chunk.choices.map((choice) => choice.finish_reason));
    };
    await expect(read()).rejects.toMatchObject({ type: "gateway_error", code: "upstream_error" });
    expect(finishes.length).toBeGreaterThan(0);
    expect(finishes.filter(Boolean)).toEqual([]);
  });

  it("aborts a stream, which reaches the upstream", async () => {
    const tag = "openai-abort";
    const stream = await client.chat.completions.create({
      model: "text",
      messages: [{ role: "user", content: `[[sandbox: chunks=1000 pace=20 tag=${tag}]]` }],
      stream: true,
    });
    let chunks = 0;
    for await (const _ of stream) {
      chunks += 1;
      if (chunks === 3) break;
    }
    const line = await waitFor("the upstream to notice", async () =>
      (await world.sandbox.journal()).find((each) => each["tag"] === tag),
    );
    expect(line.outcome).toBe("aborted-by-client");
    expect(line.produced.chunks).toBeLessThan(500);
  });
});
