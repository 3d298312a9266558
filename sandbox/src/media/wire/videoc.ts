import type { JsonObject } from "../../json.ts";
import type { MediaOrder } from "../order.ts";
import { videoSize } from "../pixels.ts";
import { publicUrl, type StrictBody, strictBody, wrong } from "./strict-body.ts";

const REQUIRED = ["model", "prompt", "duration", "resolution", "aspect_ratio", "image_urls"];
const OPTIONAL = ["seed", "audio_urls"];
const MAX_PROMPT_CHARACTERS = 7_000;
const MAX_SECONDS = 15;
const MAX_IMAGES = 9;
const MAX_AUDIOS = 3;

/** A video as family videoc asks for it. */
export function decodeVideoc(body: JsonObject): MediaOrder {
  const fields = strictBody(body, REQUIRED, OPTIONAL);
  const prompt = fields.text("prompt");
  if ([...prompt].length > MAX_PROMPT_CHARACTERS)
    wrong("prompt", `must have at most ${MAX_PROMPT_CHARACTERS} characters`);
  const resolution = fields.word("resolution", ["480p", "768p"], "any case");
  const ratio = fields.word("aspect_ratio", ["16:9", "9:16", "1:1"]);
  const images = urls(fields, "image_urls", MAX_IMAGES);
  const audios = fields.has("audio_urls") ? urls(fields, "audio_urls", MAX_AUDIOS) : [];
  return {
    medium: "video",
    family: "videoc",
    model: fields.text("model"),
    prompt,
    size: videoSize(resolution, ratio),
    seconds: fields.integer("duration", 1, MAX_SECONDS),
    resolution,
    ratio,
    sound: true,
    lastFrame: false,
    watermark: false,
    seed: fields.has("seed")
      ? fields.integer("seed", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      : undefined,
    references: [...images, ...audios],
    mostSeconds: MAX_SECONDS,
  };
}

function urls(fields: StrictBody, field: string, most: number): string[] {
  return fields.texts(field, most).map((url, index) => publicUrl(`${field}[${index}]`, url));
}
