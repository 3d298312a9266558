import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BODY_ENDPOINTS,
  CHAT,
  EMBEDDINGS,
  type Endpoint,
  MESSAGES,
  NATIVE,
  NATIVE_STREAM,
  RERANK,
  RESPONSES,
  TEXT_ENDPOINTS,
} from "../support/endpoints.ts";
import { balanceOf, cleanLedger } from "../support/money-books.ts";
import { codeIn, KEYS, type Reply, startWorld, type World } from "../support/world.ts";

/** Listed top-level fields with the types the specification allows. */
const FIELDS: readonly (readonly [Endpoint, Readonly<Record<string, readonly string[]>>])[] = [
  [
    CHAT,
    {
      messages: ["array"],
      stream: ["boolean"],
      stream_options: ["object"],
      temperature: ["number"],
      top_p: ["number"],
      max_tokens: ["number"],
      max_completion_tokens: ["number"],
      reasoning_effort: ["string"],
      stop: ["string", "array"],
      n: ["number"],
      presence_penalty: ["number"],
      frequency_penalty: ["number"],
      seed: ["number"],
      tools: ["array"],
      tool_choice: ["string", "object"],
      parallel_tool_calls: ["boolean"],
      response_format: ["object"],
      user: ["string"],
    },
  ],
  [
    RESPONSES,
    {
      input: ["string", "array"],
      instructions: ["string"],
      stream: ["boolean"],
      max_output_tokens: ["number"],
      reasoning: ["object"],
      tools: ["array"],
      tool_choice: ["string", "object"],
      text: ["object"],
      temperature: ["number"],
      previous_response_id: ["string"],
      store: ["boolean"],
    },
  ],
  [
    MESSAGES,
    {
      messages: ["array"],
      max_tokens: ["number"],
      system: ["string", "array"],
      stream: ["boolean"],
      temperature: ["number"],
      top_p: ["number"],
      top_k: ["number"],
      stop_sequences: ["array"],
      thinking: ["object"],
      tools: ["array"],
      tool_choice: ["object"],
      metadata: ["object"],
    },
  ],
  [
    NATIVE,
    {
      contents: ["array"],
      systemInstruction: ["object"],
      generationConfig: ["object"],
      tools: ["array"],
      safetySettings: ["array"],
    },
  ],
];

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: "a word",
  number: 1,
  boolean: true,
  object: { a: 1 },
  array: [1],
};

