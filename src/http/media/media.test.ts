import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MediaServer, MODELS, NOW, startMediaServer } from "../../../test/support/media-server.ts";
import { GatewayError } from "../../errors.ts";
import { familyOf } from "../../families/table.ts";
import type { Task } from "../../tasks/tasks.ts";

const IMAGES = "/v1/images/generations";
const VIDEOS = "/v2/videos/generations";
const IMAGE = { model: "imagegen-2", prompt: "a cat" };
const VIDEO = { model: "videob-3.0-video", prompt: "a cat", duration: 5 };

let server: MediaServer;
let tasks: MediaServer["tasks"];
let ask: MediaServer["ask"];

beforeEach(async () => {
  server = await startMediaServer();
  ({ tasks, ask } = server);
});
afterEach(() => server.close());

describe("a submit", () => {
  it("answers with the specification's fields", async () => {
    expect(await ask(IMAGES, IMAGE)).toMatchObject({
      status: 200,
      json: { code: 200, status: "submitted", task_id: "task-1", id: "task-1" },
    });
    const { json } = await ask(VIDEOS, VIDEO);
    expect(Object.keys(json)).toEqual([
      ...["id", "task_id", "object", "model", "status", "progress", "created_at"],
    ]);
    expect(json).toEqual({
      id: "task-2",
      task_id: "task-2",
      object: "video",
      model: VIDEO.model,
      status: "queued",
      progress: 0,
      created_at: NOW,
    });
  });

  it("is refused in the order of the specification, in the shapes of the specification", async () => {
    const b = (code: string) => ({ code, message: expect.any(String), data: null });
    const cases: [url: string, body: object | string, status: number, json: object][] = [
      [IMAGES, "[]", 400, b("invalid_request")],
      [IMAGES, "", 400, b("invalid_request")],
      [VIDEOS, "{", 400, b("invalid_request")],
      [VIDEOS, '{"model":"x","model":"y"}', 400, b("invalid_request")],
      [VIDEOS, {}, 400, b("missing_model")],
      [IMAGES, { model: null }, 400, b("missing_model")],
      [VIDEOS, { model: "" }, 400, b("missing_model")],
      [VIDEOS, { model: 5 }, 400, b("invalid_request")],
      [VIDEOS, { model: "nonsense" }, 404, b("model_not_found")],
      [VIDEOS, { model: "text" }, 400, b("unsupported_endpoint")],
      [VIDEOS, IMAGE, 400, b("unsupported_endpoint")],
      [IMAGES, VIDEO, 400, b("unsupported_endpoint")],
      [IMAGES, { model: "imagegen-2" }, 400, b("invalid_request")],
      [VIDEOS, { ...VIDEO, duration: 31 }, 400, b("invalid_request")],
      [
        VIDEOS,
        { model: "videoa-2.5", content: [{ type: "text", text: "x" }], duration: 0 },
        400,
        b("invalid_duration"),
      ],
    ];
    for (const [url, body, status, json] of cases)
      expect([body, await ask(url, body)]).toMatchObject([body, { status, json }]);
    expect(tasks.submitted).toEqual([]);
    const invalidKey = await ask(VIDEOS, "{", { authorization: "Bearer sk-none" });
    expect(invalidKey).toMatchObject({ status: 401, json: { error: { code: "", type: "gateway_error" } } });
  });

  it("is refused before it is parsed when it has more values than any request has", async () => {
    const many = (count: number) => `{"model":"videoc-H3-Comfy","x":[${"{},".repeat(count)}[1]]}`;
    expect((await ask(VIDEOS, many(90_000))).status).toBe(200);
    expect(await ask(VIDEOS, many(100_000))).toMatchObject({
      status: 400,
      json: { code: "invalid_request" },
    });
    expect((await ask(VIDEOS, many(5_000_000))).json.message).toMatch(
      /^The body has more than 100000 values/,
    );
  });

  it("passes on what the engine refuses: quota in shape A, saturation in shape B with Retry-After", async () => {
    tasks.refuse(new GatewayError("insufficient_user_quota", "No money."));
    const quota = await ask(IMAGES, IMAGE);
    expect(quota).toMatchObject({ status: 403, json: { error: { code: "insufficient_user_quota" } } });
    expect(quota.json.error.message).toMatch(/\(request id: req_\w+\)$/);
    tasks.refuse(new GatewayError("rate_limit_exceeded", "Later.", { retryAfterSeconds: 7 }));
    const later = await ask(VIDEOS, VIDEO);
    expect(later.json).toEqual({ code: "rate_limit_exceeded", message: "Later.", data: null });
    expect([later.status, later.headers.get("retry-after")]).toEqual([429, "7"]);
  });

  it("is accepted although its task must fail, and says so to the engine", async () => {
    const { status } = await ask(VIDEOS, { model: "videoc-H3-Comfy" });
    expect(status).toBe(200);
    expect(tasks.submitted[0]?.submission.violation).toMatch(/^`prompt` is required/);
  });

  it("with dry_run tells the most it can cost, and makes no task", async () => {
    const { status, json } = await ask(`${VIDEOS}?dry_run=1`, { ...VIDEO, seed: "x" });
    expect([status, json]).toEqual([
      200,
      {
        object: "dry_run",
        model: VIDEO.model,
        action: "textGenerate",
        units: { video_seconds: { "1080p": 5 } },
        max_charge_usd: "1.5",
        max_charge_nanos: "1500000000",
        fail_reason: '`seed` must be a whole number from 0 to 2147483647, not "x".',
      },
    ]);
    expect((await ask(`${VIDEOS}?dry_run=1`, { ...VIDEO, duration: 1 })).status).toBe(400);
    expect((await ask(`${VIDEOS}?dry_run=yes`, VIDEO)).json.code).toBe("invalid_request");
    expect(tasks.submitted).toEqual([]);
    expect((await ask(`${VIDEOS}?dry_run=0`, VIDEO)).json.status).toBe("queued");
  });

  it("hands the engine Idempotency-Key with the body's digest, and the webhook's address", async () => {
    const send = (body: object, key: string) => ask(IMAGES, body, { "idempotency-key": key });
    await send(IMAGE, "k1");
    await send({ ...IMAGE, webhook_url: "HTTPS://hooks.example/a b" }, "k1");
    await send(IMAGE, "k1");
    const [first, second, third] = tasks.submitted.map(({ idempotency }) => idempotency);
    expect(first).toEqual({ key: "k1", bodyDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(third).toEqual(first);
    expect(second?.bodyDigest).not.toBe(first?.bodyDigest);
    expect(tasks.submitted[1]?.webhookUrl).toBe("https://hooks.example/a%20b");
    expect(await send(IMAGE, "x".repeat(256))).toMatchObject({ status: 400 });
    for (const webhook_url of [
      "ftp://x",
      "hooks.example",
      5,
      {},
      "http://u:p@x",
      `http://x/${"y".repeat(2_048)}`,
    ])
      expect(await ask(IMAGES, { ...IMAGE, webhook_url })).toMatchObject({
        status: 400,
        json: { code: "invalid_request", message: expect.stringContaining("webhook_url") },
      });
    expect(await ask(IMAGES, { ...IMAGE, webhook_url: "" })).toMatchObject({ status: 200 });
  });
});

describe("an image's task", () => {
  it("is the specification's record in every state", async () => {
    await ask(IMAGES, IMAGE);
    const read = async () => (await ask("/v1/images/tasks/task-1")).json;
    const record = { task_id: "task-1", created: NOW, data: [], fail_reason: "" };
    expect(await read()).toEqual({ ...record, status: "NOT_START", progress: "0%" });
    expect(Object.keys(await read())).toEqual([
      "status",
      "task_id",
      "progress",
      "created",
      "data",
      "fail_reason",
    ]);
    tasks.move("task-1", { state: "IN_PROGRESS", progressPercent: 40 });
    expect(await read()).toEqual({ ...record, status: "IN_PROGRESS", progress: "40%" });
    const result = { outputs: [{ url: "https://x.example/1.png", expiresAt: 5 }] };
    tasks.move("task-1", { state: "SUCCESS", progressPercent: 100, result });
    expect(await read()).toEqual({
      ...record,
      status: "SUCCESS",
      progress: "100%",
      data: [{ url: "https://x.example/1.png" }],
    });
    tasks.move("task-1", { state: "FAILURE", failReason: "no cats", result });
    expect(await read()).toEqual({ ...record, status: "FAILED", progress: "100%", fail_reason: "no cats" });
  });
});

describe("a video's task", () => {
  const outputs = [{ url: "https://x.example/1.mp4", expiresAt: NOW + 50 }];
  const submitAnd = async (body: object, changes: Partial<Task>) => {
    const { json } = await ask(VIDEOS, body);
    tasks.move(json.id, { progressPercent: 100, startTime: NOW + 1, finishTime: NOW + 9, ...changes });
    return (await ask(`${VIDEOS}/${json.id}`)).json;
  };

  it("is the specification's record in every state", async () => {
    const { json } = await ask(VIDEOS, VIDEO);
    const record = (await ask(`${VIDEOS}/${json.id}`)).json;
    expect(Object.entries(record)).toEqual([
      ["task_id", "task-1"],
      ["action", "textGenerate"],
      ["status", "NOT_START"],
      ["fail_reason", ""],
      ["submit_time", NOW],
      ["start_time", 0],
      ["finish_time", 0],
      ["progress", "0%"],
      ["data", null],
    ]);
    for (const state of ["SUBMITTED", "QUEUED", "IN_PROGRESS"] as const) {
      tasks.move("task-1", { state, progressPercent: 30 });
      expect((await ask(`${VIDEOS}/task-1`)).json).toEqual({ ...record, status: state, progress: "30%" });
    }
  });

  it("shows a result of videob and videoc in their layout, with our id and an expiry", async () => {
    const data = { status: "completed", progress: 100 };
    expect(await submitAnd(VIDEO, { state: "SUCCESS", result: { outputs } })).toMatchObject({
      status: "SUCCESS",
      submit_time: NOW,
      start_time: NOW + 1,
      finish_time: NOW + 9,
      data: {
        ...data,
        id: "task-1",
        result: { videos: [{ url: ["https://x.example/1.mp4"], expires_at: NOW + 50 }] },
      },
    });
    const videoc = {
      model: "videoc-H3-Comfy",
      prompt: "x",
      duration: 5,
      image_urls: ["https://x.example/i"],
    };
    const silent = { outputs: [{ url: "https://x.example/2.mp4" }], layout: "ark" as const };
    expect((await submitAnd(videoc, { state: "SUCCESS", result: silent })).data).toEqual({
      ...data,
      id: "task-2",
      result: { videos: [{ url: ["https://x.example/2.mp4"], expires_at: NOW + 9 + 86_400 }] },
    });
  });

  it("shows a result of videoa in its layout, the upstream's own beside it where that is ark's", async () => {
    const body = { model: "videoa-2.0", content: [{ type: "text", text: "x" }] };
    const result = { outputs, usage: { completion_tokens: 7 }, lastFrameUrl: "https://x.example/last.png" };
    const task = {
      id: "task-1",
      status: "succeeded",
      model: "videoa-2.0",
      outputs: ["https://x.example/1.mp4"],
      usage: { completion_tokens: 7 },
      last_frame_url: "https://x.example/last.png",
    };
    expect((await submitAnd(body, { state: "SUCCESS", result })).data).toEqual({ task });
    const ark = await submitAnd(body, { state: "SUCCESS", result: { ...result, layout: "ark" } });
    expect(ark.data).toEqual({
      task: { ...task, id: "task-2" },
      content: { video_url: "https://x.example/1.mp4", last_frame_url: "https://x.example/last.png" },
    });
    const plain = await submitAnd(body, { state: "SUCCESS", result: { outputs } });
    expect(plain.data).toEqual({
      task: { id: "task-3", status: "succeeded", model: "videoa-2.0", outputs: task.outputs, usage: {} },
    });
  });

  it("that failed has no data, and names its submit where the family does", async () => {
    const failed = { state: "FAILURE", failReason: "moderated", result: { outputs } } as const;
    const videob = await submitAnd(VIDEO, failed);
    const { requestId: id } = tasks.submitted[0] ?? {};
    expect(videob).toMatchObject({ status: "FAILURE", data: null, finish_time: NOW + 9 });
    expect(videob.fail_reason).toBe(`moderated (request id: ${id})`);
    const videoa = await submitAnd({ model: "videoa-2.0", content: [{ type: "text", text: "x" }] }, failed);
    expect(videoa.fail_reason).toBe("moderated");
  });
});

describe("a read", () => {
  it("knows nothing of other accounts' tasks, of the other medium's and of nonsense", async () => {
    await ask(VIDEOS, VIDEO);
    await ask(IMAGES, IMAGE);
    const unknown = { status: 400, json: { code: "task_not_exist", message: "task_not_exist", data: null } };
    const foreign = { authorization: "Bearer sk-two" };
    expect(await ask(`${VIDEOS}/task-1`, undefined, foreign)).toMatchObject(unknown);
    expect(await ask("/v1/images/tasks/task-2", undefined, foreign)).toMatchObject(unknown);
    expect(await ask("/v1/images/tasks/task-1")).toMatchObject(unknown);
    expect(await ask(`${VIDEOS}/task-2`)).toMatchObject(unknown);
    for (const id of ["nonsense", "%00", "a%2Fb", "x".repeat(101)])
      expect(await ask(`${VIDEOS}/${id}`)).toMatchObject(unknown);
    expect(await ask(`${VIDEOS}/task-1`, undefined, { authorization: "" })).toMatchObject({ status: 401 });
  });

  it("waits as long as it is told, a minute at most", async () => {
    await ask(VIDEOS, VIDEO);
    for (const wait of ["", "?wait=", "?wait=0", "?wait=30", "?wait=1.5", "?wait=600"])
      expect((await ask(`${VIDEOS}/task-1${wait}`)).status).toBe(200);
    expect(tasks.waits).toEqual([0, 0, 0, 30_000, 1_500, 60_000]);
    for (const wait of ["-1", "x", "1e3", "Infinity"])
      expect(await ask(`${VIDEOS}/task-1?wait=${wait}`)).toMatchObject({
        status: 400,
        json: { code: "invalid_request" },
      });
  });
});

describe("a read that waits", () => {
  it("is answered with the state of the moment when the gateway stops", async () => {
    const { json } = await ask(VIDEOS, VIDEO);
    const find = tasks.api.find.bind(tasks.api);
    tasks.api.find = (account, medium, id, waitMs = 0) => {
      if (waitMs === 0) return find(account, medium, id);
      setImmediate(() => server.stopping.abort());
      return new Promise(() => undefined);
    };
    expect((await ask(`${VIDEOS}/${json.id}?wait=60`)).json.status).toBe("NOT_START");
    expect((await ask(`${VIDEOS}/${json.id}?wait=60`)).json.status).toBe("NOT_START");
  });
});

describe("capabilities", () => {
  it("tell of every media model what its family's table says", async () => {
    const { json } = await ask("/v1/capabilities");
    expect(json.object).toBe("list");
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual(MODELS.slice(1).map(({ id }) => id));
    for (const each of json.data) {
      const family = familyOf(each.family);
      const names = Object.keys(family?.fields({ id: each.id, variant: null }) ?? {});
      expect(Object.keys(each.request.properties)).toEqual(expect.arrayContaining(names));
      expect(each.billed.by).toEqual(family?.priceWords({ id: each.id, variant: null }));
    }
    const videoa = json.data.find(({ id }: { id: string }) => id === "videoa-2.5");
    expect(videoa).toMatchObject({ variant: "2.5", limits: { longest_seconds: 30, reference_images: 30 } });
    expect(videoa.request.properties.ratio).toMatchObject({ default: "adaptive" });
    expect(JSON.stringify(json)).not.toMatch(/usd|price/i);
  });
});
