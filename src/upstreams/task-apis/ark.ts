import { videoaBody } from "./order-bodies.ts";
import { wantVideo } from "./task-api.ts";
import { taskApiOf } from "./task-table.ts";

const PATH = "/api/v3/contents/generations/tasks";

/**
 * Volcengine Ark and BytePlus ModelArk, where family videoa comes from.
 * https://www.volcengine.com/docs/82379/1520757 (create), 1521309 (read).
 */
export const ark = taskApiOf({
  name: "ark",
  idempotent: false,
  submit: (order, about) => ({ path: PATH, body: videoaBody(wantVideo(order, "ark"), about) }),
  taskId: ["id"],
  refusal: {
    code: ["error.code"],
    message: ["error.message", "error", "message"],
    codes: {
      "QuotaExceeded*": "later",
      AccountOverdueError: "another",
      // Its way to say that it is full, whatever the status.
      ServerOverloaded: "later",
      ModelLoadingError: "later",
    },
  },
  pollPath: (id) => `${PATH}/${id}`,
  record: {
    at: "",
    id: ["id"],
    state: ["status"],
    reason: ["error.message", "error", "error.code"],
    outputs: ["content.video_url"],
    lastFrame: ["content.last_frame_url"],
    seconds: ["duration"],
    resolution: ["resolution"],
    usage: ["usage"],
    refine: (outcome) =>
      outcome.type === "succeeded" ? { ...outcome, result: { ...outcome.result, layout: "ark" } } : outcome,
  },
});
