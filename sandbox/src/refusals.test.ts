import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

type Case = [what: string, body: object, message: RegExp];

const user = { role: "user", content: "Hi" };
const fn = (name: string, parameters: object = { type: "object", properties: {} }, extra: object = {}) => ({
  type: "function",
  function: { name, parameters, ...extra },
});
const chatCall = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
};

const CHAT: Case[] = [
  ["no model", { messages: [user] }, /must provide a model/],
  ["no messages", { model: "m" }, /Missing required parameter: 'messages'/],
  ["empty messages", { model: "m", messages: [] }, /empty array/],
  ["an unknown role", { model: "m", messages: [{ role: "robot", content: "x" }] }, /Invalid value: 'robot'/],
  ["a message without content", { model: "m", messages: [{ role: "user" }] }, /messages\[0\]\.content/],
  ["five stops", { model: "m", messages: [user], stop: ["1", "2", "3", "4", "5"] }, /maximum length 4/],
  ["a user of 65 letters", { model: "m", messages: [user], user: "u".repeat(65) }, /'user': string too long/],
  ["n = 129", { model: "m", messages: [user], n: 129 }, /<= 128/],
  ["temperature 2.1", { model: "m", messages: [user], temperature: 2.1 }, /decimal above maximum/],
  ["max_tokens 0", { model: "m", messages: [user], max_tokens: 0 }, />= 1/],
  [
    "two limits",
    { model: "m", messages: [user], max_tokens: 5, max_completion_tokens: 5 },
    /at the same time/,
  ],
  [
    "stream_options alone",
    { model: "m", messages: [user], stream_options: {} },
    /only allowed when 'stream'/,
  ],
  [
    "a result without its call",
    { model: "m", messages: [user, { role: "tool", tool_call_id: "c", content: "x" }] },
    /preceding message/,
  ],
  [
    "a call without its result",
    { model: "m", messages: [user, chatCall, user] },
    /did not have response messages: c1/,
  ],
  ["a bad tool name", { model: "m", messages: [user], tools: [fn("a b")] }, /pattern/],
  [
    "a choice without tools",
    { model: "m", messages: [user], tool_choice: "required" },
    /only allowed when 'tools'/,
  ],
  [
    "an unknown choice",
    { model: "m", messages: [user], tools: [fn("a")], tool_choice: fn("b") },
    /no function named 'b'/,
  ],
  [
    "an open strict schema",
    { model: "m", messages: [user], tools: [fn("a", { type: "object" }, { strict: true })] },
    /additionalProperties/,
  ],
];

const RESPONSES: Case[] = [
  ["no model", { input: "x" }, /'model'/],
  ["no input", { model: "m" }, /'input'/],
  ["15 tokens", { model: "m", input: "x", max_output_tokens: 15 }, />= 16, but got 15/],
  ["a chat field", { model: "m", input: "x", stop: ["x"] }, /Unsupported parameter: 'stop'/],
  [
    "a chat part",
    { model: "m", input: [{ role: "user", content: [{ type: "text", text: "x" }] }] },
    /Invalid value: 'text'/,
  ],
  [
    "an orphan result",
    { model: "m", input: [{ type: "function_call_output", call_id: "c", output: "x" }] },
    /No tool call found/,
  ],
  [
    "an orphan call",
    { model: "m", input: [{ type: "function_call", call_id: "c", name: "f", arguments: "{}" }] },
    /No tool output found/,
  ],
  [
    "a long call id",
    { model: "m", input: [{ type: "function_call", call_id: "c".repeat(65), name: "f", arguments: "{}" }] },
    /maximum length 64/,
  ],
  [
    "a lone reasoning item",
    {
      model: "m",
      input: [
        { role: "user", content: "x" },
        { type: "reasoning", id: "rs_1", summary: [] },
      ],
    },
    /without its required following item/,
  ],
  [
    "an unknown reference",
    { model: "m", input: [{ type: "item_reference", id: "msg_x" }] },
    /'msg_x' not found/,
  ],
];

const base = { model: "m", max_tokens: 2_000 };
const use = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] };
const result = { type: "tool_result", tool_use_id: "t1", content: "x" };

