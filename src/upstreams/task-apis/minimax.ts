import type { VideoOrder } from "../../families/family.ts";
import { contentItem } from "./order-bodies.ts";
import { type SubmitAbout, wantVideo } from "./task-api.ts";
import { taskApiOf } from "./task-table.ts";

/** The API from which family videoc comes. https://platform.minimax.io/docs/api-reference/video-generation-v2-create */
export const minimax = taskApiOf({
  name: "minimax",
  idempotent: false,
  submit: (order, about) => ({
    path: "/v2/video_generation",
    body: bodyOf(wantVideo(order, "minimax"), about),
  }),
  taskId: ["task_id", "task.id"],
  refusal: {
    // Its newer errors have true statuses; the older ones come with HTTP 200 and a number of their own.
    // https://platform.minimax.io/docs/api-reference/errorcode
    code: ["base_resp.status_code", "error.code"],
    good: ["0"],
    message: ["base_resp.status_msg", "error.message"],
    codes: {
      1002: "later", // rate limit
      1041: "later", // connections
      2045: "later", // growth of the rate
      1026: "fail", // the prompt is refused by moderation
      1027: "fail", // the output is
      1042: "fail", // too many invisible characters
      2013: "fail", // a parameter
      1004: "another", // the key
      1008: "another", // the balance
      2049: "another", // the key
      2056: "another", // the plan's quota
    },
    faults: ["1000", "1001", "1013", "1024", "1033"],
  },
  pollPath: (id) => `/v2/query/video_generation/${id}`,
  record: {
    at: "task",
    id: ["id"],
    state: ["status"],
    reason: ["error.message", "error", "error.code"],
    outputs: ["content.url", "content.video_url"],
    // The seconds that it made; `total_seconds` counts input as well, which videoc never has.
    seconds: ["usage.output_seconds", "usage.total_seconds", "duration"],
    resolution: ["resolution"],
    usage: ["usage"],
  },
});

function bodyOf(order: VideoOrder, { model }: SubmitAbout): object {
  return {
    model,
    content: [{ type: "text", text: order.prompt }, ...order.references.map(contentItem)],
    resolution: order.resolution.toUpperCase(),
    ratio: order.ratio,
    duration: order.durationSeconds,
    seed: order.seed ?? undefined,
  };
}
