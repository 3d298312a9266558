import type { VideoOrder } from "../../families/family.ts";
import { roleWord } from "./order-bodies.ts";
import { type SubmitAbout, wantVideo } from "./task-api.ts";
import { taskApiOf } from "./task-table.ts";

/**
 * The API from which family videob comes. Ids live 24 hours; one that it has forgotten is UNKNOWN, which says nothing.
 * https://www.alibabacloud.com/help/en/model-studio/wan3-video-generation-api-reference
 */
export const dashscope = taskApiOf({
  name: "dashscope",
  idempotent: false,
  submit: (order, about) => ({
    path: "/api/v1/services/aigc/video-generation/video-synthesis",
    headers: { "x-dashscope-async": "enable" },
    body: bodyOf(wantVideo(order, "dashscope"), about),
  }),
  taskId: ["output.task_id"],
  refusal: {
    code: ["code"],
    message: ["message"],
    codes: {
      // Comes as a 400: the account there owes money.
      Arrearage: "another",
      InvalidApiKey: "another",
      "AccessDenied*": "another",
      ModelNotFound: "another",
      "Throttling*": "later",
      // A 503: the model serves nobody now. Of its 500s (InternalError ...) none says so.
      ModelUnavailable: "another",
    },
  },
  pollPath: (id) => `/api/v1/tasks/${id}`,
  record: {
    at: "",
    id: ["output.task_id"],
    state: ["output.task_status"],
    reason: ["output.message", "message", "output.code", "code"],
    outputs: ["output.video_url"],
    seconds: ["usage.output_video_duration", "usage.duration", "usage.video_duration"],
    resolution: ["usage.SR", "usage.resolution"],
    usage: ["usage"],
    refine: (outcome) =>
      outcome.type === "succeeded" && outcome.result.resolution !== undefined
        ? { ...outcome, result: { ...outcome.result, resolution: lineWord(outcome.result.resolution) } }
        : outcome,
  },
});

function bodyOf(order: VideoOrder, { model }: SubmitAbout): object {
  const media = [
    ...order.references.map(({ kind, role, url }) => ({ type: roleWord({ kind, role }), url })),
    ...(order.fileUrl === null ? [] : [{ type: "file", url: order.fileUrl }]),
    ...(order.linkUrl === null ? [] : [{ type: "link", url: order.linkUrl }]),
  ];
  return {
    model,
    input: { prompt: order.prompt, media: media.length === 0 ? undefined : media },
    parameters: {
      resolution: order.resolution.toUpperCase(),
      ratio: order.ratio,
      duration: order.durationSeconds,
      audio: order.audio ?? undefined,
      prompt_extend: order.promptExtend ?? undefined,
      seed: order.seed ?? undefined,
      watermark: order.watermark ?? undefined,
    },
  };
}

/** It counts lines without the p. */
function lineWord(resolution: string): string {
  return /^\d+$/.test(resolution) ? `${resolution}p` : resolution;
}
