import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  get,
  IMAGES,
  imageBody,
  imageTask,
  submit,
  VIDEOS,
  videoaBody,
  videobBody,
  videocBody,
  videoTask,
} from "../testing/media-orders.ts";
import { probeBoxes, probePicture, probeVideo } from "../testing/probes.ts";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

const IMAGE = {
  type: "image_url",
  role: "first_frame",
  image_url: { url: "https://images.example/fox.png" },
};

describe("images and videos of the sandbox", () => {
  let sandbox: StartedSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ taskMs: 0 });
  });
  afterAll(() => sandbox.close());

  it("takes an image's order and gives a real image of exactly its pixels", async () => {
    const response = await sandbox.post(IMAGES, imageBody({ size: "16:9", resolution: "2K" }));
    const id = response.json.task_id as string;
    expect(response.json).toEqual({ code: 200, status: "submitted", task_id: id, id });
    const { json } = await get(sandbox, imageTask(id));
    expect(json).toMatchObject({ status: "SUCCESS", task_id: id, progress: "100%", fail_reason: "" });
    const file = await get(sandbox, json.data[0].url);
    expect(file.headers.get("content-type")).toBe("image/png");
    expect(probePicture(file.bytes)).toEqual({ format: "png", width: 2048, height: 1152 });
  });

  it("makes the image in another format, and of explicit pixels, where it is asked", async () => {
    const id = await submit(
      sandbox,
      imageBody({ size: "640x360", prompt: "A fox [[sandbox: format=jpeg]]" }),
    );
    const { json } = await get(sandbox, imageTask(id));
    const file = await get(sandbox, json.data[0].url);
    expect(probePicture(file.bytes)).toEqual({ format: "jpeg", width: 640, height: 360 });
  });

  it("takes a videoa order and gives the video, its last frame and its token usage", async () => {
    const body = videoaBody({ duration: 4, ratio: "9:16", return_last_frame: true }, IMAGE);
    const response = await sandbox.post(VIDEOS, body);
    const id = response.json.id as string;
    expect(response.json).toEqual({
      id,
      task_id: id,
      object: "video",
      model: "videoa-2.0",
      status: "queued",
      progress: 0,
      created_at: expect.any(Number),
    });
    const { json } = await get(sandbox, videoTask(id));
    expect(json).toMatchObject({ task_id: id, action: "generate", status: "SUCCESS", fail_reason: "" });
    expect(json.data).toMatchObject({
      task: { id, status: "succeeded", model: "videoa-2.0", usage: { total_tokens: 86_400 } },
      duration: 4,
      resolution: "720p",
    });
    const video = (await get(sandbox, json.data.task.outputs[0])).bytes;
    expect(probeBoxes(video).movieSeconds).toBe(4);
    expect(await probeVideo(video)).toMatchObject({
      width: 720,
      height: 1280,
      videoCodec: "avc",
      audioCodec: "aac",
    });
    const last = await get(sandbox, json.data.task.last_frame_url);
    expect(probePicture(last.bytes)).toEqual({ format: "png", width: 720, height: 1280 });
  });

  it("writes a videoa result in the vendor's own layout where it is asked", async () => {
    const content = [{ type: "text", text: "A fox [[sandbox: layout=ark]]" }];
    const id = await submit(sandbox, videoaBody({ content, return_last_frame: true }));
    const { data, action } = (await get(sandbox, videoTask(id))).json;
    expect(action).toBe("textGenerate");
    expect(data).toMatchObject({ duration: 5, resolution: "720p", ratio: "16:9", framespersecond: 24 });
    expect(Object.keys(data.content)).toEqual(["video_url", "last_frame_url"]);
    expect(data.task).toBeUndefined();
  });

  it.each([
    [
      "videob",
      videobBody({ audio: false, size: "21:9" }),
      { seconds: 5, width: 1120, height: 480, audioCodec: null },
    ],
    ["videoc", videocBody(), { seconds: 3, width: 480, height: 854, audioCodec: "aac" }],
  ])("gives a %s video where that family's result sits", async (_, body, measures) => {
    const id = await submit(sandbox, body);
    const { data } = (await get(sandbox, videoTask(id))).json;
    expect(data).toMatchObject({ id, status: "completed", progress: 100, duration: measures.seconds });
    const [{ url, expires_at: expires }] = data.result.videos;
    expect(expires - Date.now() / 1_000).toBeGreaterThan(86_000);
    expect(await probeVideo((await get(sandbox, url[0])).bytes)).toMatchObject(measures);
  });

  it("decides a duration of -1 by itself, reports it, and makes the file of it", async () => {
    const first = await submit(sandbox, videobBody({ duration: -1 }));
    const { data } = (await get(sandbox, videoTask(first))).json;
    const bytes = (await get(sandbox, data.result.videos[0].url[0])).bytes;
    expect(data.duration).toBeGreaterThanOrEqual(4);
    expect(probeBoxes(bytes).movieSeconds).toBe(data.duration);
    const prompt = "A fox [[sandbox: seconds=9 usage=omit]]";
    const second = await submit(sandbox, videobBody({ duration: -1, prompt }));
    const silent = (await get(sandbox, videoTask(second))).json.data;
    expect(silent.duration).toBeUndefined();
    expect(probeBoxes((await get(sandbox, silent.result.videos[0].url[0])).bytes).movieSeconds).toBe(9);
  });

  it("spoils the duration it reports as it is told", async () => {
    const text = "A fox [[sandbox: usage=negative]]";
    const id = await submit(sandbox, videoaBody({ content: [{ type: "text", text }] }));
    expect((await get(sandbox, videoTask(id))).json.data).toMatchObject({
      duration: -5,
      task: { usage: { total_tokens: -108_000 } },
    });
  });

  it("goes on from a last frame in the same ratio, where the next order leaves it open", async () => {
    const first = await submit(sandbox, videoaBody({ ratio: "3:4", return_last_frame: true, duration: 4 }));
    const { data } = (await get(sandbox, videoTask(first))).json;
    const frame = { type: "image_url", role: "first_frame", image_url: { url: data.task.last_frame_url } };
    const next = await submit(
      sandbox,
      videoaBody({ model: "videoa-2.5", ratio: "adaptive", duration: 4 }, frame),
    );
    const { data: made } = (await get(sandbox, videoTask(next))).json;
    expect(made.ratio).toBe("3:4");
    expect(await probeVideo((await get(sandbox, made.task.outputs[0])).bytes)).toMatchObject({
      width: 720,
      height: 960,
    });
  });

  it("goes through the stages in order and never back, and a read changes nothing", async () => {
    const id = await submit(sandbox, videobBody({ prompt: "A fox [[sandbox: takes=100000]]" }));
    const seen: string[] = [];
    const percents: number[] = [];
    for (let step = 0; step <= 21; step += 1) {
      const { json } = await get(sandbox, videoTask(id));
      expect((await get(sandbox, videoTask(id))).json.status).toBe(json.status);
      if (seen.at(-1) !== json.status) seen.push(json.status);
      percents.push(Number.parseInt(json.progress, 10));
      expect(json.start_time > 0).toBe(percents.at(-1) !== 0);
      expect(json.data === null).toBe(json.status !== "SUCCESS");
      await sandbox.post("/_sandbox/clock", { advance_ms: 5_000 });
    }
    expect(seen).toEqual(["NOT_START", "SUBMITTED", "QUEUED", "IN_PROGRESS", "SUCCESS"]);
    expect(percents).toEqual(percents.toSorted((left, right) => left - right));
  });

  it("makes the same file of the same order, and another of another seed", async () => {
    const etagOf = async (seed: number): Promise<string | null> => {
      const id = await submit(sandbox, videobBody({ seed }));
      const { data } = (await get(sandbox, videoTask(id))).json;
      return (await get(sandbox, data.result.videos[0].url[0])).headers.get("etag");
    };
    const [one, again, other] = [await etagOf(1), await etagOf(1), await etagOf(2)];
    expect(one).toBe(again);
    expect(one).not.toBe(other);
  });

  it("shows a task to its own credential only, and an image's never as a video's", async () => {
    const id = await submit(sandbox, imageBody(), { authorization: "Bearer one" });
    const mine = { authorization: "Bearer one" };
    expect((await get(sandbox, imageTask(id), mine)).status).toBe(200);
    for (const [path, headers] of [
      [imageTask(id), { authorization: "Bearer two" }],
      [imageTask(id), {}],
      [videoTask(id), mine],
      [imageTask("task_none"), mine],
    ] as const) {
      const response = await get(sandbox, path, headers);
      expect([response.status, response.json]).toEqual([
        400,
        { code: "task_not_exist", message: "task_not_exist", data: null },
      ]);
    }
  });

  it("refuses bad and unpaid keys in shape A", async () => {
    const refused = async (key: string): Promise<unknown> => {
      const response = await sandbox.post(IMAGES, imageBody(), { authorization: `Bearer ${key}` });
      return [response.status, response.json.error.type, response.json.error.code];
    };
    expect(await refused("bad-key")).toEqual([401, "gateway_error", ""]);
    expect(await refused("poor-key")).toEqual([403, "gateway_error", "insufficient_user_quota"]);
  });

  it("makes a second task of a second submit, whatever its idempotency key says", async () => {
    const headers = { "idempotency-key": "same" };
    const [one, two] = [
      await submit(sandbox, imageBody(), headers),
      await submit(sandbox, imageBody(), headers),
    ];
    expect(one).not.toBe(two);
    expect((await sandbox.lastEntry()).headers["idempotency-key"]).toBe("same");
  });

  it("makes no file before one is fetched: a thousand tasks in flight are only notes", async () => {
    const many = await startSandbox({ taskMs: 3_600_000 });
    try {
      const ids: string[] = [];
      for (let batch = 0; batch < 10; batch += 1) {
        const prompt = `A fox ${"that runs ".repeat(100)}`;
        ids.push(
          ...(await Promise.all(Array.from({ length: 100 }, () => submit(many, videobBody({ prompt }))))),
        );
      }
      expect(new Set(ids).size).toBe(1_000);
      expect((await get(many, videoTask(ids[0] ?? ""))).json.status).toBe("NOT_START");
      const journal = await many.journal();
      expect(journal.filter(({ protocol }) => protocol === "video-submit")).toHaveLength(1_000);
      expect((await get(many, "/_sandbox/status")).json).toMatchObject({ journaled: 1_001, files_made: 0 });
    } finally {
      await many.close();
    }
  });
});