const MESSAGES: Case[] = [
  ["no max_tokens", { model: "m", messages: [user] }, /max_tokens: Field required/],
  ["a limit below 0", { ...base, messages: [user], max_tokens: -1 }, /greater than or equal to 0/],
  ["a stream of nothing", { ...base, messages: [user], max_tokens: 0, stream: true }, /together with stream/],
  [
    "a forced call within 0 tokens",
    {
      ...{ ...base, messages: [user], max_tokens: 0 },
      tools: [{ name: "f", input_schema: { type: "object" } }],
      tool_choice: { type: "any" },
    },
    /together with tool_choice/,
  ],
  ["no messages", base, /messages: Field required/],
  ["empty messages", { ...base, messages: [] }, /at least one message/],
  [
    "a system role",
    { ...base, messages: [{ role: "system", content: "x" }] },
    /Input should be 'user' or 'assistant'/,
  ],
  [
    "an assistant first",
    { ...base, messages: [{ role: "assistant", content: "x" }] },
    /first message must use the "user" role/,
  ],
  [
    "an empty text block",
    { ...base, messages: [{ role: "user", content: [{ type: "text", text: "" }] }] },
    /must be non-empty/,
  ],
  ["empty content", { ...base, messages: [{ role: "user", content: "" }] }, /non-empty content/],
  [
    "a call without its result",
    { ...base, messages: [user, use, user] },
    /without `tool_result` blocks immediately after: t1/,
  ],
  [
    "a result behind text",
    { ...base, messages: [user, use, { role: "user", content: [{ type: "text", text: "x" }, result] }] },
    /immediately after: t1/,
  ],
  [
    "a result without its call",
    { ...base, messages: [{ role: "user", content: [result] }] },
    /unexpected `tool_use_id`/,
  ],
  [
    "an odd tool id",
    { ...base, messages: [user, { role: "assistant", content: [{ ...use.content[0], id: "a.b" }] }] },
    /should match pattern/,
  ],
  ["an unknown field", { ...base, messages: [user], n: 2 }, /n: Extra inputs are not permitted/],
  ["temperature 1.1", { ...base, messages: [user], temperature: 1.1 }, /range: 0..1/],
  [
    "a small budget",
    { ...base, messages: [user], thinking: { type: "enabled", budget_tokens: 100 } },
    /greater than or equal to 1024/,
  ],
  [
    "a budget above max_tokens",
    { ...base, messages: [user], thinking: { type: "enabled", budget_tokens: 2_000 } },
    /must be greater than/,
  ],
  [
    "a schema without type",
    { ...base, messages: [user], tools: [{ name: "f", input_schema: {} }] },
    /input_schema\.type/,
  ],
  [
    "forced tools with thinking",
    {
      ...base,
      messages: [user],
      tools: [{ name: "f", input_schema: { type: "object" } }],
      tool_choice: { type: "any" },
      thinking: { type: "adaptive" },
    },
    /forces tool use/,
  ],
];

const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const declare = (parameters: object) => [{ functionDeclarations: [{ name: "f", parameters }] }];

const GENERATE: Case[] = [
  ["no contents", {}, /contents is not specified/],
  [
    "an unknown role",
    { contents: [{ role: "assistant", parts: [{ text: "x" }] }] },
    /valid role: user, model/,
  ],
  ["no parts", { contents: [{ role: "user", parts: [] }] }, /parts must not be empty/],
  ["an empty part", { contents: [{ role: "user", parts: [{}] }] }, /required oneof field 'data'/],
  ["an unknown field", { contents, max_tokens: 5 }, /Unknown name "max_tokens"/],
  [
    "an unknown setting",
    { contents, generationConfig: { stop: ["x"] } },
    /Unknown name "stop" at 'generation_config'/,
  ],
  [
    "const in a native schema",
    { contents, tools: declare({ type: "OBJECT", properties: { a: { const: 1 } } }) },
    /Unknown name "const"/,
  ],
  ["a list of types", { contents, tools: declare({ type: ["string", "null"] }) }, /cannot start list/],
  [
    "six stops",
    { contents, generationConfig: { stopSequences: ["1", "2", "3", "4", "5", "6"] } },
    /at most 5/,
  ],
  ["nine candidates", { contents, generationConfig: { candidateCount: 9 } }, /candidate_count/],
  [
    "a result without a name",
    { contents: [...contents, { role: "user", parts: [{ functionResponse: { response: {} } }] }] },
    /Name cannot be empty/,
  ],
  [
    "a text as response",
    {
      contents: [...contents, { role: "user", parts: [{ functionResponse: { name: "f", response: "x" } }] }],
    },
    /protobuf\.Struct/,
  ],
  [
    "fewer results than calls",
    {
      contents: [
        ...contents,
        {
          role: "model",
          parts: [{ functionCall: { name: "f", args: {} } }, { functionCall: { name: "f", args: {} } }],
        },
        { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] },
      ],
    },
    /number of function response parts/,
  ],
];

