import type { JsonObject } from "../../json.ts";
import { spoilUsage } from "../../usage-fault.ts";
import { FRAMES_PER_SECOND } from "../files/file-spec.ts";
import { type Life, reasonOf } from "../life.ts";
import type { Task } from "../task.ts";

/** The links of a finished task. */
export interface ResultLinks {
  result: string;
  lastFrame: string;
  expiresSeconds: number;
}

/** The response to a submit of an image. */
export function encodeImageSubmit(task: Task): JsonObject {
  return { code: 200, status: "submitted", task_id: task.id, id: task.id };
}

/** The response to a submit of a video. */
export function encodeVideoSubmit(task: Task): JsonObject {
  return {
    id: task.id,
    task_id: task.id,
    object: "video",
    model: task.order.model,
    status: "queued",
    progress: 0,
    created_at: seconds(task.createdMs),
  };
}

/** An image's record; `told` is the status said, which a scenario may have made up. */
export function encodeImageTask(task: Task, life: Life, told: string, links: ResultLinks): JsonObject {
  return {
    task_id: task.id,
    status: told,
    progress: `${life.percent}%`,
    created: seconds(task.createdMs),
    data: told === "SUCCESS" ? [{ url: links.result }] : [],
    fail_reason: told === "FAILED" ? failReason(task) : "",
  };
}

/** A video's record. */
export function encodeVideoTask(task: Task, life: Life, told: string, links: ResultLinks): JsonObject {
  return {
    task_id: task.id,
    action: task.order.references.length === 0 ? "textGenerate" : "generate",
    status: told,
    fail_reason: told === "FAILURE" ? failReason(task) : "",
    submit_time: seconds(task.createdMs),
    start_time: seconds(life.startedMs ?? 0),
    finish_time: seconds(life.endedMs ?? 0),
    progress: `${life.percent}%`,
    data: told === "SUCCESS" ? encodeResult(task, links) : null,
  };
}

/** Also where a scenario says FAILURE of a task that has not failed. */
function failReason(task: Task): string {
  return reasonOf(task.scenario) || "the generation failed";
}

function encodeResult(task: Task, links: ResultLinks): JsonObject {
  const { order, scenario } = task;
  const measures = spoilUsage({ duration: task.seconds }, scenario.usage);
  const about = { ...measures, resolution: order.resolution };
  if (order.family !== "videoa") {
    const videos = [{ url: [links.result], expires_at: links.expiresSeconds }];
    return { id: task.id, status: "completed", progress: 100, result: { videos }, ...about };
  }
  const usage = spoilUsage(tokensOf(task), scenario.usage);
  const used = usage === undefined ? {} : { usage };
  const last = order.lastFrame ? { last_frame_url: links.lastFrame } : {};
  const whole = { ...about, ratio: order.ratio, framespersecond: FRAMES_PER_SECOND };
  if (scenario.layout === "ark") return { content: { video_url: links.result, ...last }, ...used, ...whole };
  const outputs = [links.result];
  return {
    task: { id: task.id, status: "succeeded", model: order.model, outputs, ...used, ...last },
    ...whole,
  };
}

/** The vendor's own sum: pixels of all frames by 1,024. */
function tokensOf({ order, seconds: length }: Task): JsonObject {
  const tokens = Math.round((order.size.width * order.size.height * FRAMES_PER_SECOND * length) / 1_024);
  return { completion_tokens: tokens, total_tokens: tokens };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
