import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MEDIA_PRICES, type MediaWorld, startMediaWorld, tagged, VIDEOS } from "../support/media-world.ts";
import { cleanLedger } from "../support/money-books.ts";

type Body = Readonly<Record<string, unknown>>;

const MODEL = "videoc-H3-Comfy";
const urls = (count: number, name = "a"): string[] =>
  Array.from({ length: count }, (_, index) => `https://x.example/${name}${index + 1}`);

/** What is sent where the caller says nothing. */
const DEFAULTS = { model: MODEL, duration: 5, resolution: "768P", aspect_ratio: "9:16", image_urls: urls(1) };

describe("videoc", () => {
  let world: MediaWorld;
  beforeAll(async () => {
    world = await startMediaWorld();
  });
  afterAll(() => world.stop());

  const submit = (more: Body) =>
    world.submit({ model: MODEL, prompt: "a cat", duration: 5, image_urls: urls(1), ...more });
  const sent = async (more: Body): Promise<Body> => {
    const { tag, prompt } = tagged("a cat");
    const { status } = await submit({ prompt, ...more });
    expect(status).toBe(200);
    const { prompt: arrived, ...rest } = await world.received(tag);
    expect(arrived).toBe(prompt);
    return rest;
  };

  it("submits and reads as the specification says, always generate", async () => {
    const { json } = await submit({ duration: 1, resolution: "480P" });
    expect(json).toEqual({
      id: json.id,
      task_id: json.id,
      object: "video",
      model: MODEL,
      status: "queued",
      progress: 0,
      created_at: expect.any(Number),
    });
    expect(await world.final(json.id)).toEqual({
      task_id: json.id,
      action: "generate",
      status: "SUCCESS",
      fail_reason: "",
      progress: "100%",
      submit_time: json.created_at,
      start_time: expect.any(Number),
      finish_time: expect.any(Number),
      data: {
        id: json.id,
        status: "completed",
        progress: 100,
        result: { videos: [{ url: [expect.stringMatching(/^http/)], expires_at: expect.any(Number) }] },
      },
    });
  });

  it("sends every default explicitly", async () => {
    expect(await sent({})).toEqual(DEFAULTS);
    expect(await sent({ resolution: null, aspect_ratio: "", seed: null, audio_urls: [] })).toEqual(DEFAULTS);
  });

  it("sends what is said: the resolution in any case, any other form as a portrait", async () => {
    const said = {
      duration: 15,
      aspect_ratio: "16:9",
      seed: 7,
      audio_urls: urls(3, "s"),
      image_urls: urls(9),
    };
    expect(await sent({ ...said, resolution: "480p" })).toEqual({
      model: MODEL,
      ...said,
      resolution: "480P",
    });
    expect((await sent({ aspect_ratio: "1:1" }))["aspect_ratio"]).toBe("1:1");
    for (const aspect_ratio of ["4:3", "adaptive", 5, {}])
      expect((await sent({ aspect_ratio }))["aspect_ratio"]).toBe("9:16");
  });

  it("ignores pictures beyond 9, sounds beyond 3 and the fields of other families", async () => {
    const more = { image_urls: [...urls(9), "nonsense", 5], audio_urls: [...urls(3, "s"), "nonsense"] };
    expect(await sent(more)).toEqual({ ...DEFAULTS, image_urls: urls(9), audio_urls: urls(3, "s") });
    const foreign = {
      first_frame_image: "x",
      last_frame_image: 5,
      image_with_roles: [{ url: "x", role: "last_frame" }],
      video_urls: ["nonsense"],
    };
    expect(await sent(foreign)).toEqual(DEFAULTS);
  });

  const FAILURES: [title: string, more: Body, reason: RegExp][] = [
    ["no prompt", { prompt: null }, /^`prompt` is required/],
    ["an empty prompt", { prompt: "" }, /^`prompt` is required/],
    ["7,001 characters", { prompt: "x".repeat(7_001) }, /^`prompt` is longer than 7000/],
    ["no duration", { duration: null }, /^`duration` is required/],
    ["duration 0", { duration: 0 }, /^`duration`/],
    ["duration 16", { duration: 16 }, /^`duration`/],
    ["duration -1", { duration: -1 }, /^`duration`/],
    ["duration 2.5", { duration: 2.5 }, /^`duration`/],
    ["a text as duration", { duration: "5" }, /^`duration`/],
    ["2K", { resolution: "2K" }, /^`resolution`/],
    ["1080P", { resolution: "1080P" }, /^`resolution`/],
    ["no picture", { image_urls: null }, /^`image_urls` is required/],
    ["an empty list of pictures", { image_urls: [] }, /^`image_urls` is required/],
    ["a picture in the body", { image_urls: ["data:image/png;base64,AAAA"] }, /^`image_urls\[0\]`/],
    ["an asset", { image_urls: ["asset://asset-1"] }, /^`image_urls\[0\]`/],
    ["a sound that has no address", { audio_urls: ["x.mp3"] }, /^`audio_urls\[0\]`/],
    ["a seed that is no number", { seed: "x" }, /^`seed`/],
  ];
  it.each(FAILURES)("accepts %s, then fails naming the submit", async (_, more, reason) => {
    const { status, json, headers } = await submit(more);
    expect([status, json.status]).toEqual([200, "queued"]);
    const record = await world.final(json.id);
    expect(record).toMatchObject({ status: "FAILURE", action: "generate", data: null, progress: "100%" });
    expect(record.fail_reason).toMatch(reason);
    expect(record.fail_reason.endsWith(` (request id: ${headers.get("x-request-id")})`)).toBe(true);
  });

  it("refuses only a body that is no JSON object and a missing model", async () => {
    const refused = async (body: string) => {
      const { status, json } = await world.ask(VIDEOS, body);
      return [status, json.code, json.data];
    };
    expect(await refused("{")).toEqual([400, "invalid_request", null]);
    expect(await refused('"videoc"')).toEqual([400, "invalid_request", null]);
    expect(await refused("{}")).toEqual([400, "missing_model", null]);
  });

  it("takes bodies of up to 64 MB", async () => {
    const { json } = await submit({ prompt: "x".repeat(40 * 1024 * 1024) });
    expect((await world.final(json.id)).fail_reason).toMatch(/^`prompt` is longer than 7000/);
    const { status, json: large } = await submit({ prompt: "x".repeat(64 * 1024 * 1024) });
    expect([status, large.code, large.data]).toEqual([413, "request_too_large", null]);
  });

  it("holds by the second and the resolution, 768P when omitted", async () => {
    const preview = async (more: Body): Promise<number> =>
      Number(
        (await world.ask(`${VIDEOS}?dry_run=1`, { ...DEFAULTS, prompt: "x", ...more })).json.max_charge_usd,
      );
    const prices = MEDIA_PRICES.videoc;
    expect(await preview({ resolution: null })).toBeCloseTo(5 * prices["768p"], 9);
    expect(await preview({ resolution: "480P", duration: 15 })).toBeCloseTo(15 * prices["480p"], 9);
    expect(await preview({ duration: 99 })).toBeCloseTo(15 * prices["768p"], 9);
  });

  it("leaves a clean ledger", async () => {
    await cleanLedger(world.gateway);
  });
});
