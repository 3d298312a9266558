import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withQuery } from "../support/endpoints.ts";
import {
  IMAGE_TASKS,
  IMAGES,
  MEDIA_KEYS,
  type MediaWorld,
  startMediaWorld,
  VIDEOS,
} from "../support/media-world.ts";
import { type RawReply, rawAsk } from "../support/raw-ask.ts";
import { waitFor } from "../support/wait.ts";

type Header = readonly [name: string, value: string];

const ASSETS = "/v1/videoa/asset";
const bearer = (key: string): Header => ["authorization", `Bearer ${key}`];
const CARRIERS: readonly ((key: string) => Header)[] = [
  bearer,
  (key) => ["AUTHORIZATION", `bEaReR ${key}`],
  (key) => ["x-api-key", key],
  (key) => ["x-vendory-api-key", key],
  (key) => ["x-goog-api-key", key],
];

/** How the endpoints of pictures, videos and assets meet HTTP: what holds for text ones in http and credentials. */
describe("the endpoints of pictures, videos and assets", () => {
  let world: MediaWorld;
  let endpoints: { method: "GET" | "POST"; path: string; body?: object; shapeB: boolean }[];
  beforeAll(async () => {
    world = await startMediaWorld();
    const image = { model: "imagegen-2", prompt: "x" };
    const video = { model: "videob-3.0-video", prompt: "x", duration: 2 };
    const asset = { url: "https://x.example/a.png" };
    const imageId = (await world.ask(IMAGES, image)).json.id;
    const videoId = (await world.ask(VIDEOS, video)).json.id;
    const assetId = (await world.ask(`${ASSETS}/create`, asset)).json.result.Id;
    endpoints = [
      { method: "POST", path: IMAGES, body: image, shapeB: true },
      { method: "POST", path: VIDEOS, body: video, shapeB: true },
      { method: "POST", path: `${ASSETS}/create`, body: asset, shapeB: false },
      { method: "GET", path: `${IMAGE_TASKS}/${imageId}`, shapeB: true },
      { method: "GET", path: `${VIDEOS}/${videoId}`, shapeB: true },
      { method: "GET", path: `${ASSETS}/${assetId}`, shapeB: false },
      { method: "GET", path: "/v1/capabilities", shapeB: false },
    ];
  });
  afterAll(() => world.stop());

  const send = (method: string, path: string, headers: readonly Header[], body?: object | string | Buffer) =>
    rawAsk(
      world.url,
      method,
      path,
      headers,
      body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    );
  const submits = () => endpoints.filter(({ method }) => method === "POST");
  const codeOf = ({ json }: RawReply, shapeB: boolean) => (shapeB ? json.code : json.error.code);

  it("take a key in every header and never in the query, and refuse all else in shape A", async () => {
    const expectRefused = ({ status, json }: RawReply, path: string): void => {
      expect(status, path).toBe(401);
      expect(json, path).toEqual({
        error: { message: expect.any(String), type: "gateway_error", param: "", code: "" },
      });
      expect(json.error.message, path).toMatch(/ \(request id: req_[0-9a-f]+\)$/);
    };
    for (const { method, path, body } of endpoints) {
      for (const carry of CARRIERS) {
        expect((await send(method, path, [carry(MEDIA_KEYS.main)], body)).status, path).toBe(200);
        expectRefused(await send(method, path, [carry(MEDIA_KEYS.invalid)], body), path);
      }
      expectRefused(await send(method, path, [], body), path);
      expectRefused(await send(method, withQuery(path, `key=${MEDIA_KEYS.main}`), [], body), path);
      const two = [bearer(MEDIA_KEYS.main), ["x-api-key", MEDIA_KEYS.partner]] as const;
      expectRefused(await send(method, path, two, body), path);
      const beside = [bearer(MEDIA_KEYS.invalid), ["x-api-key", MEDIA_KEYS.main]] as const;
      expect((await send(method, path, beside, body)).status, path).toBe(200);
    }
  });

  it("never pass a caller's key on, nor log it", async () => {
    const journal = JSON.stringify(await world.sandbox.journal());
    expect(journal).toContain("video-submit");
    for (const key of Object.values(MEDIA_KEYS)) {
      expect(journal).not.toContain(key);
      expect(world.gateway.output()).not.toContain(key);
    }
  });

  it("name every request in its answer, and let pages of any origin read answers and errors", async () => {
    const seen = new Set<unknown>();
    for (const { method, path, body } of endpoints) {
      for (const key of [MEDIA_KEYS.main, MEDIA_KEYS.invalid]) {
        const { headers } = await send(method, path, [bearer(key), ["origin", "https://page.example"]], body);
        seen.add(headers["x-request-id"]);
        expect(headers["access-control-allow-origin"], path).toBe("*");
        expect(headers["access-control-allow-credentials"], path).toBeUndefined();
        expect(headers["access-control-expose-headers"], path).toMatch(/x-request-id.*retry-after/);
      }
      const asked = "authorization,idempotency-key";
      const preflight = await send("OPTIONS", path, [
        ["origin", "https://page.example"],
        ["access-control-request-method", method],
        ["access-control-request-headers", asked],
      ]);
      expect(preflight.status, path).toBe(204);
      expect(preflight.headers["access-control-allow-headers"], path).toBe(asked);
      expect(preflight.headers["access-control-allow-methods"], path).toContain(method);
    }
    expect(seen.size).toBe(endpoints.length * 2);
  });

  it("answer HEAD where they answer GET, and wrong methods and unknown paths in shape A as all do", async () => {
    const key = bearer(MEDIA_KEYS.main);
    for (const { method, path } of endpoints) {
      const wrong = await send(method === "GET" ? "DELETE" : "GET", path, [key]);
      expect([wrong.status, wrong.json.error?.code], path).toEqual([405, "method_not_allowed"]);
      expect(wrong.headers.allow, path).toContain(method);
      const head = await send("HEAD", path, [key]);
      expect([head.status, head.text], path).toEqual([method === "GET" ? 200 : 405, ""]);
    }
    for (const path of ["/v1/images/nonsense", "/v2/nonsense", "/v2/videos/generations/a/b"]) {
      const { status, json, headers } = await send("GET", path, [key]);
      expect([status, json.error?.code], path).toEqual([404, "not_found"]);
      expect(json.error.message, path).toContain(`(request id: ${headers["x-request-id"]})`);
    }
  });

  it("take a trailing slash, doubled slashes, any content type and gzip", async () => {
    const key = bearer(MEDIA_KEYS.main);
    for (const { method, path, body } of endpoints) {
      for (const spelt of [`${path}/`, `/${path.replace("/", "//").slice(1)}`])
        expect((await send(method, spelt, [key], body)).status, spelt).toBe(200);
    }
    for (const { path, body } of submits()) {
      const form = await send("POST", path, [key, ["content-type", "text/plain"]], body);
      expect(form.status, path).toBe(200);
      const zipped = gzipSync(JSON.stringify(body));
      expect((await send("POST", path, [key, ["content-encoding", "gzip"]], zipped)).status, path).toBe(200);
    }
  });

  it("refuse other codings with 415, broken and repeated values with 400, bombs with 413, in their shapes", async () => {
    const key = bearer(MEDIA_KEYS.main);
    // Beyond the 64 MB of media, and of assets' much less.
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"url":"'), Buffer.alloc(65 * 1024 * 1024, 97)]));
    for (const { path, shapeB } of submits()) {
      const refusal = async (body: string | Buffer, coding?: string) => {
        const headers = coding === undefined ? [key] : [key, ["content-encoding", coding] as const];
        const reply = await send("POST", path, headers, body);
        if (shapeB)
          expect(reply.json, path).toEqual({ ...reply.json, message: expect.any(String), data: null });
        else expect(reply.json.error.type, path).toBe("gateway_error");
        return [reply.status, codeOf(reply, shapeB)];
      };
      expect(await refusal("{}", "compress"), path).toEqual([415, "unsupported_media_type"]);
      expect(await refusal(bomb, "gzip"), path).toEqual([413, "request_too_large"]);
      for (const body of [
        ...["", "null", "[]", '{"model":"x"', '{"model":"x",}', `{"a":${"[".repeat(70)}${"]".repeat(70)}}`],
        Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
      ])
        expect(await refusal(body), `${path} ${body}`).toEqual([400, "invalid_request"]);
      if (shapeB)
        expect(await refusal('{"model":"imagegen-2","model":"imagegen-2","prompt":"x"}'), path).toEqual([
          400,
          "invalid_request",
        ]);
    }
  });

  it("survive ids that are no ids, leaving upstreams alone", async () => {
    const assetCalls = async () =>
      (await world.sandbox.journal()).filter((line) => String(line["path"]).includes("asset")).length;
    const before = await assetCalls();
    expect(before).toBeGreaterThan(0);
    const ids = [
      "%00",
      "..%2f..%2fetc",
      "%ff%fe",
      "%",
      "a%0d%0ab",
      "x".repeat(9_000),
      "x".repeat(12_000),
      "%F0%9F%92%A9",
      "-1",
    ];
    for (const id of ids) {
      for (const path of [IMAGE_TASKS, VIDEOS]) {
        const { status, json, headers } = await send("GET", `${path}/${id}`, [bearer(MEDIA_KEYS.main)]);
        expect(headers["x-request-id"], id).toMatch(/^req_/);
        expect([400, 404], `${path}/${id}`).toContain(status);
        expect(json.data, `${path}/${id}`).toBeNull();
      }
      const { status, json } = await send("GET", `${ASSETS}/${id}`, [bearer(MEDIA_KEYS.main)]);
      expect([400, 404, 502], id).toContain(status);
      expect(json.error.message, id).toMatch(/\(request id: req_\w+\)$/);
    }
    expect(await assetCalls()).toBe(before);
  });

  it("are counted in /metrics", async () => {
    const { json } = await world.submit({ model: "imagegen-2", prompt: "[[sandbox: takes=600000]]" });
    expect(json.status).toBe("submitted");
    await waitFor("the count of open tasks", async () =>
      /^faregate_tasks_open\{state="\w+"\} [1-9]\d*$/m.test((await send("GET", "/metrics", [])).text),
    );
    expect((await send("GET", "/metrics", [])).text).toMatch(/^faregate_tasks_in_flight \d+$/m);
  });

  it("are each described in /openapi.json with their answers", async () => {
    const { json } = await send("GET", "/openapi.json", []);
    for (const { method, path } of endpoints) {
      const spelt = path.replace(/\/[^/]*-[^/]*$/, "/{id}");
      const operation = json.paths[spelt]?.[method.toLowerCase()];
      expect(Object.keys(operation?.responses ?? {}), spelt).toContain("200");
    }
  });
});
