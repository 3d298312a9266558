import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT, MESSAGES, NATIVE, RESPONSES } from "../support/endpoints.ts";
import { codeIn, KEYS, startWorld, TEXT_MODELS, type World } from "../support/world.ts";

const IN_DEFAULT = [...TEXT_MODELS, "chat-only", "embed", "rerank", "unreachable", "refused"].sort();
const MESSAGES_HEADERS = { "x-api-key": KEYS.main, "vendorx-version": "2023-06-01" };

const NATIVE_TEXT = {
  name: "models/text",
  baseModelId: "text",
  version: "2025-07-31",
  displayName: "text",
  description: "text of acme",
  inputTokenLimit: 200_000,
  outputTokenLimit: 32_000,
  supportedGenerationMethods: expect.arrayContaining(["generateContent", "streamGenerateContent"]),
  inputModalities: ["text", "image", "file", "audio", "video"],
  outputModalities: ["text"],
};

describe("model lists", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const ids = async (key: string): Promise<string[]> =>
    (await world.ask("/v1/models", undefined, { key })).json.data.map((model: { id: string }) => model.id);

  it("are in the specification's envelope, each record complete", async () => {
    const { status, json } = await world.ask("/v1/models");
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(["success", "object", "data"]);
    expect(json).toMatchObject({ success: true, object: "list" });
    expect(json.data.find((model: { id: string }) => model.id === "text")).toEqual({
      id: "text",
      object: "model",
      created: 1_754_000_000,
      owned_by: "acme",
      supported_endpoint_types: ["oa", "oa-response", "an", "ge"],
      context_length: 200_000,
      max_completion_tokens: 32_000,
      architecture: {
        input_modalities: ["text", "image", "file", "audio", "video"],
        output_modalities: ["text"],
      },
    });
    const embed = json.data.find((model: { id: string }) => model.id === "embed");
    expect(embed).toMatchObject({ architecture: { output_modalities: ["embedding"] } });
    const types = Object.fromEntries(
      json.data.map((model: { id: string; supported_endpoint_types: string[] }) => [
        model.id,
        model.supported_endpoint_types,
      ]),
    );
    expect(types).toMatchObject({ "chat-only": ["oa"], embed: ["embeddings"], rerank: ["vendorz-rerank"] });
  });

  it("hold what the key may call: its group's models, or its whitelist, with an upstream", async () => {
    expect((await ids(KEYS.main)).sort()).toEqual(IN_DEFAULT);
    expect((await ids(KEYS.partner)).sort()).toEqual([...IN_DEFAULT, "partners-only"].sort());
    expect(await ids(KEYS.narrow)).toEqual(["text"]);
    expect(await ids(KEYS.poor)).toHaveLength(IN_DEFAULT.length);
  });

  it("hold exactly what can be called, on exactly the endpoints they say", async () => {
    const calls = {
      oa: (model: string) => world.ask(CHAT.path, { ...CHAT.body, model }),
      "oa-response": (model: string) => world.ask(RESPONSES.path, { ...RESPONSES.body, model }),
      an: (model: string) => world.ask(MESSAGES.path, { ...MESSAGES.body, model }),
      ge: (model: string) =>
        world.ask(`/v1beta/models/${encodeURIComponent(model)}:generateContent`, NATIVE.body),
    };
    const listed: { id: string; supported_endpoint_types: string[] }[] = (await world.ask("/v1/models")).json
      .data;
    // Those two are listed rightly, since health never hides a model, but their upstreams cannot answer.
    const audio = listed.filter(({ id }) => id !== "unreachable" && id !== "refused");
    for (const { id, supported_endpoint_types: types } of audio) {
      for (const [type, call] of Object.entries(calls)) {
        const { status, json } = await call(id);
        if (types.includes(type)) expect(status, `${id} on ${type}`).toBe(200);
        else expect([status, codeIn(json)], `${id} on ${type}`).toEqual([400, "unsupported_endpoint"]);
      }
    }
    for (const id of ["partners-only", "unserved", "no-such-model", "Text", "text "]) {
      for (const [type, call] of Object.entries(calls)) {
        const { status, json } = await call(id);
        expect([status, codeIn(json)], `${id} on ${type}`).toEqual([404, "model_not_found"]);
      }
    }
  });

  it("answer unknown and forbidden models alike", async () => {
    const told = async (model: string) => {
      const { status, json } = await world.ask(CHAT.path, { ...CHAT.body, model });
      return {
        status,
        error: { ...json.error, message: json.error.message.replaceAll(model, "").slice(0, 40) },
      };
    };
    expect(await told("partners-only")).toEqual(await told("no-such-model"));
  });

  it("give one model, and the specified 200 with an error for one that is unknown or forbidden", async () => {
    expect((await world.ask("/v1/models/chat-only")).json).toEqual({
      id: "chat-only",
      object: "model",
      created: expect.any(Number),
      owned_by: "faregate",
      supported_endpoint_types: ["oa"],
      context_length: 200_000,
      max_completion_tokens: 32_000,
      architecture: expect.any(Object),
    });
    for (const id of ["nonsense", "partners-only", "unserved"]) {
      const { status, json, headers } = await world.ask(`/v1/models/${id}`);
      expect(status, id).toBe(200);
      expect(json.error, id).toEqual({
        message: expect.stringMatching(
          new RegExp(`${id}.*\\(request id: ${headers.get("x-request-id")}\\)$`),
        ),
        type: "invalid_request_error",
        param: "model",
        code: "model_not_found",
      });
    }
    expect((await world.ask("/v1/models/text", undefined, { key: KEYS.invalid })).status).toBe(401);
  });

  it("hold the native protocol's words too for its clients that ask under /v1", async () => {
    for (const name of ["x-goog-api-key", "x-vendory-api-key"]) {
      const headers = { [name]: KEYS.main };
      const { json } = await world.ask("/v1/models", undefined, { key: null, headers });
      const ids = json.data.map(({ id }: { id: string }) => id);
      expect(json.models.map((model: { name: string }) => model.name)).toEqual(
        ids.map((id: string) => `models/${id}`),
      );
      expect((await world.ask("/v1/models/text", undefined, { key: null, headers })).json).toMatchObject({
        id: "text",
        object: "model",
        name: "models/text",
        displayName: "text",
      });
    }
    expect((await world.ask("/v1/models")).json).not.toHaveProperty("models");
  });

  it("are messages-style with x-api-key and the version, in either spelling", async () => {
    for (const version of ["vendorx-version", "anthropic-version"]) {
      const headers = { "x-api-key": KEYS.main, [version]: "2023-06-01" };
      const { json } = await world.ask("/v1/models", undefined, { key: null, headers });
      expect(Object.keys(json)).toEqual(["data", "first_id", "last_id", "has_more"]);
      expect(json.data).toHaveLength(IN_DEFAULT.length);
      expect(json).toMatchObject({
        first_id: json.data[0].id,
        last_id: json.data.at(-1).id,
        has_more: false,
      });
      const one = await world.ask("/v1/models/text", undefined, { key: null, headers });
      expect(one.json).toEqual({
        id: "text",
        type: "model",
        display_name: "text",
        created_at: "2025-07-31T22:13:20Z",
        max_input_tokens: 200_000,
        max_tokens: 32_000,
        input_modalities: ["text", "image", "file", "audio", "video"],
        output_modalities: ["text"],
        supported_endpoint_types: ["oa", "oa-response", "an", "ge"],
      });
    }
    const alone = await world.ask("/v1/models", undefined, {
      key: null,
      headers: { "x-api-key": KEYS.main },
    });
    expect(alone.json).toMatchObject({ success: true, object: "list" });
  });

  it("keep the list envelope for a version beside a bearer key, and add what its SDK reads", async () => {
    const { json } = await world.ask("/v1/models?limit=2", undefined, {
      headers: { "anthropic-version": "2023-06-01" },
    });
    expect(json).toMatchObject({ success: true, object: "list", has_more: true, last_id: json.data[1].id });
    expect(json.data).toHaveLength(2);
    expect(json.data[0]).toMatchObject({
      object: "model",
      owned_by: expect.any(String),
      supported_endpoint_types: expect.any(Array),
      type: "model",
      display_name: json.data[0].id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
  });

  it("page messages-style both ways, and refuse cursors and limits that are none", async () => {
    const list = async (query: string) =>
      world.ask(`/v1/models?${query}`, undefined, { key: null, headers: MESSAGES_HEADERS });
    const whole: string[] = (await list("")).json.data.map((model: { id: string }) => model.id);
    const forward: string[] = [];
    for (let after = ""; ; ) {
      const { json } = await list(`limit=4${after && `&after_id=${encodeURIComponent(after)}`}`);
      forward.push(...json.data.map((model: { id: string }) => model.id));
      if (!json.has_more) break;
      after = json.last_id;
    }
    expect(forward).toEqual(whole);
    const before = await list(`limit=3&before_id=${encodeURIComponent(whole[5] ?? "")}`);
    expect(before.json.data.map((model: { id: string }) => model.id)).toEqual(whole.slice(2, 5));
    expect(before.json.has_more).toBe(true);
    const beyond = await list(`after_id=${encodeURIComponent(whole.at(-1) ?? "")}`);
    expect(beyond.json).toEqual({ data: [], first_id: "", last_id: "", has_more: false });
    for (const query of ["limit=0", "limit=-1", "limit=x", "limit=1.5", "after_id=nonsense"]) {
      const { status, json } = await list(query);
      expect([status, codeIn(json)], query).toEqual([400, "invalid_request"]);
    }
  });

  it("are native-style under /v1beta, with a token while there is more and null at the end", async () => {
    const whole = (await world.ask("/v1beta/models")).json;
    expect(Object.keys(whole)).toEqual(["models", "nextPageToken"]);
    expect(whole.nextPageToken).toBeNull();
    expect(whole.models.find((model: { name: string }) => model.name === "models/text")).toEqual(NATIVE_TEXT);
    for (const { supportedGenerationMethods } of whole.models)
      expect(supportedGenerationMethods).toBeInstanceOf(Array);
    const paged: unknown[] = [];
    for (let token: string | null = ""; token !== null; ) {
      const { json } = await world.ask(`/v1beta/models?pageSize=5${token && `&pageToken=${token}`}`);
      expect(json.models.length).toBeLessThanOrEqual(5);
      paged.push(...json.models);
      token = json.nextPageToken;
    }
    expect(paged).toEqual(whole.models);
    for (const [query, param] of [
      ["pageToken=nonsense", "pageToken"],
      ["pageSize=no", "pageSize"],
    ]) {
      const { status, json } = await world.ask(`/v1beta/models?${query}`);
      expect([status, codeIn(json), json.error.param], query).toEqual([400, "invalid_request", param]);
      expect(json.error.message).toContain(param);
    }
  });

  it("give one native model, and 404 in the native shape for an unknown one", async () => {
    expect((await world.ask("/v1beta/models/text")).json).toEqual(NATIVE_TEXT);
    const { status, json } = await world.ask("/v1beta/models/nonsense");
    expect(status).toBe(404);
    expect(json.error).toMatchObject({ code: 404, reason: "model_not_found", status: "NOT_FOUND" });
  });

  it("never show a price", async () => {
    for (const path of ["/v1/models", "/v1/models/text", "/v1beta/models"])
      expect((await world.ask(path)).text).not.toMatch(/price|cost|usd/i);
  });
});
