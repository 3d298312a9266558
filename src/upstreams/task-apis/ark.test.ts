import { taskApiContract, videoOrder } from "../../../test/support/task-api-contract.ts";

const PATH = "/api/v3/contents/generations/tasks";

taskApiContract({
  kind: "ark",
  authorization: "Bearer their-key",
  orders: [
    {
      name: "text, every default written out",
      order: videoOrder("videoa", { audio: true, watermark: false }),
      path: PATH,
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
      name: "a prompt's words without its commands, which would make another video",
      order: videoOrder("videoa", {
        audio: true,
        watermark: false,
        prompt:
          "A lighthouse --resolution 1080p  --dur 12 at night --rt 1:1 --seed -1\n--wm true -- and --on",
      }),
      path: PATH,
      body: {
        model: "their-model",
        content: [{ type: "text", text: "A lighthouse at night\n -- and --on" }],
        resolution: "720p",
        ratio: "16:9",
        duration: 5,
        generate_audio: true,
        watermark: false,
        return_last_frame: false,
      },
    },
    {
      name: "references of every kind, an asset among them",
      order: videoOrder("videoa", {
        prompt: "",
        durationSeconds: -1,
        resolution: "1080p",
        ratio: "adaptive",
        audio: false,
        seed: 7,
        watermark: true,
        returnLastFrame: true,
        tools: ["web_search"],
        references: [
          { kind: "image", role: "reference", url: "https://a.example/1.png" },
          { kind: "video", role: "reference", url: "asset://asset-1" },
          { kind: "audio", role: "reference", url: "https://a.example/1.mp3" },
        ],
      }),
      path: PATH,
      body: {
        model: "their-model",
        content: [
          { type: "image_url", image_url: { url: "https://a.example/1.png" }, role: "reference_image" },
          { type: "video_url", video_url: { url: "asset://asset-1" }, role: "reference_video" },
          { type: "audio_url", audio_url: { url: "https://a.example/1.mp3" }, role: "reference_audio" },
        ],
        resolution: "1080p",
        ratio: "adaptive",
        duration: -1,
        generate_audio: false,
        seed: 7,
        watermark: true,
        return_last_frame: true,
        tools: [{ type: "web_search" }],
      },
    },
    {
      name: "frames",
      order: videoOrder("videoa", {
        audio: true,
        watermark: false,
        references: [
          { kind: "image", role: "first_frame", url: "data:image/png;base64,AAAA" },
          { kind: "image", role: "last_frame", url: "https://a.example/2.png" },
        ],
      }),
      path: PATH,
      body: {
        model: "their-model",
        content: [
          { type: "text", text: "A lighthouse" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" }, role: "first_frame" },
          { type: "image_url", image_url: { url: "https://a.example/2.png" }, role: "last_frame" },
        ],
        resolution: "720p",
        ratio: "16:9",
        duration: 5,
        generate_audio: true,
        watermark: false,
        return_last_frame: false,
      },
    },
  ],
  accepted: (id) => ({ id }),
  error: (_status, message) => ({ error: { code: "InvalidParameter", message, type: "BadRequest" } }),
  peculiar: [
    {
      name: "a 503 that says that nothing was taken",
      status: 503,
      body: { error: { code: "ServerOverloaded", message: "full" } },
      next: "later",
    },
    {
      name: "a quota used up",
      status: 400,
      body: { error: { code: "QuotaExceeded.Tasks", message: "too many tasks" } },
      next: "later",
    },
    {
      name: "an overdue account",
      status: 400,
      body: { error: { code: "AccountOverdueError", message: "pay" } },
      next: "another",
    },
  ],
  polls: {
    path: (id) => `${PATH}/${id}`,
    word: (id, word) => ({ id, status: word }),
    records: [
      { name: "queued", body: (id) => ({ id, status: "queued" }), means: { type: "queued" } },
      { name: "running", body: (id) => ({ id, status: "running" }), means: { type: "running" } },
      {
        name: "success with last frame, seconds and tokens",
        body: (id) => ({
          id,
          model: "m",
          status: "succeeded",
          seed: 7,
          resolution: "720P",
          duration: 5,
          ratio: "16:9",
          content: { video_url: "https://v.example/1.mp4", last_frame_url: "https://v.example/1.png" },
          usage: { completion_tokens: 100, total_tokens: 100 },
        }),
        means: {
          type: "succeeded",
          result: {
            outputs: [{ url: "https://v.example/1.mp4" }],
            lastFrameUrl: "https://v.example/1.png",
            durationSeconds: 5,
            resolution: "720p",
            usage: { completion_tokens: 100, total_tokens: 100 },
            layout: "ark",
          },
        },
      },
      {
        name: "a success that shows nothing yet as that",
        body: (id) => ({ id, status: "succeeded", content: { video_url: "" } }),
        means: { type: "resultless" },
      },
      {
        name: "a failure, which comes with HTTP 200",
        body: (id) => ({
          id,
          status: "failed",
          error: { code: "OutputVideoSensitiveContentDetected", message: "too rude" },
        }),
        means: { type: "failed", reason: "too rude" },
      },
      {
        name: "an expiry as a failure",
        body: (id) => ({ id, status: "expired" }),
        means: { type: "failed", reason: "The vendor ended the task as expired." },
      },
      {
        name: "a cancellation as a failure",
        body: (id) => ({ id, status: "cancelled" }),
        means: { type: "failed", reason: "The vendor ended the task as cancelled." },
      },
    ],
  },
});
