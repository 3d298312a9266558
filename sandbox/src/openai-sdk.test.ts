import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

const PARAMETERS = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
  required: ["city", "days"],
  additionalProperties: false,
};
const MESSAGES = [{ role: "user" as const, content: "Weather in Oslo?" }];

describe("the official openai SDK", () => {
  let sandbox: StartedSandbox;
  let client: OpenAI;
  beforeAll(async () => {
    sandbox = await startSandbox();
    client = new OpenAI({ apiKey: "key", baseURL: `${sandbox.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => sandbox.close());

  it("reads plain and streamed chat completions, several choices included", async () => {
    const plain = await client.chat.completions.create({ model: "text-large", messages: MESSAGES, n: 2 });
    expect(plain.model).toBe("text-large");
    expect(plain.choices).toHaveLength(2);
    expect(plain.choices[0]?.message.content).not.toBe(plain.choices[1]?.message.content);
    const stream = client.chat.completions.stream({ model: "text-large", messages: MESSAGES, n: 2 });
    const whole = await stream.finalChatCompletion();
    expect(whole.choices.map((choice) => choice.message.content)).toEqual(
      plain.choices.map((choice) => choice.message.content),
    );
  });

  it("runs a tool loop over chat completions to its end", async () => {
    let asked: unknown;
    const runner = client.chat.completions.runTools({
      model: "text-large",
      messages: MESSAGES,
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
              asked = args;
              return "seven degrees";
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain("seven degrees");
    expect(asked).toMatchObject({ city: expect.any(String), days: expect.any(Number) });
  });

  it("reads a stored response and its input again, until it is deleted", async () => {
    const ask = { model: "text-large", input: "Rivers of Norway?" };
    const first = await client.responses.create(ask);
    const stream = client.responses.stream({ ...ask, input: "Lakes?", previous_response_id: first.id });
    const second = await stream.finalResponse();
    expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id, output: first.output });
    expect((await client.responses.retrieve(second.id)).output_text).toBe(second.output_text);
    const words: unknown[] = [];
    for await (const item of client.responses.inputItems.list(second.id, { order: "asc", limit: 2 }))
      if (item.type === "message") words.push(item.content.map((part) => ("text" in part ? part.text : "")));
    expect(words).toEqual([["Rivers of Norway?"], [first.output_text], ["Lakes?"]]);
    await client.responses.delete(first.id);
    await expect(client.responses.retrieve(first.id)).rejects.toThrow(/not found/);
    const unstored = await client.responses.create({ ...ask, store: false });
    await expect(client.responses.retrieve(unstored.id)).rejects.toMatchObject({ status: 404 });
  });

  it("honours none, required and one named tool", async () => {
    const tools = ["alpha", "beta"].map((name) => ({
      type: "function" as const,
      function: { name, parameters: PARAMETERS },
    }));
    const ask = async (tool_choice: OpenAI.ChatCompletionToolChoiceOption) => {
      const response = await client.chat.completions.create({
        model: "m",
        messages: MESSAGES,
        tools,
        tool_choice,
      });
      return response.choices[0]?.message.tool_calls?.map((call) => "function" in call && call.function.name);
    };
    expect(await ask("none")).toBeUndefined();
    expect(await ask("required")).toEqual(["alpha"]);
    expect(await ask({ type: "function", function: { name: "beta" } })).toEqual(["beta"]);
  });

  it("parses structured output over both endpoints", async () => {
    const chat = await client.chat.completions.parse({
      model: "m",
      messages: MESSAGES,
      response_format: { type: "json_schema", json_schema: { name: "w", schema: PARAMETERS, strict: true } },
    });
    expect(JSON.parse(chat.choices[0]?.message.content ?? "")).toMatchObject({ days: expect.any(Number) });
    const response = await client.responses.create({
      model: "m",
      input: "Weather?",
      text: { format: { type: "json_schema", name: "w", schema: PARAMETERS, strict: true } },
    });
    expect(JSON.parse(response.output_text)).toMatchObject({ city: expect.any(String) });
  });

  it("reads plain and streamed responses with reasoning, and goes on from a stored one", async () => {
    const ask = { model: "m", input: "Rivers?", reasoning: { effort: "low", summary: "auto" } } as const;
    const plain = await client.responses.create(ask);
    const types: string[] = [];
    let whole: OpenAI.Responses.Response | undefined;
    let last = -1;
    for await (const event of await client.responses.create({ ...ask, stream: true })) {
      types.push(event.type);
      expect(event.sequence_number).toBe(last + 1);
      last = event.sequence_number;
      if (event.type === "response.completed") whole = event.response;
    }
    expect(whole?.output.map((item) => item.type)).toEqual(["reasoning", "message"]);
    expect(whole?.usage).toEqual(plain.usage);
    expect([...new Set(types)]).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.completed",
    ]);
    const next = await client.responses.create({
      model: "m",
      input: "And stones?",
      previous_response_id: plain.id,
    });
    expect(next.usage?.input_tokens).toBeGreaterThan(plain.usage?.input_tokens ?? 0);
    await expect(
      client.responses.create({ model: "m", input: "x", previous_response_id: "resp_unknown" }),
    ).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
  });

  it("runs a tool loop over responses, replaying encrypted reasoning and references", async () => {
    const tools = [{ type: "function" as const, name: "get_weather", parameters: PARAMETERS, strict: true }];
    const ask = {
      model: "m",
      tools,
      reasoning: { effort: "low" as const },
      include: ["reasoning.encrypted_content" as const],
    };
    const first = await client.responses.create({ ...ask, input: "Weather?" });
    const call = first.output.find((item) => item.type === "function_call");
    if (call?.type !== "function_call") throw new Error("no call");
    const result = { type: "function_call_output" as const, call_id: call.call_id, output: "seven degrees" };
    const items = first.output as OpenAI.Responses.ResponseInputItem[];
    const replayed = await client.responses.create({
      ...ask,
      input: [{ role: "user", content: "Weather?" }, ...items, result],
    });
    expect(replayed.output_text).toContain("seven degrees");
    const references = first.output.map((item) => ({ type: "item_reference" as const, id: item.id ?? "" }));
    const referred = await client.responses.create({
      ...ask,
      input: [{ role: "user", content: "Weather?" }, ...references, result],
    });
    expect(referred.output_text).toBe(replayed.output_text);
    const forged = items.map((item) =>
      item.type === "reasoning" ? { ...item, encrypted_content: "gAAAA" } : item,
    );
    await expect(
      client.responses.create({ ...ask, input: [{ role: "user", content: "Weather?" }, ...forged, result] }),
    ).rejects.toMatchObject({ status: 400, code: "invalid_encrypted_content" });
  });

  it("calls custom tools with free text", async () => {
    const stream = client.responses.stream({
      model: "m",
      input: "Patch it.",
      tools: [{ type: "custom", name: "apply_patch", description: "Takes a patch" }],
    });
    const response = await stream.finalResponse();
    expect(response.output[0]).toMatchObject({
      type: "custom_tool_call",
      name: "apply_patch",
      input: expect.any(String),
    });
  });

  it("embeds the same text alike, as floats and as base64", async () => {
    const ask = { model: "embed-small", input: ["river", "stone", "river"] };
    const floats = await client.embeddings.create({ ...ask, encoding_format: "float" });
    const packed = await client.embeddings.create(ask);
    expect(floats.data).toHaveLength(3);
    expect(floats.data[0]?.embedding).toHaveLength(1_536);
    expect(floats.data[0]?.embedding).toEqual(floats.data[2]?.embedding);
    expect(floats.data[0]?.embedding).not.toEqual(floats.data[1]?.embedding);
    expect(packed.data[1]?.embedding[7]).toBeCloseTo(floats.data[1]?.embedding[7] ?? Number.NaN, 6);
    expect(floats.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  });

  it("raises its own error classes", async () => {
    const fail = (content: string, apiKey = "key") =>
      client
        .withOptions({ apiKey })
        .chat.completions.create({ model: "m", messages: [{ role: "user", content }] });
    await expect(fail("x", "bad-key")).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(client.withOptions({ apiKey: "bad-key" }).models.list()).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    await expect(fail("x", "poor-key")).rejects.toMatchObject({ status: 429, code: "insufficient_quota" });
    await expect(fail("[[sandbox: error=429]]")).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(fail("[[sandbox: error=500]]")).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(client.chat.completions.create({ model: "m", messages: [] })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
  });

  it("lists models", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain("text-large");
  });
});
