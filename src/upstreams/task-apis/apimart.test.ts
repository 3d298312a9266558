import { describe, expect, it } from "vitest";
import { apiOf, imageOrder, taskApiContract, videoOrder } from "../../../test/support/task-api-contract.ts";

taskApiContract({
  kind: "apimart",
  authorization: "Bearer their-key",
  orders: [
    {
      name: "an image",
      order: imageOrder({ quality: "high", images: ["data:image/png;base64,AAAA"] }),
      path: "/v1/images/generations",
      body: {
        model: "their-model",
        prompt: "A lighthouse",
        size: "16:9",
        resolution: "2k",
        quality: "high",
        n: 1,
        image_urls: ["data:image/png;base64,AAAA"],
      },
    },
    {
      name: "videob with frames",
      order: videoOrder("videob", {
        audio: true,
        watermark: false,
        references: [
          { kind: "image", role: "first_frame", url: "https://a.example/1.png" },
          { kind: "image", role: "last_frame", url: "https://a.example/2.png" },
        ],
      }),
      path: "/v1/videos/generations",
      body: {
        model: "their-model",
        prompt: "A lighthouse",
        duration: 5,
        resolution: "720P",
        size: "16:9",
        audio: true,
        watermark: false,
        image_with_roles: [
          { url: "https://a.example/1.png", role: "first_frame" },
          { url: "https://a.example/2.png", role: "last_frame" },
        ],
      },
    },
    {
      name: "videob from a web page",
      order: videoOrder("videob", {
        audio: false,
        watermark: true,
        promptExtend: true,
        linkUrl: "https://a.example/",
      }),
      path: "/v1/videos/generations",
      body: {
        model: "their-model",
        prompt: "A lighthouse",
        duration: 5,
        resolution: "720P",
        size: "16:9",
        audio: false,
        watermark: true,
        prompt_extend: true,
        link_url: "https://a.example/",
      },
    },
    {
      name: "videoc with a voice",
      order: videoOrder("videoc", {
        resolution: "768p",
        ratio: "9:16",
        references: [
          { kind: "image", role: "reference", url: "https://a.example/1.png" },
          { kind: "audio", role: "reference", url: "https://a.example/1.mp3" },
        ],
      }),
      path: "/v1/videos/generations",
      body: {
        model: "their-model",
        prompt: "A lighthouse",
        duration: 5,
        resolution: "768P",
        aspect_ratio: "9:16",
        image_urls: ["https://a.example/1.png"],
        audio_urls: ["https://a.example/1.mp3"],
      },
    },
  ],
  accepted: (id) => ({ code: 200, data: [{ status: "submitted", task_id: id }] }),
  error: (status, message) => ({ error: { code: status, message, type: "error" } }),
  peculiar: [
    {
      name: "a bad order with HTTP 200",
      status: 200,
      body: { code: 400, message: "no", data: null },
      next: "fail",
    },
    {
      name: "an empty account with HTTP 200",
      status: 200,
      body: { code: 402, message: "no" },
      next: "another",
    },
    { name: "a limit with HTTP 200", status: 200, body: { code: 429, message: "no" }, next: "later" },
    {
      name: "no channel of its own, as a 503",
      status: 503,
      body: { error: { code: "get_channel_failed", message: "no" } },
      next: "another",
    },
  ],
  polls: {
    path: (id) => `/v1/tasks/${id}`,
    word: (id, word) => ({ code: 200, data: { id, status: word } }),
    records: [
      {
        name: "queued",
        body: (id) => ({ code: 200, data: { id, status: "pending", progress: 0 } }),
        means: { type: "queued" },
      },
      {
        name: "progress",
        body: (id) => ({ code: 200, data: { id, status: "processing", progress: 45.7 } }),
        means: { type: "running", progressPercent: 45 },
      },
      {
        name: "a video with expiry and cost",
        body: (id) => ({
          code: 200,
          data: {
            id,
            status: "completed",
            progress: 100,
            cost: 0.25,
            actual_time: 60,
            result: { videos: [{ url: ["https://v.example/1.mp4"], expires_at: 1_800_000_000 }] },
          },
        }),
        means: {
          type: "succeeded",
          result: {
            outputs: [{ url: "https://v.example/1.mp4", expiresAt: 1_800_000_000 }],
            cost: 0.25,
          },
        },
      },
      {
        name: "an image",
        body: (id) => ({
          code: 200,
          data: { id, status: "completed", result: { images: [{ url: ["https://v.example/1.png"] }] } },
        }),
        means: { type: "succeeded", result: { outputs: [{ url: "https://v.example/1.png" }] } },
      },
      {
        name: "a failure that cost something",
        body: (id) => ({
          code: 200,
          data: { id, status: "failed", cost: 0, error: { message: "too rude", code: 400 } },
        }),
        means: { type: "failed", reason: "too rude", cost: 0 },
      },
      {
        name: "a cancellation as a failure",
        body: (id) => ({ code: 200, data: { id, status: "cancelled" } }),
        means: { type: "failed", reason: "The vendor ended the task as cancelled." },
      },
      {
        name: "an error with HTTP 200 as running",
        body: () => ({ code: 500, message: "no" }),
        means: { type: "running" },
      },
    ],
  },
});

describe("apimart", () => {
  const api = apiOf("apimart");

  it("takes the answer of older models, an object with an id", () => {
    const body = Buffer.from(JSON.stringify({ code: 200, data: { id: "old-1", status: "submitted" } }));
    expect(api.readSubmit({ status: 200, headers: {}, body })).toEqual({
      type: "accepted",
      upstreamId: "old-1",
    });
  });

  it("is asked for many tasks at once, and what it leaves out is not made up", () => {
    const request = api.batch?.request(["a", "b", "c"], { model: "m", medium: "video" });
    expect(request).toMatchObject({ method: "POST", path: "/v1/tasks/batch" });
    expect(request?.json).toEqual({ task_ids: ["a", "b", "c"] });
    const read = (value: unknown, status = 200): unknown =>
      Object.fromEntries(
        api.batch?.read({ status, headers: {}, body: Buffer.from(JSON.stringify(value)) }) ?? [],
      );
    const list = [
      { id: "a", status: "processing", progress: 10 },
      { id: "c", status: "completed", result: { videos: [{ url: ["https://v.example/1.mp4"] }] } },
      { status: "completed" },
      null,
    ];
    const means = {
      a: { type: "running", progressPercent: 10 },
      c: { type: "succeeded", result: { outputs: [{ url: "https://v.example/1.mp4" }] } },
    };
    expect(read({ code: 200, data: list })).toEqual(means);
    expect(read({ code: 200, data: { tasks: list } })).toEqual(means);
    expect(read({ code: 200, data: list }, 500)).toEqual({});
    expect(read({ code: 500 })).toEqual({});
    expect(read(null)).toEqual({});
  });

  it("says nothing about a batch that came while it has too much to do, which is not that it has none", () => {
    const read = (status: number, value: unknown): unknown =>
      api.batch?.read({ status, headers: {}, body: Buffer.from(JSON.stringify(value)) });
    expect(read(429, { error: { message: "slow down" } })).toBeUndefined();
    expect(read(200, { code: 429, message: "slow down" })).toBeUndefined();
    expect(read(404, { error: { message: "no such path" } })).toEqual(new Map());
  });
});
