import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  get,
  IMAGES,
  imageBody,
  imageTask,
  submit,
  VIDEOS,
  videobBody,
  videoTask,
} from "../testing/media-orders.ts";
import { probePicture } from "../testing/probes.ts";
import { type StartedSandbox, startSandbox } from "../testing/started-sandbox.ts";

describe("scripted images and videos", () => {
  let sandbox: StartedSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ taskMs: 0 });
  });
  afterEach(() => sandbox.post("/_sandbox/reset", {}));
  afterAll(() => sandbox.close());

  const scripted = (directive: string): ReturnType<typeof imageBody> =>
    imageBody({ prompt: `A fox [[sandbox: ${directive}]]`, size: "64x64" });
  const poll = async (id: string): Promise<unknown> => {
    const response = await get(sandbox, imageTask(id)).catch(() => undefined);
    return response?.json?.status ?? response?.status ?? "no answer";
  };
  const times = async <T>(count: number, ask: () => Promise<T>): Promise<T[]> => {
    const responses: T[] = [];
    for (let index = 0; index < count; index += 1) responses.push(await ask());
    return responses;
  };

  it("fails with the reason it is given, in each medium's word", async () => {
    const image = await submit(sandbox, scripted('fail="no foxes today"'));
    expect((await get(sandbox, imageTask(image))).json).toMatchObject({
      status: "FAILED",
      fail_reason: "no foxes today",
      data: [],
      progress: "100%",
    });
    const video = await submit(sandbox, videobBody({ prompt: 'A fox [[sandbox: fail="no foxes"]]' }));
    const { json } = await get(sandbox, videoTask(video));
    expect(json).toMatchObject({ status: "FAILURE", fail_reason: "no foxes", data: null });
    expect(json.finish_time).toBeGreaterThan(0);
  });

  it("refuses by moderation at the submit, or in the end", async () => {
    const refused = await sandbox.post(IMAGES, scripted("moderation=submit"));
    expect([refused.status, refused.json.code]).toEqual([400, "moderation_refused"]);
    const id = await submit(sandbox, scripted("moderation=result"));
    expect((await get(sandbox, imageTask(id))).json.fail_reason).toMatch(/moderation/);
  });

  it("says it is saturated, with a time to wait, in shape B", async () => {
    const response = await sandbox.post(
      VIDEOS,
      videobBody({ prompt: "A fox [[sandbox: error=429 retry_after=7]]" }),
    );
    expect([
      response.status,
      response.headers.get("retry-after"),
      response.json.code,
      response.json.data,
    ]).toEqual([429, "7", "rate_limit_exceeded", null]);
  });

  it("loses the answer to a submit whose task it has made, and the journal says so", async () => {
    await expect(sandbox.post(IMAGES, scripted("lost=1 tag=gone"))).rejects.toThrow();
    const entry = await sandbox.lastEntry();
    expect(entry).toMatchObject({
      outcome: "faulted:lost",
      status: 0,
      tag: "gone",
      protocol: "image-submit",
    });
    expect(await poll(entry.media?.id ?? "")).toBe("SUCCESS");
    await expect(sandbox.post(IMAGES, scripted("cut=0 tag=never"))).rejects.toThrow();
    expect((await sandbox.lastEntry()).media?.id).toBeUndefined();
  });

  it("answers the polls in turn as it is told, then tells the truth", async () => {
    const list = "QUEUED,IN_PROGRESS,QUEUED,PAUSED,503*2,garbage,empty,html,cut,half,unknown,FAILED";
    const id = await submit(sandbox, scripted(`polls="${list}"`));
    expect(await times(14, () => poll(id))).toEqual([
      "QUEUED",
      "IN_PROGRESS",
      "QUEUED",
      "PAUSED",
      503,
      503,
      200,
      200,
      502,
      "no answer",
      "no answer",
      400,
      "FAILED",
      "SUCCESS",
    ]);
  });

  it("never finishes where it is told so, however long one waits", async () => {
    const id = await submit(sandbox, scripted("never=1 takes=1000"));
    await sandbox.post("/_sandbox/clock", { advance_ms: 86_400_000 });
    expect((await get(sandbox, imageTask(id))).json).toMatchObject({ status: "IN_PROGRESS", data: [] });
  });

  it("becomes a success after it has failed, and its file is there then", async () => {
    const id = await submit(sandbox, scripted("fail=late recovers=60000"));
    expect(await poll(id)).toBe("FAILED");
    await sandbox.post("/_sandbox/clock", { advance_ms: 60_000 });
    const { json } = await get(sandbox, imageTask(id));
    expect(json).toMatchObject({ status: "SUCCESS", fail_reason: "" });
    expect(probePicture((await get(sandbox, json.data[0].url)).bytes).width).toBe(64);
  });

  it("strikes the first submits with a prompt and spares the next", async () => {
    const statuses = await times(
      3,
      async () => (await sandbox.post(IMAGES, scripted("error=503 times=2"))).status,
    );
    expect(statuses).toEqual([503, 503, 200]);
    expect(await times(2, async () => submit(sandbox, scripted("fail=x times=1")).then(poll))).toEqual([
      "FAILED",
      "SUCCESS",
    ]);
  });

  it("is scripted from outside: submits by a rule, polls only by one that says GET", async () => {
    await sandbox.post("/_sandbox/script", {
      match: { path: "/v1/images" },
      directive: "fail=ruled",
      times: 1,
    });
    const id = await submit(sandbox, imageBody());
    expect(await poll(id)).toBe("FAILED");
    const rule = { match: { method: "GET", path: "/v1/images/tasks" }, directive: "error=500", times: 2 };
    await sandbox.post("/_sandbox/script", rule);
    expect((await sandbox.post(IMAGES, imageBody())).status).toBe(200);
    expect(await times(3, () => poll(id))).toEqual([500, 500, "FAILED"]);
  });

  it("turns one running task round from outside", async () => {
    const id = await submit(sandbox, scripted("never=1"));
    expect(await poll(id)).toBe("IN_PROGRESS");
    const turned = await sandbox.post(`/_sandbox/tasks/${id}`, { directive: "never=0 fail=ordered" });
    expect(turned.json).toMatchObject({ id, tag: null });
    expect(await poll(id)).toBe("FAILED");
    expect((await sandbox.post("/_sandbox/tasks/none", { directive: "takes=0" })).status).toBe(404);
  });

  it("journals every submit, poll and file: what, when, with which body", async () => {
    const images = [`data:image/png;base64,${"A".repeat(4_000)}`];
    const prompt = "A fox [[sandbox: tag=mine]]";
    const body = imageBody({ prompt, size: "64x64", image_urls: images });
    const id = await submit(sandbox, body, { authorization: "Bearer secret-key" });
    const headers = { authorization: "Bearer secret-key" };
    const { json } = await get(sandbox, imageTask(id), headers);
    await get(sandbox, json.data[0].url, { range: "bytes=0-9" });
    const [made, polled, file] = await sandbox.journal();
    expect(made).toMatchObject({
      protocol: "image-submit",
      path: IMAGES,
      model: "imagegen-2",
      tag: "mine",
      responseId: id,
      status: 200,
      outcome: "completed",
      media: { id, body: { size: "64x64", resolution: "1k", prompt } },
    });
    expect(JSON.stringify(made)).not.toMatch(/A{100}|secret-key/);
    expect(made?.media?.body?.["image_urls"]).toEqual([
      expect.stringMatching(/^data:image\/png;base64,\[4022 .*sha256/),
    ]);
    expect(polled).toMatchObject({ protocol: "image-poll", tag: "mine", media: { id, told: "SUCCESS" } });
    expect(file).toMatchObject({
      protocol: "file",
      tag: "mine",
      status: 206,
      media: { id, file: `${id}.png`, range: "bytes=0-9" },
      produced: { bytes: 10 },
    });
  });
});