describe("refusals", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const send = (endpoint: Endpoint, more: object, key: string = KEYS.main): Promise<Reply> =>
    world.ask(endpoint.path, { ...endpoint.body, ...more }, { key });

  it("are in shape A with each protocol's own additions, strings throughout", async () => {
    for (const endpoint of TEXT_ENDPOINTS) {
      const replies = [
        await world.ask(endpoint.path, endpoint.body, { key: KEYS.invalid }),
        await world.ask(endpoint.path, endpoint.body, { key: KEYS.poor }),
        await world.ask(endpoint.path, "{}"),
      ];
      for (const { status, json, headers } of replies) {
        const id = headers.get("x-request-id");
        expect(headers.get("content-type"), endpoint.name).toMatch(/^application\/json/);
        const { error, ...beside } = json;
        const isNative = endpoint === NATIVE || endpoint === NATIVE_STREAM;
        const { status: word, ...gatewayErrorBody } = error;
        expect(headers.get("x-should-retry"), endpoint.name).toBe("false");
        expect(gatewayErrorBody, endpoint.name).toEqual({
          message: expect.stringMatching(new RegExp(`. \\(request id: ${id}\\)$`)),
          type: "gateway_error",
          param: expect.any(String),
          ...(isNative ? { code: status, reason: expect.any(String) } : { code: expect.any(String) }),
        });
        expect(beside).toEqual(endpoint === MESSAGES ? { type: "error", request_id: id } : {});
        if (isNative)
          expect(word).toBe(
            { 400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED" }[status],
          );
        else expect(word).toBeUndefined();
      }
      expect(
        replies.map(({ status }) => status),
        endpoint.name,
      ).toEqual([401, 403, 400]);
      expect(codeIn(replies[1]?.json)).toBe("insufficient_user_quota");
    }
  });

  it("of quota come before a stream begins, as a plain error", async () => {
    for (const endpoint of [CHAT, RESPONSES, MESSAGES, NATIVE_STREAM]) {
      const reply = await send(endpoint, endpoint === NATIVE_STREAM ? {} : { stream: true }, KEYS.poor);
      expect([reply.status, codeIn(reply.json)], endpoint.name).toEqual([403, "insufficient_user_quota"]);
    }
  });

  it("tell a missing, null or empty model by an empty code, a mistyped one by its field", async () => {
    for (const endpoint of BODY_ENDPOINTS) {
      for (const model of [undefined, null, ""]) {
        const { status, json } = await send(endpoint, { model });
        expect([status, json.error.code, json.error.type], `${endpoint.name} ${model}`).toEqual([
          400,
          "",
          "gateway_error",
        ]);
      }
      for (const model of [1, true, {}, ["text"]]) {
        const { status, json } = await send(endpoint, { model });
        expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_request", "model"]);
      }
    }
    const none = await world.ask("/v1beta/models/:generateContent", NATIVE.body);
    expect([none.status, codeIn(none.json)]).toEqual([400, ""]);
  });

  it("tell a model that is unknown, however long or odd its name", async () => {
    const names = [
      "nonsense",
      "TEXT",
      "text\u0000",
      "ü".repeat(50),
      "x".repeat(5_000),
      "__proto__",
      "toString",
    ];
    for (const endpoint of BODY_ENDPOINTS) {
      for (const model of names) {
        const { status, json } = await send(endpoint, { model });
        expect([status, json.error.code, json.error.param], `${endpoint.name} ${model.slice(0, 9)}`).toEqual([
          404,
          "model_not_found",
          "model",
        ]);
      }
    }
  });

  it("tell an endpoint that the model is not served on", async () => {
    const pairs: [Endpoint, string][] = [
      [RESPONSES, "chat-only"],
      [MESSAGES, "chat-only"],
      [EMBEDDINGS, "text"],
      [RERANK, "embed"],
      [CHAT, "embed"],
    ];
    for (const [endpoint, model] of pairs) {
      const { status, json } = await send(endpoint, { model });
      expect([status, json.error.code], `${model} on ${endpoint.name}`).toEqual([
        400,
        "unsupported_endpoint",
      ]);
    }
  });

  it("of unserved actions say what to use instead", async () => {
    const paths = [
      "/v1beta/models/text:predict",
      "/v1beta/models/text:batchGenerateContent",
      "/v1beta/models/text",
    ];
    for (const path of paths) {
      const reply = await world.ask(path, NATIVE.body);
      expect([reply.status, codeIn(reply.json)], path).toEqual([404, "unsupported_endpoint"]);
      expect(reply.json.error.message, path).toMatch(/generateContent/);
    }
  });

  for (const [endpoint, fields] of FIELDS) {
    it(`name the listed field whose type is wrong on ${endpoint.name}, and take null for absent`, async () => {
      const before = (await world.sandbox.journal()).length;
      for (const [field, types] of Object.entries(fields)) {
        for (const [type, sample] of Object.entries(SAMPLES)) {
          if (types.includes(type)) continue;
          const reply = await send(endpoint, { [field]: sample });
          expect([reply.status, codeIn(reply.json), reply.json.error.param], `${field} as ${type}`).toEqual([
            400,
            "invalid_request",
            field,
          ]);
        }
      }
      expect(await world.sandbox.journal()).toHaveLength(before);
    });
  }

  it("spare null in optional fields and fields that nobody listed", async () => {
    for (const [endpoint, fields] of FIELDS) {
      // The messages and native vendors refuse some nulls and unknown fields themselves: then it is their word.
      if (endpoint === MESSAGES || endpoint === NATIVE) continue;
      const nulls = Object.fromEntries(
        Object.keys(fields)
          .filter((field) => !(field in (endpoint.body ?? {})))
          .map((field) => [field, null]),
      );
      expect((await send(endpoint, nulls)).status, endpoint.name).toBe(200);
      expect((await send(endpoint, { an_unlisted_field: { a: [1] } })).status, endpoint.name).toBe(200);
    }
    // What one protocol knows is a stranger to another.
    expect((await send(CHAT, { background: true })).status).toBe(200);
    for (const endpoint of [EMBEDDINGS, RERANK])
      expect((await send(endpoint, { background: true, stream: true })).status, endpoint.name).toBe(200);
    const vendor = await send(MESSAGES, { an_unlisted_field: 1 });
    expect([vendor.status, vendor.json.error.type]).toEqual([400, "invalid_request_error"]);
  });

  it("require what the specification requires", async () => {
    const required: [Endpoint, string[]][] = [
      [CHAT, ["messages"]],
      [RESPONSES, ["input"]],
      [MESSAGES, ["messages", "max_tokens"]],
      [NATIVE, ["contents"]],
      [EMBEDDINGS, ["input"]],
      [RERANK, ["query", "documents"]],
    ];
    for (const [endpoint, fields] of required) {
      for (const field of fields) {
        for (const value of [undefined, null]) {
          const { status, json } = await send(endpoint, { [field]: value });
          expect([status, json.error.param], `${endpoint.name} ${field}`).toEqual([400, field]);
        }
      }
    }
  });

  it("name a field in other case, which a server that doesn't tell cases apart would take", async () => {
    const before = (await world.sandbox.journal()).length;
    const others: [Endpoint, object, string][] = [
      [CHAT, { MODEL: "another-model" }, "MODEL"],
      [CHAT, { max_tokens: 10, "Max_To\u212aens": 32_000 }, "Max_To\u212aens"],
      [CHAT, { Service_Tier: "priority" }, "Service_Tier"],
      [RESPONSES, { Previous_Response_Id: "resp_1" }, "Previous_Response_Id"],
      [MESSAGES, { MAX_TOKENS: 32_000 }, "MAX_TOKENS"],
      [NATIVE, { generationConfig: { CandidateCount: 8 } }, "CandidateCount"],
      [EMBEDDINGS, { Model: "another-model" }, "Model"],
    ];
    for (const [endpoint, fields, key] of others) {
      const { status, json } = await send(endpoint, fields);
      expect([status, codeIn(json)], key).toEqual([400, "invalid_request"]);
      expect(json.error.message, key).toContain(`\`${key}\` differs from`);
    }
    expect(await world.sandbox.journal()).toHaveLength(before);
    expect((await send(CHAT, { metadata: { MODEL: "x", Max_Tokens: 1 } })).status).toBe(200);
  });

  it("count stop sequences: four pass, five do not", async () => {
    expect((await send(CHAT, { stop: ["a1", "b1", "c1", "d1"] })).status).toBe(200);
    const { status, json } = await send(CHAT, { stop: ["a1", "b1", "c1", "d1", "e1"] });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_request", "stop"]);
  });

  it("meet background responses and responses that nobody of this account stored", async () => {
    for (const background of [true, "true", 1, {}]) {
      const { status, json } = await send(RESPONSES, { background });
      expect([status, json.error.param], JSON.stringify(background)).toEqual([400, "background"]);
    }
    for (const background of [false, null]) expect((await send(RESPONSES, { background })).status).toBe(200);
    const stored = (await send(RESPONSES, {})).json.id;
    const unstored = (await send(RESPONSES, { store: false })).json.id;
    const goOn = async (previous_response_id: unknown, key: string = KEYS.main) => {
      const { status, json } = await send(RESPONSES, { previous_response_id }, key);
      return status === 200 ? status : [status, json.error.code, json.error.param];
    };
    const unknown = [400, "previous_response_not_found", "previous_response_id"];
    expect(await goOn(stored)).toBe(200);
    expect(await goOn(stored, KEYS.second), "another key of the account").toBe(200);
    expect(await goOn(stored, KEYS.partner), "another account").toEqual(unknown);
    expect(await goOn("resp_nonsense")).toEqual(unknown);
    expect(await goOn(unstored)).toEqual(unknown);
    for (const odd of ["x".repeat(3_000), "a\0b", "\ud800"]) expect(await goOn(odd)).toEqual(unknown);
    expect(await goOn(null)).toBe(200);
  });

  it("meet two different API versions", async () => {
    const places = [[MESSAGES.path, MESSAGES.body], ["/v1/models"], ["/v1/models/text"]] as const;
    for (const [path, body] of places) {
      const version = (theirs: string) =>
        world.ask(path, body, {
          headers: { "vendorx-version": "2023-06-01", "anthropic-version": theirs },
        });
      const { status, json } = await version("2024-01-01");
      expect([status, json.error?.code], path).toEqual([400, "invalid_request"]);
      expect((await version("2023-06-01")).status, path).toBe(200);
    }
  });

  it("of rate come with Retry-After and x-ratelimit headers, which good answers carry too", async () => {
    const first = await send(CHAT, {}, KEYS.slow);
    expect(first.status).toBe(200);
    expect(first.headers.get("x-ratelimit-limit-requests")).toBe("1");
    expect(first.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const second = await send(CHAT, {}, KEYS.slow);
    expect([second.status, second.json.error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(second.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect(second.headers.get("x-ratelimit-limit-requests")).toBe("1");
    expect(second.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(second.headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+s$/);
    expect(second.headers.get("x-should-retry")).toBe("true");
    const native = await world.ask(NATIVE.path, NATIVE.body, { key: KEYS.slow });
    expect(native.json.error).toMatchObject({
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      reason: "rate_limit_exceeded",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.RetryInfo",
          retryDelay: `${native.headers.get("retry-after")}s`,
        },
      ],
    });
  });

  it("of an upstream that refuses us or cannot be reached tell nothing of it", async () => {
    for (const model of ["refused", "unreachable"]) {
      for (const endpoint of [CHAT, RESPONSES, MESSAGES]) {
        const { status, json, text } = await send(endpoint, { model });
        expect([status, json.error.code, json.error.type], model).toEqual([
          502,
          "upstream_error",
          "gateway_error",
        ]);
        expect(text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|bad-key|api key|sandbox/i);
      }
      const native = await world.ask(`/v1beta/models/${model}:generateContent`, NATIVE.body);
      expect([native.status, native.json.error.status], model).toEqual([502, "UNAVAILABLE"]);
    }
  });

  it("pass an upstream's word on the caller's own mistake", async () => {
    const cases: [Endpoint, object, RegExp][] = [
      [CHAT, { messages: [{ role: "wizard", content: "x" }] }, /wizard|role/i],
      [RESPONSES, { input: [{ type: "function_call_output", call_id: "c1", output: "x" }] }, /c1/],
      [MESSAGES, { messages: [{ role: "wizard", content: "x" }] }, /wizard|role/i],
      [NATIVE, { contents: [{ role: "wizard", parts: [{ text: "x" }] }] }, /role/],
      [EMBEDDINGS, { dimensions: 0 }, /dimensions/],
      [RERANK, { top_n: 0 }, /top_n/],
    ];
    for (const [endpoint, more, words] of cases) {
      const { status, json } = await send(endpoint, more);
      expect(status, endpoint.name).toBe(400);
      expect(json.error.message, endpoint.name).toMatch(words);
      expect(json.error.message, endpoint.name).toMatch(/\(request id: req_\w+\)$/);
      expect(json.error.type, endpoint.name).not.toBe("gateway_error");
      expect([typeof codeIn(json), typeof json.error.param]).toEqual(["string", "string"]);
    }
  });

  it("cost nothing and hold nothing", async () => {
    const balance = async (): Promise<bigint> => balanceOf(await cleanLedger(world.gateway), "poor");
    expect(await balance()).toBe(0n);
    await send(CHAT, {}, KEYS.poor);
    expect(await balance()).toBe(0n);
  });
});
