import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../support/wait.ts";
import { KEYS, type Reply, startWorld, type World } from "../support/world.ts";

const CALL = "request refused";
const CONSOLE = "console request refused";
const NOWHERE = "request refused: unknown endpoint or invalid HTTP";

interface Case {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  /** Omitted: the main key; null = none. */
  readonly key?: string | null;
  /** What the line says beside what all lines say. */
  readonly line: object;
  readonly sentence?: string;
}

const known = { account: "acme", keyName: "main", keyId: expect.stringMatching(/^\d+$/) };
const CHAT = { messages: [{ role: "user", content: "Hi" }] };

const CASES: readonly Case[] = [
  {
    ...{ method: "POST", path: "/v1/chat/completions", body: { ...CHAT, model: "none" } },
    line: {
      ...known,
      route: "POST /v1/chat/completions",
      errorCode: "model_not_found",
      model: null,
      param: "model",
    },
  },
  {
    ...{ method: "POST", path: "/v1/chat/completions", body: { ...CHAT, model: "text", n: "two" } },
    line: { ...known, errorCode: "invalid_request", model: "text", param: "n" },
  },
  {
    ...{ method: "POST", path: "/v1/messages/count_tokens", body: { model: "none", messages: [] } },
    line: { ...known, route: "POST /v1/messages/count_tokens" },
  },
  {
    ...{ method: "POST", path: "/v1/images/generations", body: { model: "none", prompt: "A cat" } },
    line: { ...known, route: "POST /v1/images/generations", errorCode: "model_not_found" },
  },
  {
    ...{ method: "POST", path: "/v1/images/generations", body: {}, key: KEYS.invalid },
    line: { route: "POST /v1/images/generations", status: 401, errorCode: "invalid_api_key" },
  },
  {
    ...{ method: "POST", path: "/v2/videos/generations", body: { prompt: "A cat" } },
    line: {
      ...known,
      route: "POST /v2/videos/generations",
      errorCode: "missing_media_model",
      param: "model",
    },
  },
  {
    ...{ method: "GET", path: "/v1/images/tasks/img-unknown" },
    line: { ...known, route: "GET /v1/images/tasks/:id", errorCode: "task_not_exist" },
  },
  {
    ...{ method: "GET", path: "/v2/videos/generations/vid-unknown" },
    line: { ...known, route: "GET /v2/videos/generations/:id" },
  },
  {
    ...{ method: "POST", path: "/v1/videoa/asset/create", body: {} },
    line: { ...known, route: "POST /v1/videoa/asset/create" },
  },
  {
    ...{ method: "GET", path: "/v1/videoa/asset/none" },
    line: { ...known, level: "warn", route: "GET /v1/videoa/asset/:id", errorCode: "asset_get_failed" },
    sentence: "request failed",
  },
  {
    ...{ method: "GET", path: "/v1/receipts/req_0" },
    line: { ...known, route: "GET /v1/receipts/:id", status: 404, errorCode: "receipt_not_found" },
  },
  { method: "GET", path: "/v1/responses/resp_none", line: { ...known, route: "GET /v1/responses/:id" } },
  {
    ...{ method: "GET", path: `/v1beta/models/none?key=${KEYS.main}`, key: null },
    line: { ...known, route: "GET /v1beta/models/*", errorCode: "model_not_found" },
  },
  { method: "GET", path: "/v1/models", key: null, line: { route: "GET /v1/models", status: 401 } },
  {
    ...{ method: "GET", path: "/api/accounts/1/keys", key: null },
    line: { route: "GET /api/accounts/:account/keys", status: 401, errorCode: "not_signed_in" },
    sentence: CONSOLE,
  },
  {
    ...{ method: "GET", path: `/no/such/path?key=${KEYS.main}` },
    line: { route: "GET /no/such/path", status: 404, errorCode: "not_found" },
    sentence: NOWHERE,
  },
  {
    ...{ method: "POST", path: `/v1/v1/chat/completions/${KEYS.main}`, body: CHAT },
    line: { route: "POST /v1/v1/chat/completions/*", status: 404, errorCode: "not_found" },
    sentence: NOWHERE,
  },
];

describe("a refused request's line in the operator's log", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const lines = (): Record<string, unknown>[] =>
    world.gateway
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const lineOf = (reply: Reply): Promise<Record<string, unknown>[]> =>
    waitFor("its line", () => {
      const id = reply.headers.get("x-request-id");
      const found = lines().filter(({ requestId }) => requestId === id);
      return found.length > 0 ? found : undefined;
    });

  it.each(CASES)("says who was refused what, once: $method $path", async (each) => {
    const { method, path, body, key = KEYS.main, line, sentence = CALL } = each;
    const reply = await world.ask(path, body, { method, key });
    expect(reply.status, reply.text).toBeGreaterThanOrEqual(400);
    expect(await lineOf(reply)).toEqual([
      expect.objectContaining({ level: "info", msg: sentence, status: reply.status, ...line }),
    ]);
  });

  it("is there for what is no HTTP, too", async () => {
    const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
    socket.end("this is no HTTP\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += chunk;
    const [, id] = /x-request-id: (\S+)/i.exec(text) ?? [];
    const line = await waitFor("its line", () => lines().find(({ requestId }) => requestId === id));
    expect(line).toMatchObject({ msg: NOWHERE, status: 400, errorCode: "invalid_request" });
  });

  it("holds no key, and none of the caller's words beyond the names of fields", async () => {
    const long = "x".repeat(5_000);
    const reply = await world.ask("/v1/chat/completions", { ...CHAT, model: `secret-${long}` });
    const text = JSON.stringify(await lineOf(reply));
    expect(text).not.toContain("secret-");
    for (const key of Object.values(KEYS)) expect(world.gateway.output()).not.toContain(key);
  });

  it("is left out beyond thirty a minute, without taking the place of others", async () => {
    for (let asked = 0; asked < 60; asked += 1)
      await world.ask("/api/accounts/1/keys", undefined, { key: null });
    for (let asked = 0; asked < 60; asked += 1) await world.ask(`/no/such/path/${asked}`);
    const reply = await world.ask("/v2/videos/generations/vid-late");
    expect(await lineOf(reply)).toMatchObject([{ msg: CALL, account: "acme" }]);
    for (const sentence of [CONSOLE, NOWHERE])
      expect(lines().filter(({ msg, leftOut }) => msg === sentence && leftOut === undefined).length).toBe(30);
  });
});
