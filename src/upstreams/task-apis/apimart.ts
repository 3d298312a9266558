import type { MediaOrder } from "../../families/family.ts";
import { imagegenBody, videobBody, videocBody } from "./order-bodies.ts";
import type { SubmitAbout } from "./task-api.ts";
import { taskApiOf } from "./task-table.ts";

/**
 * An aggregator with one task record for images and videos. Its errors may come with HTTP 200 and a
 * code of their own, numbered as statuses are. https://docs.apimart.ai/en/api-reference/tasks
 */
export const apimart = taskApiOf({
  name: "apimart",
  idempotent: false,
  submit: (order, about) => ({
    path: order.medium === "image" ? "/v1/images/generations" : "/v1/videos/generations",
    body: bodyOf(order, about),
  }),
  // A list of one; of older models an object.
  taskId: ["data.0.task_id", "data.task_id", "data.id", "data.0.id"],
  refusal: {
    code: ["error.code", "code"],
    // 200 as documented; its like begin to count at 0. A task that was taken must not be ordered again.
    good: ["200", "0", "success"],
    message: ["error.message", "message"],
    codes: {
      insufficient_user_quota: "another",
      // These two come with 500 and 503 as well, where no channel of its own was found to send the order to.
      model_not_found: "another",
      get_channel_failed: "another",
    },
  },
  pollPath: (id) => `/v1/tasks/${id}`,
  record: {
    at: "data",
    id: ["id", "task_id"],
    state: ["status"],
    progress: ["progress"],
    reason: ["error.message", "fail_reason", "error", "error.code"],
    outputs: ["result.videos.0.url", "result.images.0.url"],
    expiresAt: ["result.videos.0.expires_at", "result.images.0.expires_at"],
    seconds: ["result.videos.0.duration"],
    usage: ["usage"],
    cost: ["cost"],
  },
  batch: {
    // Nowhere does it say how many; this many ids and records stay small.
    max: 20,
    path: "/v1/tasks/batch",
    body: (ids) => ({ task_ids: ids }),
    list: ["data", "data.tasks"],
  },
});

function bodyOf(order: MediaOrder, about: SubmitAbout): object {
  switch (order.family) {
    case "imagegen":
      return { ...imagegenBody(order, about), n: 1 };
    case "videob":
      return videobBody(order, about);
    case "videoc":
      return videocBody(order, about);
    case "videoa":
      throw new RangeError("apimart is not asked for family videoa");
  }
}
