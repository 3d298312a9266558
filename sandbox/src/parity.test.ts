import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ask, askOver, FOUR_PROTOCOLS } from "./testing/four-protocols.ts";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

const WEATHER = {
  name: "get_weather",
  description: "Current weather of a place",
  schema: {
    type: "object",
    properties: { place: { type: "string" }, unit: { type: "string", enum: ["c", "f"] } },
    required: ["place"],
  },
};

const ASKS: Record<string, Ask> = {
  "a plain question": { user: "What do rivers carry to the sea?" },
  "a system prompt and Chinese text": { system: "Answer briefly.", user: "河流把什么带到大海？🌊" },
  thinking: { user: "How many stones are in a bridge?", thinking: true },
  "a tool call": { user: "Weather in Oslo?", tools: [WEATHER] },
  "two tool calls": { user: "Weather in Oslo and Rome? [[sandbox: tools=2]]", tools: [WEATHER] },
  "an answer from a tool result": {
    user: "Weather in Oslo?",
    tools: [WEATHER],
    round: { name: "get_weather", args: { place: "Oslo" }, result: '{"degrees": 7,  "sky": "clear"}' },
  },
  "structured output": {
    user: "Name a colour.",
    schema: {
      type: "object",
      properties: { colour: { type: "string" }, code: { type: "integer", minimum: 3 } },
      required: ["colour", "code"],
      additionalProperties: false,
    },
  },
  "an answer cut by its limit": { user: "Tell me a long story. [[sandbox: tokens=200]]", maxTokens: 50 },
  "thinking cut by the limit": { user: "Think hard about stones.", thinking: true, maxTokens: 20 },
  "an empty answer": { user: "Say nothing. [[sandbox: empty=1]]" },
};

describe("the same logical request", () => {
  let sandbox: StartedSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  for (const [what, ask] of Object.entries(ASKS)) {
    it(`says and costs the same over four protocols, plain and streamed: ${what}`, async () => {
      const given = await Promise.all(
        FOUR_PROTOCOLS.flatMap((protocol) =>
          [false, true].map(async (stream) => ({
            name: `${protocol.name} ${stream}`,
            ...(await askOver(sandbox, protocol, { ...ask, stream })),
          })),
        ),
      );
      const [first] = given;
      for (const one of given) {
        const { name, text, thinking, calls, usage, status } = one;
        expect({ name, status, text, thinking, calls, usage }).toEqual({
          name,
          status: 200,
          text: first?.text,
          thinking: first?.thinking,
          calls: first?.calls,
          usage: first?.usage,
        });
      }
    });
  }

  it("says what was asked for, with each vendor's own word for the end", async () => {
    const finishes = async (ask: Ask): Promise<string[]> =>
      Promise.all(FOUR_PROTOCOLS.map(async (protocol) => (await askOver(sandbox, protocol, ask)).finish));
    expect(await finishes({ user: "rivers" })).toEqual(["stop", "completed", "end_turn", "STOP"]);
    expect(await finishes({ user: "Weather?", tools: [WEATHER] })).toEqual([
      "tool_calls",
      "completed",
      "tool_use",
      "STOP",
    ]);
    expect(await finishes({ user: "[[sandbox: tokens=90]]", maxTokens: 16 })).toEqual([
      "length",
      "max_output_tokens",
      "max_tokens",
      "MAX_TOKENS",
    ]);
    for (const protocol of FOUR_PROTOCOLS) {
      const thought = await askOver(sandbox, protocol, { user: "Why?", thinking: true });
      expect(thought.thinking).toContain("Why?");
      expect(thought.usage.outputReasoning).toBeGreaterThan(5);
      const called = await askOver(sandbox, protocol, { user: "[[sandbox: tools=3]]", tools: [WEATHER] });
      expect(called.calls).toHaveLength(3);
      expect(called.calls[0]).toMatchObject({ name: "get_weather", args: { place: expect.any(String) } });
      const told = await askOver(sandbox, protocol, {
        user: "Weather?",
        tools: [WEATHER],
        round: { name: "get_weather", args: { place: "Oslo" }, result: "71 degrees" },
      });
      expect(told.text).toContain("71 degrees");
      const exact = await askOver(sandbox, protocol, { user: "[[sandbox: tokens=123]]" });
      expect(exact.usage.outputVisible).toBe(123);
    }
  });

  it("gets the same answer every time and another for another prompt", async () => {
    const [chat] = FOUR_PROTOCOLS;
    if (chat === undefined) throw new Error("no protocol");
    const first = await askOver(sandbox, chat, { user: "rivers" });
    expect((await askOver(sandbox, chat, { user: "rivers" })).text).toBe(first.text);
    expect((await askOver(sandbox, chat, { user: "stones" })).text).not.toBe(first.text);
  });

  it("is journaled with the buckets that were reported", async () => {
    for (const protocol of FOUR_PROTOCOLS) {
      for (const stream of [false, true]) {
        const given = await askOver(sandbox, protocol, { user: "Count me.", thinking: true, stream });
        const entry = await sandbox.lastEntry();
        expect(entry).toMatchObject({ protocol: protocol.name, stream, outcome: "completed", status: 200 });
        expect(entry.usage).toEqual(given.usage);
        expect(entry.produced.tokens).toBe(given.usage.outputVisible + given.usage.outputReasoning);
      }
    }
  });
});
