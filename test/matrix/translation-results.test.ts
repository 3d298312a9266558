import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { said } from "../support/said.ts";
import { TOOLS } from "../support/sample-wishes.ts";
import type { TextProtocol } from "../support/text-caller.ts";
import {
  MODEL_OF,
  PAIRS,
  type Pair,
  startTranslatedWorld,
  type TranslatedWorld,
} from "../support/translated-world.ts";

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Two calls, of whose results one is a picture, by each protocol that can say so. */
const SHOWN: Partial<Readonly<Record<TextProtocol, object>>> = {
  responses: {
    input: [
      { role: "user", content: "Show me." },
      {
        type: "function_call",
        call_id: "call_1",
        name: "get_weather",
        arguments: '{"city":"Bonn","days":1}',
      },
      { type: "function_call", call_id: "call_2", name: "get_tide", arguments: '{"city":"Bonn","days":1}' },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [{ type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" }],
      },
      { type: "function_call_output", call_id: "call_2", output: "Low." },
    ],
  },
  messages: {
    messages: [
      { role: "user", content: "Show me." },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Bonn", days: 1 } },
          { type: "tool_use", id: "call_2", name: "get_tide", input: { city: "Bonn", days: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "call_1",
            content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }],
          },
          { type: "tool_result", tool_use_id: "call_2", content: "Low." },
        ],
      },
    ],
  },
};

const ways: readonly Pair[] = PAIRS.filter(({ client }) => SHOWN[client] !== undefined);

describe("pictures in the results of tools (rule 25)", () => {
  let world: TranslatedWorld;
  beforeAll(async () => {
    world = await startTranslatedWorld();
  });
  afterAll(() => world.stop());

  it.each(ways)("reach the upstream, which answers: $client to $upstream", async ({ client, upstream }) => {
    const shown = await inputOf(client, upstream, SHOWN[client] ?? {});
    // The same with a word in the picture's place.
    const told = await inputOf(client, upstream, JSON.parse(JSON.stringify(SHOWN[client], withoutImages)));
    // The sandbox counts the pictures that stand outside of results, as the other two have them.
    if (upstream === "messages" || upstream === "responses") return;
    expect(shown - told).toBeGreaterThan(IMAGE_TOKENS - 20);
  });

  /** The input tokens that the upstream counted. */
  async function inputOf(client: TextProtocol, upstream: TextProtocol, conversation: object) {
    const body = { ...TOOLS[client], ...conversation, model: MODEL_OF[upstream] };
    const path = client === "messages" ? "/v1/messages" : "/v1/responses";
    const reply = await world.ask(path, client === "messages" ? { ...body, max_tokens: 500 } : body);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers.get("x-faregate-dropped")).toBeNull();
    expect(said(client, reply.text, false).text).toMatch(/\w/);
    const seen = await world.lastSeen(upstream);
    expect(seen.protocol).toBe(upstream);
    return Object.entries(seen.usage)
      .filter(([bucket]) => !bucket.startsWith("output"))
      .reduce((sum, [, tokens]) => sum + tokens, 0);
  }
});

/** What the sandbox counts for a picture, whatever its size. */
const IMAGE_TOKENS = 258;

/** For `JSON.stringify`. */
function withoutImages(_: string, value: unknown): unknown {
  const { type } = (value ?? {}) as { type?: unknown };
  if (type === "input_image") return { type: "input_text", text: "Dry." };
  return type === "image" ? { type: "text", text: "Dry." } : value;
}
