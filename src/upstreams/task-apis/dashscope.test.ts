import { taskApiContract, videoOrder } from "../../../test/support/task-api-contract.ts";

const PATH = "/api/v1/services/aigc/video-generation/video-synthesis";

taskApiContract({
  kind: "dashscope",
  authorization: "Bearer their-key",
  orders: [
    {
      name: "text, every default written out",
      order: videoOrder("videob", { resolution: "1080p", ratio: "adaptive", audio: true, watermark: false }),
      path: PATH,
      headers: { "x-dashscope-async": "enable" },
      body: {
        model: "their-model",
        input: { prompt: "A lighthouse" },
        parameters: { resolution: "1080P", ratio: "adaptive", duration: 5, audio: true, watermark: false },
      },
    },
    {
      name: "references and a document",
      order: videoOrder("videob", {
        audio: false,
        watermark: true,
        seed: 9,
        promptExtend: true,
        references: [
          { kind: "image", role: "reference", url: "https://a.example/1.png" },
          { kind: "video", role: "reference", url: "https://a.example/1.mp4" },
          { kind: "audio", role: "reference", url: "https://a.example/1.mp3" },
        ],
        fileUrl: "https://a.example/1.pdf",
      }),
      path: PATH,
      body: {
        model: "their-model",
        input: {
          prompt: "A lighthouse",
          media: [
            { type: "reference_image", url: "https://a.example/1.png" },
            { type: "reference_video", url: "https://a.example/1.mp4" },
            { type: "reference_audio", url: "https://a.example/1.mp3" },
            { type: "file", url: "https://a.example/1.pdf" },
          ],
        },
        parameters: {
          resolution: "720P",
          ratio: "16:9",
          duration: 5,
          audio: false,
          watermark: true,
          seed: 9,
          prompt_extend: true,
        },
      },
    },
    {
      name: "frames and a web page",
      order: videoOrder("videob", {
        references: [{ kind: "image", role: "first_frame", url: "https://a.example/1.png" }],
        linkUrl: "https://a.example/",
      }),
      path: PATH,
      body: {
        model: "their-model",
        input: {
          prompt: "A lighthouse",
          media: [
            { type: "first_frame", url: "https://a.example/1.png" },
            { type: "link", url: "https://a.example/" },
          ],
        },
        parameters: { resolution: "720P", ratio: "16:9", duration: 5 },
      },
    },
  ],
  accepted: (id) => ({ request_id: "r", output: { task_id: id, task_status: "PENDING" } }),
  error: (_status, message) => ({ request_id: "r", code: "InvalidParameter", message }),
  peculiar: [
    {
      name: "a 503 that says that nothing was taken",
      status: 503,
      body: { code: "ModelUnavailable", message: "full" },
      next: "another",
    },
    {
      name: "an account that owes money, as a 400",
      status: 400,
      body: { code: "Arrearage", message: "pay" },
      next: "another",
    },
    {
      name: "a limit of its own",
      status: 400,
      body: { code: "Throttling.RateQuota", message: "slow down" },
      next: "later",
    },
  ],
  polls: {
    path: (id) => `/api/v1/tasks/${id}`,
    word: (id, word) => ({ request_id: "r", output: { task_id: id, task_status: word } }),
    records: [
      {
        name: "queued",
        body: (id) => ({ output: { task_id: id, task_status: "PENDING" } }),
        means: { type: "queued" },
      },
      {
        name: "running",
        body: (id) => ({ output: { task_id: id, task_status: "RUNNING" } }),
        means: { type: "running" },
      },
      {
        name: "success with its seconds and lines",
        body: (id) => ({
          request_id: "r",
          output: { task_id: id, task_status: "SUCCEEDED", video_url: "https://v.example/1.mp4" },
          usage: { duration: 10, input_video_duration: 5, output_video_duration: 5, SR: 720, video_count: 1 },
        }),
        means: {
          type: "succeeded",
          result: {
            outputs: [{ url: "https://v.example/1.mp4" }],
            durationSeconds: 5,
            resolution: "720p",
            usage: {
              duration: 10,
              input_video_duration: 5,
              output_video_duration: 5,
              SR: 720,
              video_count: 1,
            },
          },
        },
      },
      {
        name: "a failure",
        body: (id) => ({
          output: { task_id: id, task_status: "FAILED", code: "DataInspectionFailed", message: "too rude" },
        }),
        means: { type: "failed", reason: "too rude" },
      },
      {
        name: "an id it has forgotten as running",
        body: (id) => ({ output: { task_id: id, task_status: "UNKNOWN" } }),
        means: { type: "running" },
      },
    ],
  },
});
