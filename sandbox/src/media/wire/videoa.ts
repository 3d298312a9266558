import { isObject, type Json, type JsonObject, objectOr } from "../../json.ts";
import type { MediaOrder } from "../order.ts";
import { VIDEO_RATIOS, videoSize } from "../pixels.ts";
import { isImageData, publicUrl, strictBody, wrong } from "./strict-body.ts";

const REQUIRED = [
  "model",
  "content",
  "resolution",
  "ratio",
  "duration",
  "generate_audio",
  "watermark",
  "return_last_frame",
];
const OPTIONAL = ["seed", "tools"];
const MAX_SEED = 2 ** 32 - 1;

/** The differences between the generations. */
interface Variant {
  mostSeconds: number;
  most: Readonly<Record<string, number>>;
  resolutions: readonly string[];
  is25: boolean;
}

const ROLES: Readonly<Record<string, readonly string[]>> = {
  image_url: ["first_frame", "last_frame", "reference_image"],
  video_url: ["reference_video"],
  audio_url: ["reference_audio"],
};

interface Item {
  kind: "text" | "image_url" | "video_url" | "audio_url";
  role: string;
  value: string;
}

/** A video as family videoa asks for it. */
export function decodeVideoa(body: JsonObject): MediaOrder {
  const fields = strictBody(body, REQUIRED, OPTIONAL);
  const model = fields.text("model");
  const variant = variantOf(model);
  const items = fields.list("content").map((item, index) => decodeItem(item, `content[${index}]`, variant));
  checkRoles(items, variant);
  const resolution = fields.word("resolution", variant.resolutions, "any case");
  const ratio = fields.word("ratio", [...VIDEO_RATIOS, "adaptive"]);
  const frames = items.some(({ role }) => role === "first_frame");
  if (variant.is25 && frames && ratio !== "adaptive") wrong("ratio", "must be adaptive beside a first frame");
  const seconds = fields.integer("duration", -1, variant.mostSeconds);
  if (seconds !== -1 && seconds < 4) wrong("duration", `must be -1 or from 4 to ${variant.mostSeconds}`);
  if (fields.has("tools")) checkTools(fields.list("tools"));
  return {
    medium: "video",
    family: "videoa",
    model,
    prompt: items.flatMap(({ kind, value }) => (kind === "text" ? [value] : [])).join("\n"),
    size: ratio === "adaptive" ? undefined : videoSize(resolution, ratio),
    seconds,
    resolution,
    ratio,
    sound: fields.boolean("generate_audio"),
    lastFrame: fields.boolean("return_last_frame"),
    watermark: fields.boolean("watermark"),
    seed: fields.has("seed") ? fields.integer("seed", -1, MAX_SEED) : undefined,
    references: items.flatMap(({ kind, value }) => (kind === "text" ? [] : [value])),
    mostSeconds: variant.mostSeconds,
  };
}

function variantOf(model: string): Variant {
  const is25 = model.includes("2.5");
  const small = /-(fast|mini)$/.test(model);
  return {
    is25,
    mostSeconds: is25 ? 30 : 15,
    resolutions: small ? ["720p"] : ["720p", "1080p"],
    most: is25
      ? { text: 1, reference_image: 30, reference_video: 10, reference_audio: 10 }
      : { reference_image: 9, reference_video: 3, reference_audio: 3 },
  };
}

function decodeItem(value: Json, field: string, { is25 }: Variant): Item {
  if (!isObject(value)) return wrong(field, "must be an object");
  const kind = value["type"];
  if (kind === "text") {
    onlyFields(value, field, ["type", "text"]);
    const text = value["text"];
    if (typeof text !== "string" || text === "") return wrong(`${field}.text`, "must not be empty");
    return { kind, role: "text", value: text };
  }
  if (kind !== "image_url" && kind !== "video_url" && kind !== "audio_url")
    return wrong(`${field}.type`, "must be text, image_url, video_url or audio_url");
  onlyFields(value, field, ["type", "role", kind]);
  const url = objectOr(value[kind])["url"];
  if (typeof url !== "string") return wrong(`${field}.${kind}.url`, "must be a text");
  const inline = kind === "image_url" && !is25 && isImageData(url);
  if (!inline && !/^asset:\/\/\S+$/.test(url)) publicUrl(`${field}.${kind}.url`, url);
  const role = value["role"];
  const allowed = ROLES[kind] ?? [];
  if (typeof role !== "string" || !allowed.includes(role))
    return wrong(`${field}.role`, `must be one of ${allowed.join(", ")}`);
  return { kind, role, value: url };
}

function onlyFields(value: JsonObject, field: string, allowed: readonly string[]): void {
  const extra = Object.keys(value).find((name) => !allowed.includes(name));
  if (extra !== undefined) wrong(`${field}.${extra}`, "is not a field of this item");
}

/** Rules 2 to 4 of the family, and how many of each kind a generation takes. */
function checkRoles(items: readonly Item[], { most, is25 }: Variant): void {
  const count = (role: string): number => items.filter((item) => item.role === role).length;
  const [first, last] = [count("first_frame"), count("last_frame")];
  const [images, videos, audios] = [
    count("reference_image"),
    count("reference_video"),
    count("reference_audio"),
  ];
  if (first > 1 || last > 1) wrong("content", "takes one first and one last frame");
  if (last === 1 && first === 0) wrong("content", "has a last frame without a first frame");
  if (first === 1 && videos + audios > 0) wrong("content", "has a reference video or audio beside a frame");
  if (!is25 && audios > 0 && images + videos === 0) wrong("content", "has audio without an image or video");
  for (const [role, limit] of Object.entries(most)) {
    if (count(role) > limit) wrong("content", `takes at most ${limit} of ${role}`);
  }
}

function checkTools(tools: readonly Json[]): void {
  for (const tool of tools) {
    if (!isObject(tool) || tool["type"] !== "web_search" || Object.keys(tool).length !== 1)
      wrong("tools", 'takes only { "type": "web_search" }');
  }
}