const PATHS: [path: string, cases: Case[]][] = [
  ["/v1/chat/completions", CHAT],
  ["/v1/responses", RESPONSES],
  ["/v1/messages", MESSAGES],
  ["/v1beta/models/m:generateContent", GENERATE],
];

describe.each(PATHS)("%s", (path, cases) => {
  it.each(cases)("refuses %s", async (_what, body, message) => {
    const response = await sandbox.post(path, body);
    expect(response.status, response.text).toBe(400);
    expect(response.json.error.message).toMatch(message);
  });

  it("refuses what is no JSON object", async () => {
    for (const body of ["", "{", "[]", '"x"', "null"])
      expect((await sandbox.post(path, body)).status).toBe(400);
  });

  it("never breaks on fields of a wrong type", async () => {
    const odd = [null, 7, "x", [], {}, [null], [7], [[]], { a: 1 }, true];
    const fields = new Set([
      ...cases.flatMap(([, body]) => Object.keys(body)),
      "system",
      "tools",
      "instructions",
      "text",
      "reasoning",
    ]);
    const healthy: Record<string, object> = {
      "/v1/chat/completions": { model: "m", messages: [user] },
      "/v1/responses": { model: "m", input: "Hi" },
      "/v1/messages": { ...base, messages: [user] },
      "/v1beta/models/m:generateContent": { contents },
    };
    for (const field of fields) {
      for (const value of odd) {
        const response = await sandbox.post(path, { ...healthy[path], [field]: value });
        expect([200, 400], `${field} = ${JSON.stringify(value)}: ${response.text}`).toContain(
          response.status,
        );
      }
    }
  });
});

describe("a system message in mid-conversation", () => {
  it("is taken anywhere but first, as the vendor does for its newer models", async () => {
    const told = { role: "system", content: "Be brief." };
    for (const messages of [
      [user, told],
      [user, use, { role: "user", content: [result] }, told],
    ]) {
      const response = await sandbox.post("/v1/messages", { ...base, messages });
      expect(response.status, response.text).toBe(200);
    }
  });
});

describe("errors", () => {
  it("are in each vendor's own form", async () => {
    const bad = (path: string) => sandbox.post(path, {});
    expect((await bad("/v1/chat/completions")).json).toEqual({
      error: { message: expect.any(String), type: "invalid_request_error", param: null, code: null },
    });
    const messages = await bad("/v1/messages");
    expect(messages.json).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "model: Field required" },
      request_id: messages.headers.get("request-id"),
    });
    expect((await bad("/v1beta/models/m:generateContent")).json).toEqual({
      error: { code: 400, message: expect.any(String), status: "INVALID_ARGUMENT" },
    });
  });
});

describe("rerank", () => {
  it("orders documents by what they share with the query", async () => {
    const body = {
      model: "rerank-1",
      query: "silver river",
      documents: ["a dog", "the river", { text: "a silver river" }],
      top_n: 2,
    };
    const { json } = await sandbox.post("/v1/rerank", body);
    expect(json.results.map((one: { index: number }) => one.index)).toEqual([2, 1]);
    expect(json.results[0].document).toEqual({ text: "a silver river" });
    expect(json.usage.total_tokens).toBeGreaterThan(5);
    const bare = await sandbox.post("/v1/rerank", { ...body, return_documents: false });
    expect(bare.json.results[0].document).toBeUndefined();
    expect((await sandbox.post("/v1/rerank", { model: "r", query: "x" })).json.detail).toMatch(/documents/);
  });
});
