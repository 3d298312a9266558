import { taskApiContract, videoOrder } from "../../../test/support/task-api-contract.ts";

taskApiContract({
  kind: "seedance-relay",
  authorization: "Bearer their-key",
  orders: [
    {
      name: "text, every default written out",
      order: videoOrder("videoa", { audio: true, watermark: false }),
      path: "/seedance/v1/video/generate",
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
  ],
  accepted: (id) => ({ task: { id, status: "queued" } }),
  error: (status, message) => ({ code: status, message }),
  peculiar: [
    {
      name: "a 503 that says that nothing was taken",
      status: 503,
      body: { code: "get_channel_failed", message: "full" },
      next: "another",
    },
    { name: "a bad order with HTTP 200", status: 200, body: { code: 400, message: "no" }, next: "fail" },
    { name: "a limit with HTTP 200", status: 200, body: { code: 429, message: "no" }, next: "later" },
    {
      name: "an empty account",
      status: 400,
      body: { code: "insufficient_user_quota", message: "no" },
      next: "another",
    },
  ],
  polls: {
    path: (id) => `/seedance/v1/video/tasks/${id}`,
    word: (id, word) => ({ code: "success", data: { task_id: id, status: word } }),
    records: [
      {
        name: "queued",
        body: (id) => ({ code: "success", data: { task_id: id, status: "QUEUED", progress: "0%" } }),
        means: { type: "queued" },
      },
      {
        name: "the vendor's own word where the relay has none",
        body: (id) => ({ code: 200, data: { task_id: id, data: { task: { status: "queued" } } } }),
        means: { type: "queued" },
      },
      {
        name: "progress",
        body: (id) => ({ code: 0, data: { task_id: id, status: "IN_PROGRESS", progress: "150%" } }),
        means: { type: "running", progressPercent: 100 },
      },
      {
        name: "success with the vendor's task inside",
        body: (id) => ({
          code: "success",
          data: {
            task_id: id,
            status: "SUCCESS",
            progress: "100%",
            result_url: "https://v.example/r.mp4",
            data: {
              task: {
                id,
                status: "succeeded",
                outputs: ["https://v.example/1.mp4"],
                duration: 5,
                usage: { total_tokens: 9 },
                last_frame_url: "https://v.example/1.png",
              },
            },
          },
        }),
        means: {
          type: "succeeded",
          result: {
            outputs: [{ url: "https://v.example/1.mp4" }],
            durationSeconds: 5,
            lastFrameUrl: "https://v.example/1.png",
            usage: { total_tokens: 9 },
          },
        },
      },
      {
        name: "success of which only the relay's link is left",
        body: (id) => ({
          code: "success",
          data: { task_id: id, status: "SUCCESS", result_url: "https://v.example/r.mp4", data: null },
        }),
        means: { type: "succeeded", result: { outputs: [{ url: "https://v.example/r.mp4" }] } },
      },
      {
        name: "a failure",
        body: (id) => ({
          code: "success",
          data: { task_id: id, status: "FAILURE", fail_reason: "too rude" },
        }),
        means: { type: "failed", reason: "too rude" },
      },
      {
        name: "an error with HTTP 200 as running",
        body: () => ({ code: "task_not_exist", message: "no", data: null }),
        means: { type: "running" },
      },
    ],
  },
});
