import { expect, it } from "vitest";
import {
  apiOf,
  type FakeVendor,
  imageOrder,
  taskApiContract,
  videoOrder,
} from "../../../test/support/task-api-contract.ts";

const VIDEOS = "/v2/videos/generations";
const KEYED = { "idempotency-key": "task_0123456789abcdef" };

const vendor: FakeVendor = {
  kind: "gateway",
  authorization: "Bearer their-key",
  orders: [
    {
      name: "an image by ratio and tier",
      order: imageOrder({ quality: "high", images: ["https://a.example/1.png"] }),
      path: "/v1/images/generations",
      headers: KEYED,
      body: {
        model: "their-model",
        prompt: "A lighthouse",
        size: "16:9",
        resolution: "2k",
        quality: "high",
        image_urls: ["https://a.example/1.png"],
      },
    },
    {
      name: "an image by pixels",
      order: imageOrder({ ratio: null, widthPx: 1000, heightPx: 600, tier: "1k" }),
      path: "/v1/images/generations",
      body: { model: "their-model", prompt: "A lighthouse", size: "1000x600", resolution: "1k" },
    },
    {
      name: "videoa",
      order: videoOrder("videoa", { audio: true, watermark: false }),
      path: VIDEOS,
      headers: KEYED,
      body: {
        model: "their-model",
        content: [{ type: "text", text: "A lighthouse" }],
        resolution: "720p",
        ratio: "16:9",
        duration: 5,
        generate_audio: true,
        watermark: false,
        return_last_frame: false,
      },
    },
    {
      name: "videob with everything",
      order: videoOrder("videob", {
        durationSeconds: -1,
        resolution: "1080p",
        ratio: "adaptive",
        audio: true,
        watermark: false,
        seed: 3,
        promptExtend: true,
        fileUrl: "https://a.example/1.pdf",
        references: [
          { kind: "image", role: "reference", url: "https://a.example/1.png" },
          { kind: "video", role: "reference", url: "https://a.example/1.mp4" },
          { kind: "audio", role: "reference", url: "https://a.example/1.mp3" },
        ],
      }),
      path: VIDEOS,
      body: {
        model: "their-model",
        prompt: "A lighthouse",
        duration: -1,
        resolution: "1080P",
        size: "adaptive",
        audio: true,
        watermark: false,
        seed: 3,
        prompt_extend: true,
        image_with_roles: [{ url: "https://a.example/1.png", role: "reference_image" }],
        video_urls: ["https://a.example/1.mp4"],
        audio_urls: ["https://a.example/1.mp3"],
        file_url: "https://a.example/1.pdf",
      },
    },
    {
      name: "videoc",
      order: videoOrder("videoc", {
        resolution: "768p",
        ratio: "9:16",
        seed: 0,
        references: [{ kind: "image", role: "reference", url: "https://a.example/1.png" }],
      }),
      path: VIDEOS,
      body: {
        model: "their-model",
        prompt: "A lighthouse",
        duration: 5,
        resolution: "768P",
        aspect_ratio: "9:16",
        seed: 0,
        image_urls: ["https://a.example/1.png"],
      },
    },
  ],
  accepted: (id) => ({ code: 200, status: "submitted", task_id: id, id }),
  error: (_status, message) => ({ code: "invalid_request", message, data: null }),
  peculiar: [
    {
      name: "an empty account, in shape A",
      status: 400,
      body: { error: { message: "no", type: "gateway_error", code: "insufficient_user_quota" } },
      next: "another",
    },
    {
      name: "a model it does not have",
      status: 400,
      body: { code: "model_not_found", message: "no", data: null },
      next: "another",
    },
    {
      name: "nobody there to send it to, as a 503",
      status: 503,
      body: { code: "no_available_upstream", message: "no", data: null },
      next: "another",
    },
  ],
  polls: {
    path: (id, { medium }) => (medium === "image" ? `/v1/images/tasks/${id}` : `${VIDEOS}/${id}`),
    word: (id, word) => ({ task_id: id, status: word }),
    records: [
      ...["NOT_START", "SUBMITTED", "QUEUED"].map((status) => ({
        name: status,
        body: (id: string) => ({ task_id: id, status, progress: "0%", data: null }),
        means: { type: "queued" } as const,
      })),
      {
        name: "progress",
        body: (id) => ({ task_id: id, status: "IN_PROGRESS", progress: "37%", data: null }),
        means: { type: "running", progressPercent: 37 },
      },
      {
        name: "an image",
        body: (id) => ({
          task_id: id,
          status: "SUCCESS",
          progress: "100%",
          created: 1,
          fail_reason: "",
          data: [{ url: "https://v.example/1.png" }],
        }),
        means: { type: "succeeded", result: { outputs: [{ url: "https://v.example/1.png" }] } },
      },
      {
        name: "a video of family videoa",
        body: (id) => ({
          task_id: id,
          status: "SUCCESS",
          data: {
            task: {
              id,
              status: "succeeded",
              model: "m",
              outputs: ["https://v.example/1.mp4"],
              usage: { total_tokens: 9 },
              last_frame_url: "https://v.example/1.png",
            },
            duration: 4,
            resolution: "720p",
          },
        }),
        means: {
          type: "succeeded",
          result: {
            outputs: [{ url: "https://v.example/1.mp4" }],
            lastFrameUrl: "https://v.example/1.png",
            durationSeconds: 4,
            resolution: "720p",
            usage: { total_tokens: 9 },
          },
        },
      },
      {
        name: "a video in the vendor's original layout",
        body: (id) => ({
          task_id: id,
          status: "SUCCESS",
          data: { content: { video_url: "https://v.example/1.mp4" } },
        }),
        means: {
          type: "succeeded",
          result: { outputs: [{ url: "https://v.example/1.mp4" }], layout: "ark" },
        },
      },
      {
        name: "a video of the other families, with its expiry",
        body: (id) => ({
          task_id: id,
          status: "SUCCESS",
          data: {
            id,
            status: "completed",
            progress: 100,
            result: { videos: [{ url: ["https://v.example/1.mp4"], expires_at: 1_800_000_000 }] },
          },
        }),
        means: {
          type: "succeeded",
          result: { outputs: [{ url: "https://v.example/1.mp4", expiresAt: 1_800_000_000 }] },
        },
      },
      {
        name: "a failed image",
        body: (id) => ({ task_id: id, status: "FAILED", data: [], fail_reason: "too rude" }),
        means: { type: "failed", reason: "too rude" },
      },
      {
        name: "a failed video without the other service's request id",
        body: (id) => ({ task_id: id, status: "FAILURE", fail_reason: "too rude (request id: abc-1)" }),
        means: { type: "failed", reason: "too rude" },
      },
    ],
  },
};

taskApiContract(vendor);

taskApiContract({
  kind: "sandbox",
  authorization: "Bearer their-key",
  orders: [
    { name: "an image", order: imageOrder(), path: "/v1/images/generations" },
    { name: "a video", order: videoOrder("videoc"), path: "/v2/videos/generations" },
  ],
  accepted: (id) => ({ id, task_id: id, object: "video", status: "queued", progress: 0 }),
  error: (_status, message) => ({ code: "missing_default", message, data: null }),
  peculiar: [],
  polls: {
    path: (id, { medium }) =>
      medium === "image" ? `/v1/images/tasks/${id}` : `/v2/videos/generations/${id}`,
    word: (id, status) => ({ task_id: id, status }),
    records: [],
  },
});

it("is never asked twice for one task, since it makes a second one", () => {
  expect(apiOf("sandbox").idempotent).toBe(false);
});
