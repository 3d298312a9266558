import type { Scenario } from "../scenario.ts";
import { createSeeded, seedOf } from "../seeded.ts";
import type { FileSpec } from "./files/file-spec.ts";
import { drawnText } from "./files/file-spec.ts";
import type { MediaOrder } from "./order.ts";
import type { Size } from "./pixels.ts";

/** An accepted order. Some hundred bytes each: nothing is made before its file is asked for. */
export interface Task {
  id: string;
  /** The owner: a credential's fingerprint, or null without one. */
  account: string | null;
  order: MediaOrder & { size: Size };
  createdMs: number;
  scenario: Scenario;
  /** The number of reads of its record and of its files. */
  polled: number;
  fetched: number;
  /** Seconds of the video, whatever the order left open. */
  seconds: number;
}

/** A model that decides for itself is brief: somewhere from its least to this. */
const DECIDED_SECONDS = { least: 4, most: 12 };
const DEFAULT_EXPIRY_SECONDS = 86_400;

export function newTask(task: Omit<Task, "polled" | "fetched" | "seconds">): Task {
  const { order, scenario } = task;
  // Bytes of images and long prompts are not kept: ten thousand tasks would be gigabytes of them.
  const references = order.references.map((url) => (url.startsWith("data:") ? "data:" : url));
  const kept = { ...order, prompt: drawnText(order.prompt), references };
  return { ...task, order: kept, polled: 0, fetched: 0, seconds: secondsOf(order, scenario) };
}

function secondsOf(order: MediaOrder, scenario: Scenario): number {
  if (order.seconds !== -1) return order.seconds;
  const { least, most } = DECIDED_SECONDS;
  const decided = least + createSeeded(seedOf(order.prompt)).below(most - least + 1);
  return Math.min(scenario.seconds ?? decided, order.mostSeconds);
}

/** Until when the links of a task that ended then are good, in Unix seconds. */
export function expiryOf(task: Task, endedMs: number): number {
  return Math.floor(endedMs / 1_000) + (task.scenario.expiresSeconds ?? DEFAULT_EXPIRY_SECONDS);
}

/** Names of a task's files: its result, and a video's last frame. */
export function fileNames(task: Task): { result: string; lastFrame: string } {
  const extension = task.order.medium === "video" ? "mp4" : (task.scenario.format ?? "png");
  return { result: `${task.id}.${extension}`, lastFrame: `${task.id}-last.png` };
}

/** The task of a file, by its name. */
export function taskIdOf(fileName: string): string {
  return fileName.replace(/(-last)?\.\w+$/, "");
}

/** The content of the file of that name; undefined for a name the task has no file of. */
export function specOf(task: Task, name: string): FileSpec | undefined {
  const { order, scenario, seconds } = task;
  const { model, prompt } = order;
  const { width, height } = order.size;
  const video = order.medium === "video";
  const caption = `${model} ${width}x${height}${video ? ` ${seconds}s` : ""}${order.watermark ? " ai generated" : ""}`;
  const seed = seedOf(`${order.seed ?? ""}\0${prompt}`);
  const drawing = { width, height, text: prompt, caption, seed };
  const names = fileNames(task);
  if (name === names.result) {
    if (!video) return { kind: "image", ...drawing, format: scenario.format ?? "png" };
    return { kind: "video", ...drawing, seconds, sound: order.sound };
  }
  if (name === names.lastFrame && order.lastFrame) return { kind: "last-frame", ...drawing, seconds };
  return undefined;
}
