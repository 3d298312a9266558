import { videoaBody } from "./order-bodies.ts";
import { wantVideo } from "./task-api.ts";
import { taskApiOf } from "./task-table.ts";

/** A relay in front of family videoa that wraps the vendor's task into a record of its own. */
export const seedanceRelay = taskApiOf({
  name: "seedance-relay",
  idempotent: false,
  submit: (order, about) => ({
    path: "/seedance/v1/video/generate",
    body: videoaBody(wantVideo(order, "seedance-relay"), about),
  }),
  taskId: ["task.id", "data.task.id", "data.task_id", "task_id"],
  refusal: {
    code: ["error.code", "code"],
    good: ["0", "200", "success"],
    message: ["error.message", "message", "msg"],
    codes: {
      insufficient_user_quota: "another",
      // These two come with 500 and 503 as well, where no channel of its own was found to send the order to.
      model_not_found: "another",
      get_channel_failed: "another",
    },
  },
  pollPath: (id) => `/seedance/v1/video/tasks/${id}`,
  record: {
    at: "data",
    id: ["task_id"],
    // The relay's own word, or where it has none the vendor's.
    state: ["status", "data.task.status"],
    progress: ["progress"],
    reason: ["fail_reason", "data.task.error.message", "data.task.error", "data.task.error.code"],
    outputs: ["data.task.outputs", "result_url"],
    lastFrame: ["data.task.last_frame_url", "data.content.last_frame_url"],
    seconds: ["data.task.duration"],
    resolution: ["data.task.resolution"],
    usage: ["data.task.usage"],
  },
});
