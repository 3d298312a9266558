import { describe, expect, it } from "vitest";
import { readPrompt } from "./prompt-text.ts";

const SYSTEM = "You work for the harbour office.";
const QUESTION = "Will the ferry to Bergen sail tomorrow?";
const RESULT = "Gale from the north-west until noon.";
const DESCRIPTION = "Gives the forecast for a city.";
const ARGS = { city: "Bergen", days: 2 };
const SCHEMA = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } };
const call = { name: "get_forecast", arguments: JSON.stringify(ARGS) };
const tool = { name: "get_forecast", description: DESCRIPTION };
const image = "iVBORw0KGgo".repeat(500);

/** One conversation with a tool, a call, a result and an image, as each protocol words it. */
const CONVERSATIONS = {
  "chat-completions": {
    model: "text",
    metadata: { name: "never seen" },
    tools: [{ type: "function", function: { ...tool, parameters: SCHEMA } }],
    messages: [
      { role: "system", content: SYSTEM },
      {
        role: "user",
        content: [
          { type: "text", text: QUESTION },
          { type: "image_url", image_url: { url: `data:image/png;base64,${image}`, detail: "high" } },
        ],
      },
      { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: call }] },
      { role: "tool", tool_call_id: "call_1", content: RESULT },
    ],
  },
  responses: {
    model: "text",
    tools: [{ type: "function", ...tool, parameters: SCHEMA, strict: true }],
    instructions: SYSTEM,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: QUESTION },
          { type: "input_image", image_url: `data:image/png;base64,${image}` },
        ],
      },
      { type: "function_call", call_id: "call_1", ...call },
      { type: "function_call_output", call_id: "call_1", output: RESULT },
    ],
  },
  messages: {
    model: "text",
    max_tokens: 500,
    tools: [{ ...tool, input_schema: SCHEMA, cache_control: { type: "ephemeral" } }],
    system: [{ type: "text", text: SYSTEM }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: QUESTION },
          { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
        ],
      },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "get_forecast", input: ARGS }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: RESULT }] },
    ],
  },
  "generate-content": {
    tools: [{ functionDeclarations: [{ ...tool, parametersJsonSchema: SCHEMA }] }],
    systemInstruction: { parts: [{ text: SYSTEM }] },
    contents: [
      {
        role: "user",
        parts: [{ text: QUESTION }, { inlineData: { mimeType: "image/png", data: image } }],
      },
      { role: "model", parts: [{ functionCall: { name: "get_forecast", args: ARGS } }] },
      { role: "user", parts: [{ functionResponse: { response: { output: RESULT } } }] },
    ],
  },
};

const read = (body: object) => readPrompt([Buffer.from(JSON.stringify(body))]);

describe("readPrompt", () => {
  it.each(Object.entries(CONVERSATIONS))("finds what the model reads, and nothing else: %s", (name, body) => {
    const expected = [
      "get_forecast",
      DESCRIPTION,
      JSON.stringify(SCHEMA),
      SYSTEM,
      QUESTION,
      "get_forecast",
      JSON.stringify(ARGS),
      name === "generate-content" ? JSON.stringify({ output: RESULT }) : RESULT,
    ];
    const found = read(body);
    expect(found.text.split("\n").sort()).toEqual(expected.sort());
    expect(found.tokens).toBe(0);
  });

  it("reads the schema of a structured answer, since vendors put it before the model", () => {
    const wishes = [
      { response_format: { type: "json_schema", json_schema: { name: "trip", schema: SCHEMA } } },
      { text: { format: { type: "json_schema", name: "trip", schema: SCHEMA } } },
      { generationConfig: { responseJsonSchema: SCHEMA } },
    ];
    for (const wish of wishes) {
      expect(read(wish).text).toContain(JSON.stringify(SCHEMA));
    }
  });

  it("counts what is embedded as token numbers, of one text and of several", () => {
    expect(read({ model: "embed", input: [9906, 1917, 13], dimensions: 8 })).toEqual({ text: "", tokens: 3 });
    expect(read({ input: [[9906, 1917], [13]] })).toEqual({ text: "", tokens: 3 });
    expect(read({ input: ["Hello", "world."] })).toEqual({ text: "Hello\nworld.", tokens: 0 });
  });
});
