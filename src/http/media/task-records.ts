import { validSeconds } from "../../base/clock.ts";
import type { Task } from "../../tasks/tasks.ts";

type TaskResult = NonNullable<Task["result"]>;

/** The response to a submitted video. */
export function videoSubmitted(task: Task): object {
  return {
    id: task.id,
    task_id: task.id,
    object: "video",
    model: task.model,
    status: "queued",
    progress: 0,
    created_at: task.submitTime,
  };
}

/** A video's task as its account reads it. */
export function videoRecord(task: Task): object {
  return {
    task_id: task.id,
    action: task.action,
    status: task.state,
    fail_reason: failReason(task),
    submit_time: task.submitTime,
    start_time: task.startTime,
    finish_time: task.finishTime,
    progress: `${task.progressPercent}%`,
    data: task.state === "SUCCESS" && task.result !== null ? dataOf(task, task.result) : null,
  };
}

/** Families videob and videoc say which request it was, so that a reason can be asked about. */
function failReason({ state, failReason: reason, family, requestId }: Task): string {
  if (state !== "FAILURE") return "";
  return family === "videoa" ? reason : `${reason} (request id: ${requestId})`;
}

/** The family's own layout, whatever upstream made the video: clients take the link from where it sits. */
function dataOf(task: Task, result: TaskResult): object {
  const layout = task.family === "videoa" ? videoaData(task, result) : listData(task, result);
  // It is kept only for an open duration, by which an older gateway settles.
  const { durationSeconds = 0 } = result;
  return durationSeconds > 0 ? { ...layout, duration: durationSeconds } : layout;
}

function videoaData({ id, model }: Task, { outputs, usage, lastFrameUrl, layout }: TaskResult): object {
  const lastFrame = lastFrameUrl === undefined ? {} : { last_frame_url: lastFrameUrl };
  const urls = outputs.map(({ url }) => url);
  return {
    task: { id, status: "succeeded", model, outputs: urls, usage: usage ?? {}, ...lastFrame },
    content: layout === "ark" ? { video_url: urls[0] ?? "", ...lastFrame } : undefined,
  };
}

/** Links are good for about this long where the upstream does not say. */
const LINK_SECONDS = 24 * 3_600;

function listData({ id, finishTime }: Task, { outputs }: TaskResult): object {
  const videos = outputs.map(({ url, expiresAt }) => ({
    url: [url],
    expires_at: validSeconds(expiresAt) ?? finishTime + LINK_SECONDS,
  }));
  return { id, status: "completed", progress: 100, result: { videos } };
}

/** The response to a submitted image. */
export function imageSubmitted({ id }: Task): object {
  return { code: 200, status: "submitted", task_id: id, id };
}

/** An image's task as its account reads it; images say FAILED where videos say FAILURE. */
export function imageRecord(task: Task): object {
  const urls = task.state === "SUCCESS" ? (task.result?.outputs ?? []) : [];
  return {
    status: task.state === "FAILURE" ? "FAILED" : task.state,
    task_id: task.id,
    progress: `${task.progressPercent}%`,
    created: task.submitTime,
    data: urls.map(({ url }) => ({ url })),
    fail_reason: task.state === "FAILURE" ? task.failReason : "",
  };
}
