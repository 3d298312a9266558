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
import { waitFor } from "../support/wait.ts";

type Body = Readonly<Record<string, unknown>>;

const IMAGE = "https://x.example/i.png";
const text = (words: string): Body => ({ type: "text", text: words });
const image = (role?: string): Body => ({
  type: "image_url",
  image_url: { url: IMAGE },
  ...(role === undefined ? {} : { role }),
});
const video = (role = "reference_video"): Body => ({
  type: "video_url",
  video_url: { url: "https://x.example/v.mp4" },
  role,
});
const audio = (role = "reference_audio"): Body => ({
  type: "audio_url",
  audio_url: { url: "https://x.example/a.wav" },
  role,
});
const repeated = (item: Body, count: number): Body[] => Array.from({ length: count }, () => item);

/** What is sent where the caller says nothing. */
const DEFAULTS = {
  resolution: "720p",
  duration: 5,
  generate_audio: true,
  watermark: false,
  return_last_frame: false,
};

describe("videoa", () => {
  let world: MediaWorld;
  beforeAll(async () => {
    world = await startMediaWorld();
  });
  afterAll(() => world.stop());

  const submit = async (model: string, content: unknown, more: Body = {}) =>
    world.submit({ model, content, ...more });
  /** Submits with a tagged prompt and gives what the upstream got. */
  const sent = async (model: string, items: readonly Body[], more: Body = {}, words = "a cat") => {
    const { tag, prompt } = tagged(words);
    const { status, json } = await submit(model, [text(prompt), ...items], more);
    expect([status, json.status]).toEqual([200, "queued"]);
    const { content, ...rest } = await world.received(tag);
    return { content: (content as Body[]).slice(1), rest };
  };
  /** Why an accepted task failed; "" where it did not. */
  const failure = async (model: string, content: readonly unknown[], more: Body = {}): Promise<string> => {
    const { status, json } = await submit(model, content, more);
    expect([status, json.status]).toEqual([200, "queued"]);
    const record = await world.final(json.id);
    expect(record.data === null).toBe(record.status === "FAILURE");
    expect(record.finish_time).toBeGreaterThan(0);
    return record.fail_reason;
  };

  it("submits and reads as the specification says, down to the fields and their order", async () => {
    const { json } = await submit("videoa-2.0", [text("a cat")], { duration: 4 });
    expect(Object.entries(json)).toEqual([
      ["id", json.id],
      ["task_id", json.id],
      ["object", "video"],
      ["model", "videoa-2.0"],
      ["status", "queued"],
      ["progress", 0],
      ["created_at", expect.any(Number)],
    ]);
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
      ["data", expect.any(Object)],
    ]);
    expect(record.data).toEqual({
      task: {
        id: json.id,
        status: "succeeded",
        model: "videoa-2.0",
        outputs: [expect.stringMatching(/^http/)],
        usage: { completion_tokens: expect.any(Number), total_tokens: expect.any(Number) },
      },
    });
  });

  it("keeps ark's own layout beside ours, and the last frame where it was asked for", async () => {
    const { json } = await submit("videoa-2.0", [text("[[sandbox: layout=ark]] a cat")], {
      duration: 4,
      return_last_frame: true,
    });
    const { data } = await world.final(json.id);
    expect(data.task).toMatchObject({ id: json.id, last_frame_url: expect.stringMatching(/^http/) });
    expect(data.content).toEqual({
      video_url: data.task.outputs[0],
      last_frame_url: data.task.last_frame_url,
    });
  });

  it("sends every default explicitly", async () => {
    for (const model of MEDIA_MODELS.videoa) {
      const { content, rest } = await sent(model, []);
      expect(content).toEqual([]);
      const ratio = model === "videoa-2.5" ? "adaptive" : "16:9";
      expect(rest).toEqual({ model, ...DEFAULTS, ratio });
      const nothing = { resolution: null, ratio: "", duration: null, seed: null, tools: [], watermark: null };
      expect((await sent(model, [], nothing)).rest).toEqual({ model, ...DEFAULTS, ratio });
    }
  });

  it("sends what is said", async () => {
    const said = {
      ratio: "21:9",
      duration: 15,
      generate_audio: false,
      seed: 4_294_967_295,
      watermark: true,
      return_last_frame: true,
      tools: [{ type: "web_search" }],
    };
    const { rest } = await sent("videoa-2.0", [], { ...said, resolution: "1080P" });
    expect(rest).toEqual({ model: "videoa-2.0", ...said, resolution: "1080p" });
    for (const ratio of ["16:9", "4:3", "1:1", "3:4", "9:16", "adaptive"])
      expect((await sent("videoa-2.5", [], { ratio })).rest["ratio"]).toBe(ratio);
  });

  it("sends references with their roles, one image without a role as the first frame", async () => {
    const mixed = [image("reference_image"), video(), audio()];
    expect((await sent("videoa-2.0", mixed)).content).toEqual(mixed);
    expect((await sent("videoa-2.0", [image()])).content).toEqual([image("first_frame")]);
    const frames = [image("first_frame"), image("last_frame")];
    expect((await sent("videoa-2.0", frames)).content).toEqual(frames);
    expect((await sent("videoa-2.5", [audio()])).content).toEqual([audio()]);
    const data = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    expect((await sent("videoa-2.0", [{ ...data, role: "first_frame" }])).content).toHaveLength(1);
  });

  it("says textGenerate for text alone and generate with any reference", async () => {
    const actionOf = async (content: readonly Body[]) => {
      const { json } = await submit("videoa-2.5", content);
      return (await world.ask(`${VIDEOS}/${json.id}`)).json.action;
    };
    expect(await actionOf([text("a cat")])).toBe("textGenerate");
    for (const item of [image(), video(), audio()])
      expect(await actionOf([text("a cat"), item])).toBe("generate");
  });

  it("refuses with 400 in shape B: content missing, empty or of a wrong type, and on 2.5 no duration", async () => {
    const cases: [model: string, body: Body, code: string][] = [
      ...MEDIA_MODELS.videoa.flatMap((model) =>
        [{}, { content: null }, { content: [] }, { content: "a cat" }, { content: {} }, { content: [5] }].map(
          (body): [string, Body, string] => [model, body, "invalid_request"],
        ),
      ),
      ...[0, -2, 5.5, "5"].map((duration): [string, Body, string] => [
        "videoa-2.5",
        { content: [text("x")], duration },
        "invalid_duration",
      ]),
    ];
    for (const [model, body, code] of cases) {
      const { status, json } = await world.ask(VIDEOS, { model, ...body });
      expect([model, body, status, json]).toEqual([
        ...[model, body, 400],
        { code, message: expect.any(String), data: null },
      ]);
    }
  });

  const cat = [text("a cat")];
  const FAILURES: [title: string, model: string, content: readonly unknown[], more: Body, reason: RegExp][] =
    [
      ["duration 3", "videoa-2.0", cat, { duration: 3 }, /^`duration` must be .* 4 to 15/],
      ["duration 16 on 2.0", "videoa-2.0", cat, { duration: 16 }, /^`duration`/],
      ["duration 31 on 2.5", "videoa-2.5", cat, { duration: 31 }, /^`duration` must be .* 4 to 30/],
      ["duration 3 on 2.5", "videoa-2.5", cat, { duration: 3 }, /^`duration`/],
      ["duration 0 on 2.0", "videoa-2.0", cat, { duration: 0 }, /^`duration`/],
      ["a text as duration on 2.0", "videoa-2.0", cat, { duration: "5" }, /^`duration`/],
      ["1080p on fast", "videoa-2.0-fast", cat, { resolution: "1080p" }, /^`resolution`/],
      ["1080p on mini", "videoa-2.0-mini", cat, { resolution: "1080p" }, /^`resolution`/],
      ["480p", "videoa-2.0", cat, { resolution: "480p" }, /^`resolution`/],
      ["an unknown ratio", "videoa-2.0", cat, { ratio: "2:1" }, /^`ratio`/],
      ["a seed below -1", "videoa-2.0", cat, { seed: -2 }, /^`seed`/],
      ["a seed of 2^32", "videoa-2.0", cat, { seed: 4_294_967_296 }, /^`seed`/],
      ["a watermark that is no flag", "videoa-2.0", cat, { watermark: "no" }, /^`watermark`/],
      ["a tool that is not offered", "videoa-2.0", cat, { tools: [{ type: "code" }] }, /^`tools`/],
      ["an unknown kind of content", "videoa-2.0", [{ type: "file_url" }], {}, /^`content\[0\]\.type`/],
      ["a video without its role", "videoa-2.0", [...cat, video("")], {}, /role/],
      ["an audio without its role", "videoa-2.5", [...cat, audio("")], {}, /role/],
      ["several images without roles", "videoa-2.0", [image(), image()], {}, /no `role`/],
      [
        "a frame beside a video",
        "videoa-2.0",
        [image("first_frame"), video()],
        {},
        /combined with reference videos/,
      ],
      [
        "a frame beside an audio",
        "videoa-2.5",
        [image("first_frame"), audio()],
        {},
        /combined with reference videos or audio/,
      ],
      ["a last frame alone", "videoa-2.0", [image("last_frame")], {}, /requires a first_frame/],
      [
        "two first frames",
        "videoa-2.0",
        repeated(image("first_frame"), 2),
        {},
        /only one first frame and one last/,
      ],
      ["an audio alone on 2.0", "videoa-2.0", [...cat, audio()], {}, /requires a reference/],
      ["10 images on 2.0", "videoa-2.0", repeated(image("reference_image"), 10), {}, /At most 9/],
      ["4 videos on 2.0", "videoa-2.0", repeated(video(), 4), {}, /At most 3 reference videos/],
      ["4 audios on 2.0", "videoa-2.0", [video(), ...repeated(audio(), 4)], {}, /At most 3 reference audios/],
      ["31 images on 2.5", "videoa-2.5", repeated(image("reference_image"), 31), {}, /At most 30/],
      ["11 videos on 2.5", "videoa-2.5", repeated(video(), 11), {}, /At most 10 reference videos/],
      ["11 audios on 2.5", "videoa-2.5", repeated(audio(), 11), {}, /At most 10 reference audios/],
      ["two texts on 2.5", "videoa-2.5", [text("a"), text("b")], {}, /1 text item/],
      [
        "a data URL on 2.5",
        "videoa-2.5",
        [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" }, role: "reference_image" }],
        {},
        /^`content\[0\]\.image_url\.url`/,
      ],
      [
        "an unknown asset",
        "videoa-2.0",
        [{ ...image(), image_url: { url: "asset://asset-none" } }],
        {},
        /asset/i,
      ],
      ["a frame at 16:9 on 2.5", "videoa-2.5", [image()], { ratio: "16:9" }, /`ratio` adaptive/],
      ["an edit of 5 s", "videoa-2.5", [text("replace the car in the clip"), video()], {}, /`duration` -1/],
      [
        "an edit at 16:9",
        "videoa-2.5",
        [text("删除视频1中的人物"), video()],
        { duration: -1, ratio: "16:9" },
        /`ratio` adaptive/,
      ],
      [
        "an extension at 16:9",
        "videoa-2.5",
        [text("向后延长"), video()],
        { ratio: "16:9" },
        /`ratio` adaptive/,
      ],
    ];
  it.each(FAILURES)(
    "accepts %s, then fails without asking the upstream",
    async (_, model, content, more, reason) => {
      const startMs = Date.now();
      expect(await failure(model, content, more)).toMatch(reason);
      // Entries are written as responses end, so that one of a test before may come only now.
      const since = (await world.sandbox.journal()).filter(({ at }) => Number(at) >= startMs);
      expect(since.filter(({ protocol }) => protocol === "video-submit")).toEqual([]);
    },
  );

  it("takes an empty text beside a first frame for none", async () => {
    const { status, json } = await submit("videoa-2.0", [text(""), image()]);
    expect([status, json.status]).toEqual([200, "queued"]);
    expect(await world.final(json.id)).toMatchObject({ status: "SUCCESS", action: "generate" });
  });

  it("lets edits and extensions pass that meet their demands", async () => {
    const adaptive = { ratio: "adaptive" };
    const edit = await sent(
      "videoa-2.5",
      [video()],
      { ...adaptive, duration: -1 },
      "replace the car in video 1",
    );
    expect(edit.rest).toMatchObject({ ...adaptive, duration: -1 });
    const extension = await sent("videoa-2.5", [video()], { duration: 8 }, "extend forward");
    expect(extension.rest).toMatchObject({ ...adaptive, duration: 8 });
    for (const words of [
      "a man walks",
      "extended family at dinner",
      "the dancers continue",
      "add dramatic light",
    ]) {
      const plain = await sent("videoa-2.5", [video()], { ratio: "16:9", duration: 8 }, words);
      expect(plain.rest).toMatchObject({ ratio: "16:9", duration: 8 });
    }
  });

  it("holds by the second and the resolution, for -1 the variant's longest", async () => {
    const preview = async (model: string, more: Body): Promise<number> =>
      Number((await world.ask(`${VIDEOS}?dry_run=1`, { model, content: cat, ...more })).json.max_charge_usd);
    const { "720p": hd, "1080p": full } = MEDIA_PRICES.videoa;
    expect(await preview("videoa-2.0", {})).toBeCloseTo(5 * hd, 9);
    expect(await preview("videoa-2.0", { resolution: "1080p", duration: 15 })).toBeCloseTo(15 * full, 9);
    expect(await preview("videoa-2.0", { duration: -1 })).toBeCloseTo(15 * hd, 9);
    expect(await preview("videoa-2.5", { duration: -1, resolution: "1080p" })).toBeCloseTo(30 * full, 9);
    expect(await preview("videoa-2.5", { duration: 31 })).toBeCloseTo(30 * hd, 9);
    expect(await preview("videoa-2.0-fast", { resolution: "1080p" })).toBeCloseTo(5 * hd, 9);
  });

  it("gives the upstream's reason as it is when it fails there", async () => {
    expect(await failure("videoa-2.0", [text('[[sandbox: fail="a real face"]]')])).toMatch(/^.*a real face$/);
  });

  it("is refused without money by 403 in shape A, after the family's checks", async () => {
    const poor = { key: MEDIA_KEYS.poor };
    const { status, json } = await world.submit({ model: "videoa-2.0", content: cat }, poor);
    expect([status, json.error.code]).toEqual([403, "insufficient_user_quota"]);
    expect((await world.submit({ model: "videoa-2.0" }, poor)).json.code).toBe("invalid_request");
  });

  it("is refused by 429 in shape B while the upstream is saturated, and goes on afterwards", async () => {
    const words = "[[sandbox: error=429 retry_after=4 times=1]] a cat";
    const first = await submit("videoa-2.0-mini", [text(words)]);
    expect([first.status, first.json.status]).toEqual([200, "queued"]);
    const refused = await waitFor("the saturation to be known", async () => {
      const reply = await submit("videoa-2.0-mini", cat);
      return reply.status !== 200 && reply;
    });
    expect([refused.status, refused.json]).toEqual([
      429,
      { code: "upstream_saturated", message: expect.any(String), data: null },
    ]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await world.final(first.json.id)).status).toBe("SUCCESS");
    expect((await submit("videoa-2.0", cat)).status).toBe(200);
  });

  it("leaves a clean ledger", async () => {
    await cleanLedger(world.gateway);
  });
});
