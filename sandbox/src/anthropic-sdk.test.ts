import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

const TOOL = {
  name: "get_weather",
  description: "Weather",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};
const ASK = { model: "text-large", max_tokens: 2_048 };
const user = (content: string): Anthropic.MessageParam => ({ role: "user", content });

describe("the official @anthropic-ai/sdk", () => {
  let sandbox: StartedSandbox;
  let client: Anthropic;
  beforeAll(async () => {
    sandbox = await startSandbox();
    client = new Anthropic({ apiKey: "key", baseURL: sandbox.url, maxRetries: 0 });
  });
  afterAll(() => sandbox.close());

  it("reads the same message plain and streamed, thinking and signature included", async () => {
    const ask = {
      ...ASK,
      messages: [user("Rivers?")],
      thinking: { type: "enabled" as const, budget_tokens: 1_024 },
    };
    const plain = await client.messages.create(ask);
    const streamed = await client.messages.stream(ask).finalMessage();
    expect(plain.content.map((block) => block.type)).toEqual(["thinking", "text"]);
    expect(streamed.content[1]).toEqual(plain.content[1]);
    expect(streamed.content[0]).toMatchObject({
      type: "thinking",
      signature: expect.stringMatching(/^.{100,}$/),
    });
    expect(streamed.usage).toEqual(plain.usage);
    expect(streamed.stop_reason).toBe("end_turn");
  });

  it("runs a tool loop, replaying the thinking block", async () => {
    const ask = { ...ASK, tools: [TOOL], thinking: { type: "enabled" as const, budget_tokens: 1_024 } };
    const first = await client.messages.stream({ ...ask, messages: [user("Weather?")] }).finalMessage();
    expect(first.stop_reason).toBe("tool_use");
    const call = first.content.find((block) => block.type === "tool_use");
    expect(call?.input).toMatchObject({ city: expect.any(String) });
    const result: Anthropic.MessageParam = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "seven degrees" }],
    };
    const history = (content: Anthropic.ContentBlock[]): Anthropic.MessageParam[] => [
      user("Weather?"),
      { role: "assistant", content: content as Anthropic.ContentBlockParam[] },
      result,
    ];
    const second = await client.messages.create({ ...ask, messages: history(first.content) });
    expect(second.content.at(-1)).toMatchObject({
      type: "text",
      text: expect.stringContaining("seven degrees"),
    });
    const forged = first.content.map((block) =>
      block.type === "thinking" ? { ...block, thinking: "other" } : block,
    );
    await expect(client.messages.create({ ...ask, messages: history(forged) })).rejects.toThrow(
      /Invalid `signature`/,
    );
    const bare = first.content.filter((block) => block.type !== "thinking");
    await expect(client.messages.create({ ...ask, messages: history(bare) })).rejects.toThrow(
      /must start with a thinking/,
    );
  });

  it("signs thinking that it does not show, and accepts it back", async () => {
    const thinking = { type: "adaptive" as const, display: "omitted" as const };
    const first = await client.messages.create({ ...ASK, messages: [user("Why?")], thinking });
    expect(first.content[0]).toMatchObject({ type: "thinking", thinking: "" });
    const next = [
      user("Why?"),
      { role: "assistant" as const, content: first.content as Anthropic.ContentBlockParam[] },
      user("So?"),
    ];
    expect((await client.messages.create({ ...ASK, messages: next, thinking })).stop_reason).toBe("end_turn");
  });

  it("honours tool choice, and never calls two where that is disabled", async () => {
    const ask = async (tool_choice: Anthropic.ToolChoice) => {
      const messages = [user("Weather? [[sandbox: tools=2]]")];
      const response = await client.messages.create({
        ...ASK,
        messages,
        tools: [TOOL, { ...TOOL, name: "other" }],
        tool_choice,
      });
      return response.content.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));
    };
    expect(await ask({ type: "none" })).toEqual([]);
    expect(await ask({ type: "any" })).toEqual(["get_weather", "other"]);
    expect(await ask({ type: "tool", name: "other" })).toEqual(["other", "other"]);
    expect(await ask({ type: "auto", disable_parallel_tool_use: true })).toEqual(["get_weather"]);
  });

  it("stops at the caller's own sequence", async () => {
    const messages = [user('[[sandbox: text="one two STOP three"]]')];
    const response = await client.messages.create({ ...ASK, messages, stop_sequences: ["STOP"] });
    expect(response).toMatchObject({
      stop_reason: "stop_sequence",
      stop_sequence: "STOP",
      content: [{ text: "one two " }],
    });
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

  it("raises its own error classes", async () => {
    const fail = (content: string, apiKey = "key") =>
      client.withOptions({ apiKey }).messages.create({ ...ASK, messages: [user(content)] });
    await expect(fail("x", "bad-key")).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(client.withOptions({ apiKey: "bad-key" }).models.list()).rejects.toBeInstanceOf(
      Anthropic.AuthenticationError,
    );
    await expect(fail("x", "poor-key")).rejects.toThrow(/credit balance is too low/);
    await expect(fail("[[sandbox: error=529]]")).rejects.toMatchObject({
      status: 529,
      type: "overloaded_error",
    });
    await expect(fail("[[sandbox: error=429 retry_after=7]]")).rejects.toBeInstanceOf(
      Anthropic.RateLimitError,
    );
    const stream = client.messages.stream({ ...ASK, messages: [user("[[sandbox: error=529 at=2]]")] });
    await expect(stream.finalMessage()).rejects.toThrow(/Overloaded/);
  });

  it("lists models in its own form", async () => {
    const page = await client.models.list();
    expect(page.data[0]).toMatchObject({ type: "model", id: "text-large" });
  });
});
