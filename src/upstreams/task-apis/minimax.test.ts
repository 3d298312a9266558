import { taskApiContract, videoOrder } from "../../../test/support/task-api-contract.ts";

taskApiContract({
  kind: "minimax",
  authorization: "Bearer their-key",
  orders: [
    {
      name: "images and a voice",
      order: videoOrder("videoc", {
        resolution: "768p",
        ratio: "9:16",
        seed: 5,
        references: [
          { kind: "image", role: "reference", url: "https://a.example/1.png" },
          { kind: "audio", role: "reference", url: "https://a.example/1.mp3" },
        ],
      }),
      path: "/v2/video_generation",
      body: {
        model: "their-model",
        content: [
          { type: "text", text: "A lighthouse" },
          { type: "image_url", image_url: { url: "https://a.example/1.png" }, role: "reference_image" },
          { type: "audio_url", audio_url: { url: "https://a.example/1.mp3" }, role: "reference_audio" },
        ],
        resolution: "768P",
        ratio: "9:16",
        duration: 5,
        seed: 5,
      },
    },
  ],
  accepted: (id) => ({ task_id: id, base_resp: { status_code: 0, status_msg: "success" } }),
  error: (_status, message) => ({ error: { type: "bad_request_error", message } }),
  peculiar: [
    ...(
      [
        [1002, "later"],
        [1004, "another"],
        [1008, "another"],
        [1026, "fail"],
        [2013, "fail"],
        [2056, "another"],
      ] as const
    ).map(([status_code, next]) => ({
      name: `code ${status_code} with HTTP 200`,
      status: 200,
      body: { base_resp: { status_code, status_msg: "no" } },
      next,
    })),
  ],
  polls: {
    path: (id) => `/v2/query/video_generation/${id}`,
    word: (id, word) => ({ task: { id, status: word } }),
    records: [
      {
        name: "queued",
        body: (id) => ({ task: { id, status: "queued" } }),
        means: { type: "queued" },
      },
      {
        name: "running",
        body: (id) => ({ task: { id, status: "running" }, base_resp: { status_code: 0 } }),
        means: { type: "running" },
      },
      {
        name: "success with its seconds",
        body: (id) => ({
          task: {
            id,
            status: "succeeded",
            content: { url: "https://v.example/1.mp4" },
            resolution: "768P",
            usage: { total_seconds: 5, input_image_count: 1 },
          },
        }),
        means: {
          type: "succeeded",
          result: {
            outputs: [{ url: "https://v.example/1.mp4" }],
            durationSeconds: 5,
            resolution: "768p",
            usage: { total_seconds: 5, input_image_count: 1 },
          },
        },
      },
      {
        name: "a failure",
        body: (id) => ({ task: { id, status: "failed", error: { code: 1026, message: "too rude" } } }),
        means: { type: "failed", reason: "too rude" },
      },
      {
        name: "an error with HTTP 200 as running",
        body: () => ({ base_resp: { status_code: 1002, status_msg: "slow down" } }),
        means: { type: "running" },
      },
    ],
  },
});
