import type { StartedSandbox } from "./started-sandbox.ts";

export type Body = Record<string, unknown>;

/** Bodies the sandbox accepts; a test changes what it is about. `undefined` leaves a field out. */
export const imageBody = (change: Body = {}): Body => ({
  model: "imagegen-2",
  prompt: "A red fox in snow",
  size: "1:1",
  resolution: "1k",
  ...change,
});

export const videoaBody = (change: Body = {}, ...references: Body[]): Body => ({
  model: "videoa-2.0",
  content: [{ type: "text", text: "A red fox runs" }, ...references],
  resolution: "720p",
  ratio: "16:9",
  duration: 5,
  generate_audio: true,
  watermark: false,
  return_last_frame: false,
  ...change,
});

export const videobBody = (change: Body = {}): Body => ({
  model: "videob-3.0-video",
  prompt: "A red fox runs",
  duration: 5,
  resolution: "480P",
  size: "16:9",
  audio: true,
  watermark: false,
  ...change,
});

export const videocBody = (change: Body = {}): Body => ({
  model: "videoc-H3-Comfy",
  prompt: "A red fox runs",
  duration: 3,
  resolution: "480P",
  aspect_ratio: "9:16",
  image_urls: ["https://images.example/fox.png"],
  ...change,
});

export const IMAGES = "/v1/images/generations";
export const VIDEOS = "/v2/videos/generations";
export const ASSETS = "/v1/videoa/asset/create";

// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
type Response = { status: number; headers: Headers; json: any; bytes: Buffer };

/** Gets a path or a whole link. */
export async function get(
  sandbox: StartedSandbox,
  target: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Response> {
  const response = await fetch(new URL(target, sandbox.url), { method, headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, json: parsed(bytes) };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Submits and gives the id; fails on a refusal. */
export async function submit(
  sandbox: StartedSandbox,
  body: Body,
  headers: Record<string, string> = {},
): Promise<string> {
  const path = String(body["model"]).startsWith("imagegen") ? IMAGES : VIDEOS;
  const response = await sandbox.post(path, body, headers);
  if (response.status !== 200) throw new Error(`refused with ${response.status}: ${response.text}`);
  return response.json.task_id as string;
}

export const imageTask = (id: string): string => `/v1/images/tasks/${id}`;
export const videoTask = (id: string): string => `${VIDEOS}/${id}`;
