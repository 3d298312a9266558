import { expect, it } from "vitest";
import { apiOf, imageOrder, taskApiContract, videoOrder } from "../../../test/support/task-api-contract.ts";

taskApiContract({
  kind: "sandbox",
  authorization: "Bearer their-key",
  orders: [
    { name: "a picture", order: imageOrder(), path: "/v1/images/generations" },
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
