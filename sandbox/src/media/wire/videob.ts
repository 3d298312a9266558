import { isObject, type Json, type JsonObject } from "../../json.ts";
import type { MediaOrder } from "../order.ts";
import { VIDEO_RATIOS, videoSize } from "../pixels.ts";
import { publicUrl, type StrictBody, strictBody, wrong } from "./strict-body.ts";

const REQUIRED = ["model", "prompt", "duration", "resolution", "size", "audio", "watermark"];
const OPTIONAL = [
  "seed",
  "prompt_extend",
  "generation_type",
  "image_urls",
  "image_with_roles",
  "video_urls",
  "audio_urls",
  "file_url",
  "link_url",
];
const MAX_SEED = 2_147_483_647;
const MAX_PROMPT_CHARACTERS = 20_000;
const MAX_SECONDS = 30;
const MAX = { frames: 2, images: 10, videos: 5, audios: 5 } as const;
const ROLES = ["first_frame", "last_frame", "reference_image"];

interface Image {
  url: string;
  role: string;
}

/** A video as family videob asks for it. */
export function decodeVideob(body: JsonObject): MediaOrder {
  const fields = strictBody(body, REQUIRED, OPTIONAL);
  const prompt = fields.text("prompt");
  if ([...prompt].length > MAX_PROMPT_CHARACTERS)
    wrong("prompt", `must be cut to ${MAX_PROMPT_CHARACTERS} characters`);
  const seconds = fields.integer("duration", -1, MAX_SECONDS);
  if (seconds !== -1 && seconds < 2) wrong("duration", `must be -1 or from 2 to ${MAX_SECONDS}`);
  const resolution = fields.word("resolution", ["480p", "720p", "1080p"], "any case");
  const ratio = fields.word("size", [...VIDEO_RATIOS, "adaptive"]);
  return {
    medium: "video",
    family: "videob",
    model: fields.text("model"),
    prompt,
    size: ratio === "adaptive" ? undefined : videoSize(resolution, ratio),
    seconds,
    resolution,
    ratio,
    sound: fields.boolean("audio"),
    lastFrame: false,
    watermark: fields.boolean("watermark"),
    seed: fields.has("seed") ? fields.integer("seed", 0, MAX_SEED) : undefined,
    references: decodeReferences(fields),
    mostSeconds: MAX_SECONDS,
  };
}

/** All materials in one list, once they are known not to contradict each other. */
function decodeReferences(fields: StrictBody): string[] {
  const images = decodeImages(fields);
  const videos = fields.has("video_urls") ? urls(fields, "video_urls", MAX.videos) : [];
  const audios = fields.has("audio_urls") ? urls(fields, "audio_urls", MAX.audios) : [];
  const pages = ["file_url", "link_url"].flatMap((field) =>
    fields.has(field) ? [publicUrl(field, fields.text(field))] : [],
  );
  if (pages.length > 1) wrong("file_url", "and link_url exclude each other");
  const extended = fields.has("prompt_extend") && fields.boolean("prompt_extend");
  if (pages.length > 0 && !extended) wrong("prompt_extend", "must be true beside a document or web page");
  const frames = images.filter(({ role }) => role !== "reference_image");
  const pictures = images.length - frames.length;
  if (frames.length > 0 && pictures + videos.length + audios.length + pages.length > 0)
    wrong("image_urls", "mixes frames with references");
  if (frames.length > MAX.frames) wrong("image_urls", `takes at most ${MAX.frames} frames`);
  if (pictures > MAX.images) wrong("image_urls", `takes at most ${MAX.images} reference images`);
  const roles = frames.map(({ role }) => role);
  if (roles.includes("last_frame") && !roles.includes("first_frame"))
    wrong("image_with_roles", "has a last frame without a first frame");
  if (audios.length > 0 && pictures + videos.length === 0)
    wrong("audio_urls", "needs a reference image or video");
  return [...images.map(({ url }) => url), ...videos, ...audios, ...pages];
}

function decodeImages(fields: StrictBody): Image[] {
  const type = fields.has("generation_type")
    ? fields.word("generation_type", ["frame", "reference"])
    : undefined;
  const plain = fields.has("image_urls") ? urls(fields, "image_urls", MAX.images) : [];
  if (plain.length > 0 && type === undefined) wrong("generation_type", "must be sent beside image_urls");
  const listed = plain.map((url, index) => ({
    url,
    role: type === "frame" ? frameRole(index) : "reference_image",
  }));
  const withRoles = fields.has("image_with_roles") ? fields.list("image_with_roles").map(decodeImage) : [];
  return [...listed, ...withRoles];
}

function frameRole(index: number): string {
  return index === 0 ? "first_frame" : "last_frame";
}

function decodeImage(value: Json, index: number): Image {
  const field = `image_with_roles[${index}]`;
  if (!isObject(value)) return wrong(field, "must be an object");
  const { url, role } = value;
  if (Object.keys(value).length !== 2 || typeof url !== "string" || typeof role !== "string")
    return wrong(field, "must hold url and role and nothing else");
  if (!ROLES.includes(role)) return wrong(`${field}.role`, `must be one of ${ROLES.join(", ")}`);
  return { url: publicUrl(`${field}.url`, url), role };
}

function urls(fields: StrictBody, field: string, most: number): string[] {
  return fields.texts(field, most).map((url, index) => publicUrl(`${field}[${index}]`, url));
}
