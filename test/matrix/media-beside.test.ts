import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  IMAGE_TASKS,
  IMAGES,
  MEDIA_KEYS,
  MEDIA_MODELS,
  type MediaWorld,
  startMediaWorld,
  tagged,
  VIDEOS,
} from "../support/media-world.ts";
import { balanceOf, cleanLedger } from "../support/money-books.ts";
import { waitFor } from "../support/wait.ts";
import type { Reply } from "../support/world.ts";

const IMAGE = { model: "imagegen-2", prompt: "a cat" };
const VIDEO = { model: "videob-3.0-video", prompt: "a cat", duration: 2 };

/** What is there for pictures and videos beside the specification, and where they meet the text endpoints. */
describe("pictures and videos", () => {
  let world: MediaWorld;
  beforeAll(async () => {
    world = await startMediaWorld();
  });
  afterAll(() => world.stop());

  const balance = async (name: string): Promise<bigint> => balanceOf(await cleanLedger(world.gateway), name);

  it("are listed with their endpoint, and only what an upstream makes", async () => {
    const { json } = await world.ask("/v1/models");
    const types = Object.fromEntries(
      json.data.map((each: { id: string; supported_endpoint_types: string[] }) => [
        each.id,
        each.supported_endpoint_types,
      ]),
    );
    const { imagegen, ...videos } = MEDIA_MODELS;
    expect(types).toEqual({
      ...Object.fromEntries(imagegen.map((id) => [id, ["image-generation"]])),
      ...Object.fromEntries(Object.values(videos).flatMap((ids) => ids.map((id) => [id, ["oa-video"]]))),
      text: ["oa", "oa-response", "an", "ge"],
    });
  });

  it("are not served on text endpoints, nor text on theirs", async () => {
    const body = { messages: [{ role: "user", content: "x" }], input: "x", max_tokens: 5 };
    for (const path of ["/v1/chat/completions", "/v1/responses", "/v1/messages"]) {
      const { status, json } = await world.ask(path, { ...body, model: "imagegen-2" });
      expect([path, status, json.error.code]).toEqual([path, 400, "unsupported_endpoint"]);
    }
    const { status, json } = await world.ask(VIDEOS, { model: "text", prompt: "x" });
    expect([status, json.code]).toEqual([400, "unsupported_endpoint"]);
  });

  it("tell a key what each of its models takes", async () => {
    const { json } = await world.ask("/v1/capabilities");
    expect(json.data.map(({ id }: { id: string }) => id).sort()).toEqual(
      Object.values(MEDIA_MODELS).flat().sort(),
    );
    const fast = json.data.find(({ id }: { id: string }) => id === "videoa-2.0-fast");
    expect(fast).toMatchObject({
      family: "videoa",
      variant: "2.0-fast",
      medium: "video",
      submit: VIDEOS,
      billed: { per: "second", by: ["720p"] },
      request: { required: ["content"], properties: { resolution: { default: "720p" } } },
    });
    expect((await world.ask("/v1/capabilities", undefined, { key: MEDIA_KEYS.narrow })).json.data).toEqual(
      [],
    );
    expect((await world.ask("/v1/capabilities", undefined, { key: MEDIA_KEYS.invalid })).status).toBe(401);
  });

  it("can be priced by a dry run, which keeps nothing and needs no money", async () => {
    const before = (await world.sandbox.journal()).length;
    const { status, json } = await world.ask(`${VIDEOS}?dry_run=1`, VIDEO, { key: MEDIA_KEYS.poor });
    expect([status, json]).toEqual([
      200,
      {
        object: "dry_run",
        model: VIDEO.model,
        action: "textGenerate",
        fail_reason: "",
        units: { video_seconds: { "1080p": 2 } },
        max_charge_usd: "0.36",
        max_charge_nanos: "360000000",
      },
    ]);
    const image = await world.ask(`${IMAGES}?dry_run=1`, { ...IMAGE, size: "4000x4000" });
    expect(image.json).toMatchObject({ units: { images: { "4k": 1 } }, max_charge_usd: "0.17" });
    const failing = await world.ask(`${VIDEOS}?dry_run=true`, { model: "videoc-H3-Comfy" });
    expect(failing.json.fail_reason).toMatch(/^`prompt` is required/);
    expect((await world.ask(`${VIDEOS}?dry_run=1`, { ...VIDEO, duration: 1 })).json.code).toBe(
      "invalid_request",
    );
    expect((await world.ask(`${VIDEOS}?dry_run=please`, VIDEO)).json.code).toBe("invalid_request");
    expect((await world.sandbox.journal()).length).toBe(before);
  });

  it("are made once for an Idempotency-Key: the same body gives the same task, another one 409", async () => {
    const { tag, prompt } = tagged("a cat");
    const send = (body: object, key: string, caller: string = MEDIA_KEYS.main) =>
      world.ask(IMAGES, body, { headers: { "idempotency-key": key }, key: caller });
    const body = { ...IMAGE, prompt };
    const [first, ...again] = await Promise.all([1, 2, 3].map(() => send(body, "once")));
    expect(first?.status).toBe(200);
    for (const reply of again) expect(reply.json).toEqual(first?.json);
    await world.received(tag);
    const other = await send({ ...body, size: "2:1" }, "once");
    expect([other.status, other.json]).toEqual([
      409,
      { code: "idempotency_conflict", message: expect.any(String), data: null },
    ]);
    const foreign = await send(body, "once", MEDIA_KEYS.partner);
    expect([foreign.status, foreign.json.id === first?.json.id]).toEqual([200, false]);
    const submits = (await world.sandbox.journal()).filter(
      (line) => line["tag"] === tag && line.protocol === "image-submit",
    );
    // The partner's own one may have arrived already.
    expect(submits.length).toBeLessThanOrEqual(2);
    expect((await send(body, "x".repeat(256))).json.code).toBe("invalid_request");
  });

  it("can be waited for: the read is answered when the task is final, or when the time is over", async () => {
    const slow = await world.ask(IMAGES, { ...IMAGE, prompt: "[[sandbox: takes=60000]]" });
    const running = await world.ask(`${IMAGE_TASKS}/${slow.json.id}?wait=0.2`);
    expect(running.json.status).toMatch(/^(NOT_START|SUBMITTED|QUEUED|IN_PROGRESS)$/);
    expect(running.json).toMatchObject({ data: [], fail_reason: "" });
    const quick = await world.ask(IMAGES, IMAGE);
    expect((await world.ask(`${IMAGE_TASKS}/${quick.json.id}?wait=30`)).json.status).toBe("SUCCESS");
    expect((await world.ask(`${IMAGE_TASKS}/${quick.json.id}?wait=soon`)).json.code).toBe("invalid_request");
  });

  it("may name an address to be told at, which must be one", async () => {
    for (const webhook_url of ["ftp://x.example", "x.example", 5, "http://user:pass@x.example"])
      expect((await world.ask(IMAGES, { ...IMAGE, webhook_url })).json.code).toBe("invalid_request");
    expect((await world.ask(IMAGES, { ...IMAGE, webhook_url: null })).json.status).toBe("submitted");
  });

  it("tell another account nothing: of its webhooks, no more than of an unknown task", async () => {
    const webhook_url = "http://127.0.0.1:9/";
    const { json } = await world.submit({ ...VIDEO, resolution: "480P", webhook_url });
    const log = (id: string, key: string) => world.ask(`/v1/webhooks/deliveries/${id}`, undefined, { key });
    await world.final(json.id);
    const own = await waitFor("the log", async () => {
      const reply = await log(json.id, MEDIA_KEYS.main);
      return reply.status === 200 && reply;
    });
    expect(own.json).toMatchObject({ task_id: json.id, url: webhook_url });
    const said = ({ status, json: { error } }: Reply) => [
      status,
      { ...error, message: error.message.replace(/req_\w+/, "") },
    ];
    const unknown = said(await log("task-nonsense", MEDIA_KEYS.main));
    expect(unknown[0]).toBe(404);
    expect(said(await log(json.id, MEDIA_KEYS.partner))).toEqual(unknown);
    const secretOf = async (key: string) =>
      (await world.ask("/v1/webhooks/secret", undefined, { key })).json.secret;
    expect(await secretOf(MEDIA_KEYS.partner)).not.toBe(await secretOf(MEDIA_KEYS.main));
    for (const path of ["/v1/webhooks/secret", `/v1/webhooks/deliveries/${json.id}`])
      expect((await world.ask(path, undefined, { key: MEDIA_KEYS.invalid })).status, path).toBe(401);
  });

  it("cost exactly what they are: the charge of a success, nothing of a failure or a refusal", async () => {
    const key = MEDIA_KEYS.partner;
    const before = await balance("partner");
    const made = await world.submit({ ...VIDEO, resolution: "480P" }, { key });
    expect((await world.final(made.json.id, { key })).status).toBe("SUCCESS");
    const failed = await world.submit({ ...VIDEO, prompt: "[[sandbox: fail=x]]" }, { key });
    expect((await world.final(failed.json.id, { key })).status).toBe("FAILURE");
    const never = await world.submit({ ...VIDEO, seed: "x" }, { key });
    expect((await world.final(never.json.id, { key })).status).toBe("FAILURE");
    await world.submit({ ...VIDEO, duration: 1 }, { key });
    // Two seconds at 0.05, half of it in this group.
    expect(before - (await balance("partner"))).toBe(50_000_000n);
  });

  it("of -1 are charged by the seconds that were made", async () => {
    const key = MEDIA_KEYS.partner;
    const before = await balance("partner");
    const prompt = "[[sandbox: seconds=7]]";
    const { json } = await world.submit({ ...VIDEO, prompt, duration: -1, resolution: "720P" }, { key });
    expect((await world.final(json.id, { key })).status).toBe("SUCCESS");
    expect(before - (await balance("partner"))).toBe((7n * 110_000_000n) / 2n);
  });

  it("take any characters and any JSON, and every task ends", async () => {
    const odd = ["a\u0000b", "\ud800", "\udfff\u{1f600}", "\\u0000", "%00", '"}', "x".repeat(100_000)];
    const ids: string[] = [];
    for (const prompt of odd) {
      const url = `https://x.example/${prompt.slice(0, 50)}`;
      const bodies = [
        { ...IMAGE, prompt, image_urls: [url] },
        { ...VIDEO, prompt, image_urls: [url], seed: prompt },
        {
          model: "videoa-2.0",
          content: [{ type: "text", text: prompt }],
          ratio: prompt,
          tools: [{ type: prompt }],
        },
        { model: "videoc-H3-Comfy", prompt, image_urls: [url], duration: 1e300, __proto__: { x: 1 } },
        { model: "videoa-2.5", content: [{ type: prompt, [prompt]: {}, role: prompt }] },
      ];
      for (const body of bodies) {
        const { status, json } = await world.submit(body);
        expect([status, json.code ?? 200]).toEqual([200, 200]);
        ids.push(json.id);
      }
    }
    for (const id of ids) expect((await world.final(id)).progress).toBe("100%");
  });

  it("keep the price of their submit, whatever becomes of prices while they run", async () => {
    const key = MEDIA_KEYS.partner;
    const file = join(world.gateway.dataDir, "catalog.yaml");
    const text = await readFile(file, "utf8");
    const apply = async (changed: string) => {
      await writeFile(file, changed);
      return world.gateway.run("apply", file);
    };
    const before = await balance("partner");
    const prompt = "[[sandbox: takes=1500]] a cat";
    const { json } = await world.submit({ ...VIDEO, prompt, resolution: "480P" }, { key });
    expect((await apply(text.replaceAll('"480p":0.05', '"480p":5'))).code).toBe(0);
    const pricedAt = (usd: string) =>
      waitFor(`the price ${usd}`, async () => {
        const body = { ...VIDEO, resolution: "480P" };
        return (await world.ask(`${VIDEOS}?dry_run=1`, body)).json.max_charge_usd === usd;
      });
    await pricedAt("10");
    expect((await world.final(json.id, { key })).status).toBe("SUCCESS");
    expect(before - (await balance("partner"))).toBe(50_000_000n);
    const unpriced = await apply(text.replaceAll('"480p":0.05,', ""));
    expect([unpriced.code, unpriced.stderr]).toEqual([
      1,
      expect.stringMatching(/has no price for 480p, which callers can request/),
    ]);
    expect((await apply(text)).code).toBe(0);
    await pricedAt("0.1");
  });

  it("have a receipt each, by the task's id and by its submit's, for the account that paid", async () => {
    const key = MEDIA_KEYS.partner;
    const { json, headers } = await world.submit({ ...VIDEO, resolution: "480P" }, { key });
    await world.final(json.id, { key });
    const read = async (id: string | null, as: string = key) =>
      (await world.ask(`/v1/receipts/${id}`, undefined, { key: as })).json;
    const receipt = await read(json.id);
    expect(receipt).toMatchObject({
      request_id: headers.get("x-request-id"),
      model: VIDEO.model,
      charge_nanos: "50000000",
      task: { id: json.id },
    });
    expect(await read(headers.get("x-request-id"))).toEqual(receipt);
    expect((await read(json.id, MEDIA_KEYS.main)).error.code).toBe("receipt_not_found");
  });

  it("are described by /openapi.json and shown by /docs", async () => {
    const { json } = await world.ask("/openapi.json", undefined, { key: null });
    expect(
      json.paths["/v2/videos/generations"].post.requestBody.content["application/json"].schema.anyOf,
    ).toHaveLength(5);
    expect((await world.ask("/docs/", undefined, { key: null })).status).toBe(200);
  });
});
