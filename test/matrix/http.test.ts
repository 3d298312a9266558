import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BODY_ENDPOINTS,
  CHAT,
  EMBEDDINGS,
  KEYED_ENDPOINTS,
  MESSAGES,
  NATIVE,
  TEXT_ENDPOINTS,
} from "../support/endpoints.ts";
import { type RawReply, rawAsk } from "../support/raw-ask.ts";
import { codeIn, KEYS, startWorld, type World } from "../support/world.ts";

const AUTHORIZED = [["authorization", `Bearer ${KEYS.main}`]] as const;

describe("the HTTP surface", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const raw = (method: string, path: string, body?: object | string | Buffer): Promise<RawReply> =>
    rawAsk(
      world.url,
      method,
      path,
      AUTHORIZED,
      body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    );

  it("takes one trailing slash, doubled slashes and absolute addresses for the same path", async () => {
    for (const path of ["/v1/models/", "//v1//models", "/v1/models//", `${world.url}/v1/models`])
      expect((await raw("GET", path)).json?.object, path).toBe("list");
    for (const path of ["/v1/chat/completions/", "//v1/chat//completions"])
      expect((await raw("POST", path, CHAT.body)).status, path).toBe(200);
    expect((await raw("GET", "/v1beta/models/")).json.models.length).toBeGreaterThan(0);
  });

  it("takes a model id in a path in every spelling", async () => {
    for (const id of ["vendor/odd:name", "vendor%2Fodd%3Aname", "vendor%2fodd%3aname", "vendor/odd%3Aname"]) {
      expect((await raw("GET", `/v1/models/${id}`)).json.id, id).toBe("vendor/odd:name");
      expect((await raw("GET", `/v1beta/models/${id}`)).json.name, id).toBe("models/vendor/odd:name");
      for (const colon of [":", "%3A", "%3a"]) {
        const path = `/v1beta/models/${id}${colon}generateContent`;
        const reply = await raw("POST", path, NATIVE.body);
        expect([reply.status, reply.json.modelVersion], path).toEqual([200, "vendor/odd:name"]);
      }
    }
  });

  it("serves generateContent under /v1 as under /v1beta, errors in the same shape, keys in the query aside", async () => {
    const asked = await raw("POST", "/v1/models/text:generateContent", NATIVE.body);
    const usual = await raw("POST", "/v1beta/models/text:generateContent", NATIVE.body);
    expect([asked.status, asked.json.candidates]).toEqual([200, usual.json.candidates]);
    const unserved = await raw("POST", "/v1/models/text:batchGenerateContent", NATIVE.body);
    expect([unserved.status, codeIn(unserved.json)]).toEqual([404, "unsupported_endpoint"]);
    const plain = await raw("POST", "/v1/models/text", NATIVE.body);
    expect([plain.status, plain.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
    for (const query of ["", `?key=${KEYS.main}`]) {
      const path = `/v1/models/text:streamGenerateContent${query}`;
      const refused = await rawAsk(world.url, "POST", path, [], JSON.stringify(NATIVE.body));
      expect([refused.status, refused.json.error.status], path).toEqual([401, "UNAUTHENTICATED"]);
    }
  });

  it("survives paths that are no text, leaving upstreams alone", async () => {
    const before = (await world.sandbox.journal()).length;
    const long = "x".repeat(5_000);
    for (const id of [
      "%00",
      "..%2f..%2fetc",
      "%ff%fe",
      "%",
      "%zz",
      "a%0d%0ab",
      long,
      "text%20",
      "%F0%9F%92%A9",
    ]) {
      for (const path of [`/v1/models/${id}`, `/v1beta/models/${id}`]) {
        const { status } = await raw("GET", path);
        expect([200, 400, 404], path).toContain(status);
      }
      const { status } = await raw("POST", `/v1beta/models/${id}:generateContent`, NATIVE.body);
      expect([400, 404], id).toContain(status);
    }
    expect(await world.sandbox.journal()).toHaveLength(before);
  });

  it("answers unknown paths 404 and wrong methods 405, in shape A, saying what there is", async () => {
    for (const path of ["/v1", "/v1/nonsense", "/v1beta/nonsense", "/v3/models", "/v1/moderations"]) {
      const { status, json, headers } = await raw("GET", path);
      expect([status, json.error.type, codeIn(json)], path).toEqual([404, "gateway_error", "not_found"]);
      expect(json.error.message).toContain(`(request id: ${headers["x-request-id"]})`);
    }
    for (const [path, near] of [
      ["/chat/completions", "/v1/chat/completions exists: end the client's base URL with /v1."],
      ["/v1/v1/messages", "/v1/messages exists: remove /v1 from the client's base URL."],
      ["/v1/v1beta/models/text:generateContent", "exists: remove /v1 from the client's base URL."],
      ["/operator/nothing", "The API has the same path under /api."],
    ]) {
      const { status, json } = await raw("GET", path ?? "");
      expect([status, json.error.message], path).toEqual([404, expect.stringContaining(near ?? "")]);
    }
    for (const { path, method } of KEYED_ENDPOINTS) {
      const wrong = method === "POST" ? "GET" : "DELETE";
      const plain = path.split("?")[0] ?? path;
      const { status, json, headers } = await raw(wrong, plain);
      expect([status, codeIn(json)], `${wrong} ${plain}`).toEqual([405, "method_not_allowed"]);
      expect(headers.allow, plain).toContain(method);
    }
  });

  it("tells who wants a WebSocket to go on over HTTP, so that no client tries again", async () => {
    const handshake = [
      ...AUTHORIZED,
      ["connection", "Upgrade"],
      ["upgrade", "websocket"],
      ["sec-websocket-version", "13"],
      ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
    ] as const;
    const { status, json, headers } = await rawAsk(world.url, "GET", "/v1/responses", handshake);
    expect([status, codeIn(json)]).toEqual([426, "method_not_allowed"]);
    expect([headers.upgrade, headers.allow]).toEqual(["HTTP/1.1", "POST, OPTIONS"]);
    // Where GET is served, nobody has to accept the wish.
    expect((await rawAsk(world.url, "GET", "/v1/models", handshake)).status).toBe(200);
  });

  it("answers the probes of clients and balancers without a key", async () => {
    const bare = (method: string, path: string) => rawAsk(world.url, method, path, []);
    for (const path of ["/", "/healthz", "/readyz", "/metrics", "/openapi.json"]) {
      expect((await bare("GET", path)).status, path).toBe(200);
      const head = await bare("HEAD", path);
      expect([head.status, head.text], path).toEqual([200, ""]);
    }
    expect((await bare("GET", "/healthz")).json).toEqual({ status: "ok" });
    expect((await bare("GET", "/readyz")).json).toEqual({ status: "ready" });
    const metrics = await bare("GET", "/metrics");
    expect(metrics.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(metrics.text).toMatch(/^# TYPE \w+ counter$/m);
    const docs = await bare("GET", "/docs");
    const page = docs.status === 200 ? docs : await bare("GET", String(docs.headers.location));
    expect(page.text).toMatch(/<html/i);
  });

  it("answers HEAD for every page of the documentation with the head of its GET", async () => {
    for (const path of ["/docs", "/docs/", "/docs/json", "/docs/static/swagger-initializer.js"]) {
      const get = await rawAsk(world.url, "GET", path, []);
      const head = await rawAsk(world.url, "HEAD", path, []);
      expect([head.status, head.text], path).toEqual([get.status, ""]);
      for (const name of ["content-type", "content-length"])
        expect(head.headers[name], `${name} of ${path}`).toBe(get.headers[name]);
      expect(head.headers["x-request-id"], path).toMatch(/^req_/);
    }
  });

  it("shows on the page of documentation what the OpenAPI document says", async () => {
    const [said, shown] = await Promise.all(
      ["/openapi.json", "/docs/json"].map((path) => rawAsk(world.url, "GET", path, [])),
    );
    expect(shown?.json).toEqual(said?.json);
    const yaml = await rawAsk(world.url, "GET", "/docs/yaml", []);
    expect(yaml.text).toMatch(/^openapi: 3\.1/);
  });

  it("describes every endpoint in its OpenAPI document", async () => {
    const { json } = await rawAsk(world.url, "GET", "/openapi.json", []);
    expect(json.openapi).toMatch(/^3\.1/);
    // Classes of Unicode are JavaScript's: a validator written in Python refuses the whole document.
    expect(JSON.stringify(json)).not.toMatch(/\\[pP]\{/);
    const described = Object.keys(json.paths);
    for (const path of [
      "/v1/models",
      "/v1/models/{model}",
      "/v1/chat/completions",
      "/v1/responses",
      "/v1/messages",
      "/v1/embeddings",
      "/v1/rerank",
      "/v1beta/models",
      "/v1beta/models/{model}:generateContent",
      "/v1beta/models/{model}:streamGenerateContent",
      "/v1/receipts/{id}",
    ])
      expect(described, path).toContain(path);
  });

  it("names every request in its answer, twice on messages, and never by the caller's own id", async () => {
    const seen = new Set<string>();
    for (const { method, path, body, name } of KEYED_ENDPOINTS) {
      for (const key of [KEYS.main, KEYS.invalid]) {
        const headers = { "x-request-id": "mine" };
        const reply = await world.ask(path, body, { method, key, headers });
        const id = reply.headers.get("x-request-id") ?? "";
        expect(id, name).toMatch(/^req_[0-9a-f]{16,}$/);
        expect(reply.headers.get("request-id"), name).toBe(path === MESSAGES.path ? id : null);
        seen.add(id);
      }
    }
    expect(seen.size).toBe(KEYED_ENDPOINTS.length * 2);
    for (const path of [
      "/",
      "/healthz",
      "/openapi.json",
      "/docs",
      "/docs/static/swagger-ui.css",
      "/nonsense",
    ]) {
      const reply = await world.ask(path, undefined, { key: null });
      expect(reply.headers.get("x-request-id"), path).toMatch(/^req_[0-9a-f]{16,}$/);
    }
  });

  it("lets pages of any origin read answers and errors, without cookies", async () => {
    const origin = { origin: "https://page.example" };
    for (const { method, path, body } of KEYED_ENDPOINTS) {
      for (const key of [KEYS.main, KEYS.invalid]) {
        const { headers } = await world.ask(path, body, { method, key, headers: origin });
        expect(headers.get("access-control-allow-origin"), path).toBe("*");
        expect(headers.get("access-control-allow-credentials"), path).toBeNull();
        const exposed = headers.get("access-control-expose-headers") ?? "";
        for (const name of [
          "x-request-id",
          "retry-after",
          "x-should-retry",
          "x-faregate-dropped",
          "x-faregate-output-limit",
          "x-ratelimit-limit-requests",
          "x-ratelimit-remaining-tokens",
        ])
          expect(exposed.split(/, */), path).toContain(name);
      }
    }
    const nowhere = await world.ask("/v1/nonsense", undefined, { headers: origin });
    expect([nowhere.status, nowhere.headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
  });

  it("answers preflights without a key, reflecting the headers they ask for", async () => {
    const asked = "authorization,x-stainless-os,anthropic-dangerous-direct-browser-access";
    for (const { path, method } of KEYED_ENDPOINTS) {
      const { status, headers } = await rawAsk(world.url, "OPTIONS", path, [
        ["origin", "https://page.example"],
        ["access-control-request-method", method],
        ["access-control-request-headers", asked],
      ]);
      expect([200, 204], path).toContain(status);
      expect(headers["access-control-allow-origin"], path).toBe("*");
      expect(headers["access-control-allow-methods"], path).toContain(method);
      expect(headers["access-control-allow-headers"], path).toBe(asked);
    }
  });

  it("refuses bodies that are no JSON object, or broken in any way, naming no field", async () => {
    const deep = `${"[".repeat(70)}${"]".repeat(70)}`;
    const broken: [what: string, body: string | Buffer][] = [
      ["nothing", ""],
      ["no JSON", "model=text"],
      ["an array", "[]"],
      ["null", "null"],
      ["cut off", '{"model":"text"'],
      ["a trailing comma", '{"model":"text",}'],
      ["two values", '{"model":"text"} {}'],
      ["too deep", `{"model":"text","messages":${deep}}`],
      ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
      [
        "a lone surrogate in UTF-8",
        Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
      ],
      ["a control character", '{"model":"te\nxt"}'],
    ];
    for (const { path, name } of TEXT_ENDPOINTS) {
      for (const [what, body] of broken) {
        const { status, json } = await raw("POST", path, body);
        expect([status, codeIn(json), json?.error?.type], `${what} on ${name}`).toEqual([
          400,
          "invalid_request",
          "gateway_error",
        ]);
      }
    }
  });

  it("refuses a repeated top-level model, however it is spelt, and no other repeated field", async () => {
    for (const { path, body = {}, name } of BODY_ENDPOINTS) {
      const rest = JSON.stringify(body).slice(1);
      for (const twice of ['"model":"text"', '"mod\\u0065l":"text"', '"model":"chat-only"']) {
        const { status, json } = await raw("POST", path, `{${twice},${rest}`);
        expect([status, codeIn(json), json.error.param], name).toEqual([400, "invalid_request", "model"]);
      }
      expect((await raw("POST", path, `{"user":"a","user":"b",${rest}`)).status, name).toBe(
        path === MESSAGES.path ? 400 : 200,
      );
    }
  });

  it("survives query parameters that are repeated or odd", async () => {
    for (const path of [
      `/v1beta/models?key=${KEYS.main}&key=${KEYS.main}`,
      "/v1beta/models?pageToken=a&pageToken=b",
      "/v1beta/models?pageSize=1&pageSize=2",
      "/v1/models?limit=1&limit=2&after_id=a&after_id=b",
      "/v1/models?%",
      "/v1/models?__proto__=1&constructor=2&limit[]=1",
      "/v1/models?",
    ]) {
      for (const headers of [
        AUTHORIZED,
        [
          ["x-api-key", KEYS.main],
          ["vendorx-version", "1"],
        ] as const,
      ])
        expect([200, 400], path).toContain((await rawAsk(world.url, "GET", path, headers)).status);
    }
    for (const query of ["?beta=true&beta=false", "?alt=sse&alt=json", "?nonsense=1"]) {
      expect((await raw("POST", MESSAGES.path + query, MESSAGES.body)).status, query).toBe(200);
      expect(
        (await raw("POST", `/v1beta/models/text:streamGenerateContent${query}`, NATIVE.body)).status,
      ).toBe(200);
    }
  });

  it("streams a JSON array where generateContent is not asked for events", async () => {
    const { status, headers, json } = await raw(
      "POST",
      "/v1beta/models/text:streamGenerateContent",
      NATIVE.body,
    );
    expect(status).toBe(200);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(Array.isArray(json)).toBe(true);
    expect(json.at(-1).candidates[0].finishReason).toBe("STOP");
  });

  it("keeps whatever may tell of a caller out of stores on the way: answers, errors and the console's", async () => {
    const asked: readonly (readonly [string, string, object | undefined])[] = [
      ...KEYED_ENDPOINTS.map(({ method, path, body }) => [method, path, body] as const),
      ...BODY_ENDPOINTS.map(({ path }) => ["POST", path, {}] as const),
      ["POST", "/v1/images/generations", {}],
      ["GET", "/v1/images/tasks/none", undefined],
      ["GET", "/v1/nonsense", undefined],
      ["GET", "/api/session", undefined],
      ["GET", "/api/nonsense", undefined],
    ];
    for (const [method, path, body] of asked) {
      const { headers } = await raw(method, path, body);
      const isStream = String(headers["content-type"]).startsWith("text/event-stream");
      expect([path, headers["cache-control"]]).toEqual([path, isStream ? "no-cache" : "no-store"]);
    }
  });

  it("lets a connection idle for longer than balancers do, lest they send a request as it closes", async () => {
    const { headers } = await fetch(`${world.url}/healthz`);
    expect(Number(/timeout=(\d+)/.exec(headers.get("keep-alive") ?? "")?.[1])).toBeGreaterThan(600);
  });

  it("gives a whole answer its length, and a stream what keeps proxies from holding it back", async () => {
    const plain = await raw("POST", EMBEDDINGS.path, EMBEDDINGS.body);
    expect(Number(plain.headers["content-length"])).toBe(Buffer.byteLength(plain.text));
    const { headers } = await raw("POST", CHAT.path, { ...CHAT.body, stream: true });
    expect(headers).toMatchObject({
      "content-type": expect.stringMatching(/^text\/event-stream/),
      "cache-control": expect.stringContaining("no-cache"),
      "x-accel-buffering": "no",
    });
  });
});
