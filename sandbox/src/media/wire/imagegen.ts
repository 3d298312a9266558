import type { JsonObject } from "../../json.ts";
import type { MediaOrder } from "../order.ts";
import { pictureSize } from "../pixels.ts";
import { isImageData, publicUrl, strictBody, wrong } from "./strict-body.ts";

const REQUIRED = ["model", "prompt", "size", "resolution"];
const OPTIONAL = ["image_urls", "quality"];
const TIERS = ["1k", "2k", "4k"];
/** The specification advises fifteen and sets no limit; this one keeps a mistake small. */
const MAX_IMAGES = 64;
const ALWAYS_HIGH = /-(flare|sunburst)$/;

/** An image as family imagegen asks for it. */
export function decodeImagegen(body: JsonObject): MediaOrder {
  const fields = strictBody(body, REQUIRED, OPTIONAL);
  const model = fields.text("model");
  const ratio = fields.text("size");
  const resolution = fields.word("resolution", TIERS, "any case");
  const pixels =
    pictureSize(ratio, resolution) ?? wrong("size", "must be a listed ratio or <width>x<height>");
  checkQuality(model, fields.has("quality") ? fields.word("quality", ["high"]) : undefined);
  const images = fields.has("image_urls") ? fields.texts("image_urls", MAX_IMAGES) : [];
  for (const [index, url] of images.entries()) if (!isImageData(url)) publicUrl(`image_urls[${index}]`, url);
  return {
    medium: "image",
    family: "imagegen",
    model,
    prompt: fields.text("prompt"),
    size: pixels,
    seconds: 0,
    resolution,
    ratio,
    sound: false,
    lastFrame: false,
    watermark: false,
    seed: undefined,
    references: images,
    mostSeconds: 0,
  };
}

function checkQuality(model: string, quality: string | undefined): void {
  if (ALWAYS_HIGH.test(model) && quality === undefined) wrong("quality", `must be "high" for ${model}`);
  if (!ALWAYS_HIGH.test(model) && quality !== undefined) wrong("quality", `is not taken by ${model}`);
}
