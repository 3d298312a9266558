import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  MEDIA_KEYS,
  MEDIA_MODELS,
  MEDIA_PRICES,
  type MediaWorld,
  startMediaWorld,
  tagged,
  VIDEOS,
} from "../support/media-world.ts";
import { cleanLedger } from "../support/money-books.ts";

type Body = Readonly<Record<string, unknown>>;

const MODEL = "videob-3.0-video";
const url = (name: string): string => `https://x.example/${name}`;
const urls = (count: number, name = "a"): string[] =>
  Array.from({ length: count }, (_, index) => url(`${name}${index + 1}`));
const role = (name: string): Body => ({ url: url("r"), role: name });

/** What is sent where the caller says nothing. */
const DEFAULTS = { duration: 5, resolution: "1080P", size: "adaptive", audio: true, watermark: false };

describe("videob", () => {
  let world: MediaWorld;
  beforeAll(async () => {
    world = await startMediaWorld();
  });
  afterAll(() => world.stop());

  const submit = (more: Body, model: string = MODEL) =>
    world.submit({ model, prompt: "a cat", duration: 5, ...more });
  /** What the upstream got, less the prompt. */
  const sent = async (more: Body, model: string = MODEL): Promise<Body> => {
    const { tag, prompt } = tagged("a cat");
    const { status, json } = await submit({ prompt, ...more }, model);
    expect([status, json.status]).toEqual([200, "queued"]);
    const { prompt: arrived, ...rest } = await world.received(tag);
    expect(arrived).toBe(prompt);
    return rest;
  };

  it("submits and reads as the specification says, down to the fields and their order", async () => {
    const { json } = await submit({ duration: 2, resolution: "480p" });
    expect(json).toEqual({
      id: json.id,
      task_id: json.id,
      object: "video",
      model: MODEL,
      status: "queued",
      progress: 0,
      created_at: expect.any(Number),
    });
    const record = await world.final(json.id);
    expect(Object.entries(record)).toEqual([
      ["task_id", json.id],
      ["action", "textGenerate"],
      ["status", "SUCCESS"],
      ["fail_reason", ""],
      ["submit_time", json.created_at],
      ["start_time", expect.any(Number)],
      ["finish_time", expect.any(Number)],
      ["progress", "100%"],
      [
        "data",
        {
          id: json.id,
          status: "completed",
          progress: 100,
          result: { videos: [{ url: [expect.stringMatching(/^http/)], expires_at: expect.any(Number) }] },
        },
      ],
    ]);
    expect(record.data.result.videos[0].expires_at).toBeGreaterThan(record.finish_time);
  });

  it("sends every default explicitly, alike for prime", async () => {
    for (const model of MEDIA_MODELS.videob) {
      expect(await sent({}, model)).toEqual({ model, ...DEFAULTS });
      const nothing = { resolution: "", size: null, audio: null, seed: "", image_urls: [], file_url: "" };
      expect(await sent(nothing, model)).toEqual({ model, ...DEFAULTS });
    }
  });

  it("sends what is said: the resolution in any case, size before aspect_ratio", async () => {
    const said = { duration: -1, audio: false, watermark: true, seed: 2_147_483_647, prompt_extend: false };
    const given = { ...said, resolution: "720p", size: "21:9", aspect_ratio: "1:1" };
    expect(await sent(given)).toEqual({ model: MODEL, ...said, resolution: "720P", size: "21:9" });
    for (const ratio of ["adaptive", "16:9", "4:3", "1:1", "3:4", "9:16", "21:9"]) {
      expect((await sent({ aspect_ratio: ratio }))["size"]).toBe(ratio);
      expect((await sent({ size: ratio }))["size"]).toBe(ratio);
    }
    for (const resolution of ["480P", "480p", "1080P", "1080p"])
      expect((await sent({ resolution }))["resolution"]).toBe(resolution.toUpperCase());
    for (const duration of [2, 30]) expect((await sent({ duration }))["duration"]).toBe(duration);
  });

  it("cuts the prompt at 20,000 characters", async () => {
    const { tag, prompt } = tagged("a cat");
    const { status } = await submit({ prompt: prompt + "😀".repeat(20_000) });
    expect(status).toBe(200);
    // The sandbox refuses a longer one; its journal shows the beginning.
    expect((await world.received(tag))["prompt"]).toMatch(/^a cat /);
    expect(
      (await world.final((await submit({ prompt: "x".repeat(30_000), duration: 2 })).json.id)).status,
    ).toBe("SUCCESS");
  });

  it("decides the purpose of image_urls in the specification's order", async () => {
    const first = { url: url("a1"), role: "first_frame" };
    const last = { url: url("a2"), role: "last_frame" };
    const references = urls(2).map((each) => ({ url: each, role: "reference_image" }));
    const two = { image_urls: urls(2) };
    const cases: [Body, Body][] = [
      [{ image_urls: urls(1) }, { image_with_roles: [first] }],
      [two, { image_with_roles: [first, last] }],
      [{ ...two, generation_type: "frame" }, { image_with_roles: [first, last] }],
      [{ ...two, generation_type: "reference" }, { image_with_roles: references }],
      [
        { ...two, video_urls: urls(1, "v") },
        { image_with_roles: references, video_urls: urls(1, "v") },
      ],
      [
        { ...two, audio_urls: urls(1, "s") },
        { image_with_roles: references, audio_urls: urls(1, "s") },
      ],
      [
        { ...two, file_url: url("f.pdf") },
        { image_with_roles: references, file_url: url("f.pdf"), prompt_extend: true },
      ],
      [
        { ...two, link_url: url("page") },
        { image_with_roles: references, link_url: url("page"), prompt_extend: true },
      ],
      [
        { image_with_roles: [role("first_frame"), role("last_frame")] },
        { image_with_roles: [role("first_frame"), role("last_frame")] },
      ],
    ];
    for (const [given, expected] of cases)
      expect([given, await sent(given)]).toEqual([given, { model: MODEL, ...DEFAULTS, ...expected }]);
  });

  it("appends audio_url to audio_urls", async () => {
    const audio = { audio_urls: urls(1, "s"), audio_url: url("last"), image_urls: urls(1) };
    expect((await sent(audio))["audio_urls"]).toEqual([url("s1"), url("last")]);
    expect((await sent({ audio_url: url("last"), video_urls: urls(1) }))["audio_urls"]).toEqual([
      url("last"),
    ]);
  });

  it("says textGenerate for pure text and generate otherwise", async () => {
    const actionOf = async (more: Body) =>
      (await world.ask(`${VIDEOS}/${(await submit(more)).json.id}`)).json.action;
    expect(await actionOf({})).toBe("textGenerate");
    const others = [
      { image_urls: urls(1) },
      { video_urls: urls(1) },
      { file_url: url("f") },
      { link_url: url("l") },
    ];
    for (const more of others) expect(await actionOf(more)).toBe("generate");
  });

  const frame = { image_with_roles: [role("first_frame")] };
  const REFUSALS: [title: string, more: Body][] = [
    ["no prompt", { prompt: null }],
    ["an empty prompt", { prompt: "" }],
    ["a prompt that is no text", { prompt: 5 }],
    ["no duration", { duration: null }],
    ...[0, 1, 31, -2, 2.5, "5"].map((duration): [string, Body] => [
      `duration ${JSON.stringify(duration)}`,
      { duration },
    ]),
    ["frames said beside a video", { generation_type: "frame", image_urls: urls(1), video_urls: urls(1) }],
    ["frames said beside an audio", { generation_type: "frame", image_urls: urls(1), audio_url: url("s") }],
    [
      "a first frame beside a reference image",
      { image_with_roles: [role("first_frame"), role("reference_image")] },
    ],
    [
      "image_urls beside a reference_image role",
      { image_urls: urls(1), image_with_roles: [role("reference_image")] },
    ],
    ["a frame beside a video", { ...frame, video_urls: urls(1) }],
    ["a frame beside an audio", { ...frame, audio_urls: urls(1) }],
    ["a frame beside a document", { ...frame, file_url: url("f") }],
    ["a frame beside a page", { ...frame, link_url: url("l") }],
  ];
  it.each(REFUSALS)("refuses %s with 400 in shape B and makes no task", async (_, more) => {
    const { status, json } = await submit(more, MODEL);
    expect([status, json]).toEqual([
      400,
      { code: "invalid_request", message: expect.not.stringMatching(/request id/), data: null },
    ]);
  });

  const FAILURES: [title: string, more: Body, reason: RegExp][] = [
    ["an unknown resolution", { resolution: "2K" }, /^`resolution`/],
    ["an unknown size", { size: "2:1" }, /^`size`/],
    ["audio that is no flag", { audio: "yes" }, /^`audio`/],
    ["a seed below 0", { seed: -1 }, /^`seed`/],
    ["a seed of 2^31", { seed: 2_147_483_648 }, /^`seed`/],
    ["an unknown generation_type", { generation_type: "both" }, /^`generation_type`/],
    ["image_urls that are no list", { image_urls: url("a") }, /^`image_urls`/],
    ["a data URL", { image_urls: ["data:image/png;base64,AAAA"] }, /^`image_urls\[0\]`/],
    ["an asset", { image_urls: ["asset://asset-1"] }, /^`image_urls\[0\]`/],
    ["three frames", { image_urls: urls(3) }, /3 frames/],
    ["11 reference images", { generation_type: "reference", image_urls: urls(11) }, /at most 10/],
    ["6 reference videos", { video_urls: urls(6), duration: 2 }, /at most 5/],
    ["6 reference audios", { audio_urls: urls(5), audio_url: url("s"), video_urls: urls(1) }, /At most 5/],
    ["a last frame alone", { image_with_roles: [role("last_frame")] }, /last frame/],
    ["an unknown role", { image_with_roles: [role("cover")] }, /role/],
    ["an audio alone", { audio_urls: urls(1) }, /requires a reference/],
    ["a document and a page", { file_url: url("f"), link_url: url("l") }, /combined/],
    ["a document with prompt_extend false", { file_url: url("f"), prompt_extend: false }, /^`prompt_extend`/],
    ["30 seconds beside a video", { duration: 30, video_urls: urls(1) }, /exceed 30 seconds/],
  ];
  it.each(FAILURES)("accepts %s, then fails naming the submit", async (_, more, reason) => {
    const { status, json, headers } = await submit(more);
    expect([status, json.status]).toEqual([200, "queued"]);
    const record = await world.final(json.id);
    expect(record).toMatchObject({ status: "FAILURE", data: null, progress: "100%" });
    expect(record.fail_reason).toMatch(reason);
    expect(record.fail_reason.endsWith(` (request id: ${headers.get("x-request-id")})`)).toBe(true);
  });

  it("gives the upstream's reason with the request's id when it fails there", async () => {
    const { json, headers } = await submit({ prompt: '[[sandbox: fail="no cats"]]' });
    const { fail_reason } = await world.final(json.id);
    expect(fail_reason).toMatch(new RegExp(`no cats.* \\(request id: ${headers.get("x-request-id")}\\)$`));
  });

  it("holds by the second and the resolution, 1080P when omitted, for -1 thirty seconds", async () => {
    const preview = async (more: Body, key: string = MEDIA_KEYS.main): Promise<number> =>
      Number(
        (await world.ask(`${VIDEOS}?dry_run=1`, { model: MODEL, prompt: "x", duration: 5, ...more }, { key }))
          .json.max_charge_usd,
      );
    const prices = MEDIA_PRICES.videob;
    expect(await preview({})).toBeCloseTo(5 * prices["1080p"], 9);
    expect(await preview({ resolution: "720P" })).toBeCloseTo(5 * prices["720p"], 9);
    expect(await preview({ resolution: "480p", duration: 2 })).toBeCloseTo(2 * prices["480p"], 9);
    expect(await preview({ duration: -1 })).toBeCloseTo(30 * prices["1080p"], 9);
    expect(await preview({}, MEDIA_KEYS.partner), "half the price in group partners").toBeCloseTo(
      2.5 * prices["1080p"],
      9,
    );
  });

  it("leaves a clean ledger", async () => {
    await cleanLedger(world.gateway);
  });
});
