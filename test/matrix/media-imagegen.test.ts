import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IMAGE_SIZES } from "../support/image-sizes.ts";
import {
  IMAGE_TASKS,
  IMAGES,
  MEDIA_KEYS,
  MEDIA_MODELS,
  MEDIA_PRICES,
  type MediaWorld,
  startMediaWorld,
  tagged,
} from "../support/media-world.ts";
import { cleanLedger } from "../support/money-books.ts";

/** A data URL of some size, as the sandbox keeps it. */
function inJournal(url: string): string {
  const sha256 = createHash("sha256").update(url).digest("hex");
  return `${url.slice(0, url.indexOf(",") + 1)}[${url.length} characters, sha256 ${sha256}]`;
}

describe("imagegen", () => {
  let world: MediaWorld;
  beforeAll(async () => {
    world = await startMediaWorld();
  });
  afterAll(() => world.stop());

  const preview = async (body: object) =>
    (await world.ask(`${IMAGES}?dry_run=1`, { model: "imagegen-2", prompt: "x", ...body })).json;

  it("submits and reads as the specification says, down to the fields and their order", async () => {
    const { status, headers, json } = await world.submit({ model: "imagegen-2", prompt: "a cat" });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(json).toEqual({ code: 200, status: "submitted", task_id: json.id, id: json.id });
    const record = await world.final(json.id);
    expect(Object.keys(record)).toEqual(["status", "task_id", "progress", "created", "data", "fail_reason"]);
    expect(record).toEqual({
      status: "SUCCESS",
      task_id: json.id,
      progress: "100%",
      fail_reason: "",
      created: expect.any(Number),
      data: [{ url: expect.stringMatching(/^http/) }],
    });
  });

  it.each(IMAGE_SIZES)("sends $size at $tier as it is and bills the tier", async ({ size, tier }) => {
    const { tag, prompt } = tagged("a cat");
    const { status } = await world.submit({
      model: "imagegen-2",
      prompt,
      size,
      resolution: tier.toUpperCase(),
    });
    expect(status).toBe(200);
    expect(await world.received(tag)).toEqual({ model: "imagegen-2", prompt, size, resolution: tier });
    const { max_charge_usd, units } = await preview({ size, resolution: tier });
    expect([Number(max_charge_usd), units]).toEqual([MEDIA_PRICES.imagegen[tier], { images: { [tier]: 1 } }]);
  });

  it("sends exact pixels and bills them by their number", async () => {
    const tiers = { "1680x944": "1k", "1681x944": "2k", "2560x2048": "2k", "2560x2049": "4k" } as const;
    for (const [size, tier] of Object.entries(tiers)) {
      const { tag, prompt } = tagged("a cat");
      await world.submit({ model: "imagegen-2", prompt, size, resolution: "nonsense" });
      expect(await world.received(tag)).toEqual({ model: "imagegen-2", prompt, size, resolution: tier });
      expect(Number((await preview({ size })).max_charge_usd)).toBe(MEDIA_PRICES.imagegen[tier]);
    }
  });

  it("sends every default explicitly, and high quality for flare and sunburst", async () => {
    for (const model of MEDIA_MODELS.imagegen) {
      const { tag, prompt } = tagged("a cat");
      const empty = { size: null, resolution: "", image_urls: [], quality: "low" };
      await world.submit({ model, prompt, ...empty });
      expect(await world.received(tag)).toEqual({
        model,
        prompt,
        size: "1:1",
        resolution: "1k",
        ...(model === "imagegen-2" ? {} : { quality: "high" }),
      });
    }
  });

  it("names what was sent and goes nowhere, and nothing else", async () => {
    const good = { model: "imagegen-2", prompt: "a cat", size: "1:1", webhook_url: null, user: "u" };
    const told = await world.ask(IMAGES, { ...good, n: 1, mask: "", image: [], background: null });
    expect([told.status, told.headers.get("x-faregate-dropped")]).toEqual([200, null]);
    const more = { output_format: "webp", background: "transparent", seed: 5 };
    for (const path of [IMAGES, `${IMAGES}?dry_run=1`]) {
      const { status, headers } = await world.ask(path, { ...good, ...more });
      expect([status, headers.get("x-faregate-dropped")]).toEqual([200, "output_format, background, seed"]);
    }
    const refused = await world.ask(IMAGES, { ...good, mask: "a.png" });
    expect(refused.json.message).toContain("`mask`");
  });

  it("sends reference pictures of both kinds in order", async () => {
    const { tag, prompt } = tagged("a cat");
    const image_urls = [`${world.sandbox.url}/a.png`, "data:image/png;base64,iVBORw0KGgo="];
    const { json } = await world.submit({ model: "imagegen-2", prompt, image_urls });
    expect(json.status).toBe("submitted");
    expect((await world.received(tag))["image_urls"]).toEqual(image_urls);
  });

  it("sends pictures of many megabytes as they came, and knows their request again by its key", async () => {
    const { tag, prompt } = tagged("a cat, ä 😀");
    const image_urls = [5, 9].map(
      (megabytes) => `data:image/png;base64,${randomBytes(megabytes * 1024 * 1024).toString("base64")}`,
    );
    const body = { model: "imagegen-2", prompt, image_urls };
    const options = { headers: { "idempotency-key": tag } };
    const { json } = await world.submit(body, options);
    expect(json.status).toBe("submitted");
    expect((await world.received(tag))["image_urls"]).toEqual(image_urls.map(inJournal));
    expect((await world.final(json.id)).status).toBe("SUCCESS");
    expect((await world.submit(body, options)).json.id).toBe(json.id);
    const other = await world.submit({ ...body, image_urls: [...image_urls].reverse() }, options);
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    const broken = await world.submit({ ...body, image_urls: [...image_urls, "cat.png"] });
    expect([broken.status, broken.json.code]).toEqual([400, "invalid_request"]);
  });

  it("makes pictures of exactly the pixels asked for", async () => {
    for (const body of [{ size: "21:9" }, { size: "333x217" }]) {
      const { json } = await world.submit({ model: "imagegen-2", prompt: "a cat", ...body });
      const { data } = await world.final(json.id);
      const bytes = Buffer.from(await (await fetch(data[0].url)).arrayBuffer());
      // A PNG's head: signature, then IHDR with width and height.
      expect(bytes.toString("latin1", 1, 4)).toBe("PNG");
      const pixels = `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
      expect(pixels).toBe(body.size === "21:9" ? "1920x816" : "333x217");
    }
  });

  it("refuses in shape B what the specification refuses, with no task and no charge", async () => {
    const good = { model: "imagegen-2", prompt: "a cat" };
    const cases: [body: object | string, status: number, code: string][] = [
      ["{", 400, "invalid_request"],
      ["[]", 400, "invalid_request"],
      [{ prompt: "a cat" }, 400, "missing_model"],
      [{ ...good, model: "" }, 400, "missing_model"],
      [{ ...good, model: 5 }, 400, "invalid_request"],
      [{ ...good, model: "imagegen-3" }, 404, "model_not_found"],
      [{ ...good, model: "imagegen-unserved" }, 404, "model_not_found"],
      [{ ...good, model: "text" }, 400, "unsupported_endpoint"],
      [{ ...good, model: "videob-3.0-video" }, 400, "unsupported_endpoint"],
      [{ model: "imagegen-2" }, 400, "invalid_request"],
      [{ ...good, n: 2 }, 400, "invalid_request"],
      [{ ...good, mask: "https://x.example/mask.png" }, 400, "invalid_request"],
      [{ ...good, image: "data:image/png;base64,AAAA" }, 400, "invalid_request"],
      [{ ...good, prompt: "" }, 400, "invalid_request"],
      [{ ...good, size: "7:5" }, 400, "invalid_request"],
      [{ ...good, resolution: "8k" }, 400, "invalid_request"],
      [{ ...good, image_urls: ["cat.png"] }, 400, "invalid_request"],
    ];
    for (const [body, status, code] of cases) {
      const reply = await world.ask(IMAGES, body);
      expect([body, reply.status, reply.json]).toEqual([
        body,
        status,
        { code, message: expect.not.stringMatching(/request id/), data: null },
      ]);
      expect(reply.headers.get("x-request-id")).toMatch(/^req_/);
    }
  });

  it("answers in shape A without a key, 401, and without money, 403, in that order of the checks", async () => {
    const invalid = await world.ask(IMAGES, "{", { key: MEDIA_KEYS.invalid });
    expect([invalid.status, invalid.json.error]).toMatchObject([401, { type: "gateway_error", code: "" }]);
    const poor = await world.submit({ model: "imagegen-2", prompt: "x" }, { key: MEDIA_KEYS.poor });
    expect([poor.status, poor.json.error.code]).toEqual([403, "insufficient_user_quota"]);
    expect(poor.json.error.message).toMatch(/\(request id: req_\w+\)$/);
    const both = await world.submit({ model: "imagegen-2" }, { key: MEDIA_KEYS.poor });
    expect([both.status, both.json.code]).toEqual([400, "invalid_request"]);
    const forbidden = await world.submit({ model: "imagegen-2", prompt: "x" }, { key: MEDIA_KEYS.narrow });
    expect([forbidden.status, forbidden.json.code]).toEqual([404, "model_not_found"]);
  });

  it("fails a task with the upstream's reason, without a link", async () => {
    const { json } = await world.submit({ model: "imagegen-2", prompt: '[[sandbox: fail="no cats"]]' });
    expect(await world.final(json.id)).toEqual({
      status: "FAILED",
      task_id: json.id,
      progress: "100%",
      created: expect.any(Number),
      data: [],
      fail_reason: expect.stringContaining("no cats"),
    });
  });

  it("shows a task to every key of its account and to nobody else", async () => {
    const { json } = await world.submit({ model: "imagegen-2", prompt: "x" });
    const read = (id: string, key: string) => world.ask(`${IMAGE_TASKS}/${id}`, undefined, { key });
    expect((await read(json.id, MEDIA_KEYS.narrow)).json.task_id).toBe(json.id);
    for (const [id, key] of [
      [json.id, MEDIA_KEYS.partner],
      ["task-nonsense", MEDIA_KEYS.main],
      ["%00", MEDIA_KEYS.main],
    ] as const) {
      const { status, json: unknown } = await read(id, key);
      expect([status, unknown]).toEqual([
        400,
        { code: "task_not_exist", message: "task_not_exist", data: null },
      ]);
    }
    expect((await world.ask(`/v2/videos/generations/${json.id}`)).json.code).toBe("task_not_exist");
    expect((await read(json.id, MEDIA_KEYS.invalid)).status).toBe(401);
  });

  it("leaves a clean ledger", async () => {
    await cleanLedger(world.gateway);
  });
});
