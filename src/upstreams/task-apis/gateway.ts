import type { MediaOrder } from "../../families/family.ts";
import { imagegenBody, videoaBody, videobBody, videocBody } from "./order-bodies.ts";
import { valueAt } from "./poll.ts";
import type { PollOutcome, SubmitAbout } from "./task-api.ts";
import { type TaskTable, taskApiOf } from "./task-table.ts";

/** This same API on another service: shared/spec/gateway-api.md, seen from the caller's side. */
const GATEWAY_TABLE: TaskTable = {
  name: "gateway",
  // The key is sent and may be heeded, but the specification does not promise it.
  idempotent: false,
  submit: (order, about) => ({
    path: order.medium === "image" ? "/v1/images/generations" : "/v2/videos/generations",
    headers: { "idempotency-key": about.taskId },
    body: bodyOf(order, about),
  }),
  taskId: ["task_id", "id"],
  refusal: {
    // Shape A and shape B; an image's submit says `code: 200`.
    code: ["error.code", "code"],
    good: ["200"],
    message: ["error.message", "message"],
    codes: {
      insufficient_user_quota: "another",
      model_not_found: "another",
      unsupported_endpoint: "another",
      // A 503 from before there is a task.
      no_available_upstream: "another",
    },
  },
  pollPath: (id, { medium }) =>
    medium === "image" ? `/v1/images/tasks/${id}` : `/v2/videos/generations/${id}`,
  record: {
    at: "",
    id: ["task_id"],
    state: ["status"],
    progress: ["progress"],
    reason: ["fail_reason"],
    outputs: ["data.task.outputs", "data.content.video_url", "data.result.videos.0.url", "data.0.url"],
    expiresAt: ["data.result.videos.0.expires_at", "data.0.expires_at"],
    lastFrame: ["data.task.last_frame_url", "data.content.last_frame_url"],
    seconds: ["data.task.duration", "data.duration"],
    resolution: ["data.task.resolution", "data.resolution"],
    usage: ["data.task.usage", "data.usage"],
    refine,
  },
};

export const gateway = taskApiOf(GATEWAY_TABLE);

/** The sandbox speaks the specification's own API. */
export const sandbox = taskApiOf({ ...GATEWAY_TABLE, name: "sandbox" });

/** The request of this API that asks for the order, every default written out. */
export function bodyOf(order: MediaOrder, about: Pick<SubmitAbout, "model">): object {
  switch (order.family) {
    case "imagegen":
      return imagegenBody(order, about);
    case "videoa":
      return videoaBody(order, about);
    case "videob":
      return videobBody(order, about);
    case "videoc":
      return videocBody(order, about);
  }
}

/** The other service's request id means nothing to our caller, who gets our own. */
function refine(outcome: PollOutcome, record: unknown): PollOutcome {
  if (outcome.type === "failed") {
    return { ...outcome, reason: outcome.reason.replace(/ ?\(request id: [^()]*\)$/, "") };
  }
  return outcome.type === "succeeded" && valueAt(record, "data.content.video_url") !== undefined
    ? { ...outcome, result: { ...outcome.result, layout: "ark" } }
    : outcome;
}
