import { isDataUrl } from "../base/text.ts";
import { GatewayError } from "../errors.ts";
import { type Family, type FamilyModel, type ImageOrder, type Submission, variantOf } from "./family.ts";
import type { FieldTable } from "./field.ts";
import { createFieldFaults } from "./field-faults.ts";
import { type Body, inputField, readFields } from "./read-fields.ts";
import { dataBytes, type IsPublic } from "./url-form.ts";

/** Images, from a text or from a text and reference images. */
export const imagegen: Family = {
  name: "imagegen",
  medium: "image",
  variants: ["2", "2.5-flare", "2.5-sunburst"],
  // All variants take the same requests, so models with any name belong to the family.
  variantOf: (model) => (model.variant === null ? qualityOf(model) : variantOf(model, imagegen.variants)),
  fields: () => FIELDS,
  limits: () => ({}),
  priceWords: () => TIERS,
  read: readImage,
};

const TIERS = ["1k", "2k", "4k"] as const;
type Tier = (typeof TIERS)[number];

/** Pixels by tier and ratio. */
const SIZES = {
  "1:1": { "1k": [1248, 1248], "2k": [2048, 2048], "4k": [2880, 2880] },
  "16:9": { "1k": [1680, 944], "2k": [2048, 1152], "4k": [3840, 2160] },
  "9:16": { "1k": [944, 1680], "2k": [1152, 2048], "4k": [2160, 3840] },
  "4:3": { "1k": [1024, 768], "2k": [2048, 1536], "4k": [3312, 2480] },
  "3:4": { "1k": [768, 1024], "2k": [1536, 2048], "4k": [2480, 3312] },
  "3:2": { "1k": [1536, 1024], "2k": [2048, 1360], "4k": [3520, 2336] },
  "2:3": { "1k": [1024, 1536], "2k": [1360, 2048], "4k": [2336, 3520] },
  "5:4": { "1k": [1440, 1088], "2k": [2560, 2048], "4k": [3216, 2576] },
  "4:5": { "1k": [1120, 1408], "2k": [2048, 2560], "4k": [2576, 3216] },
  "21:9": { "1k": [1920, 816], "2k": [2688, 1152], "4k": [3840, 1648] },
  "9:21": { "1k": [816, 1920], "2k": [1152, 2688], "4k": [1648, 3840] },
  "2:1": { "1k": [1776, 880], "2k": [2688, 1344], "4k": [3840, 1920] },
  "1:2": { "1k": [880, 1776], "2k": [1344, 2688], "4k": [1920, 3840] },
  "3:1": { "1k": [1536, 512], "2k": [3072, 1024], "4k": [3840, 1280] },
  "1:3": { "1k": [512, 1536], "2k": [1024, 3072], "4k": [1280, 3840] },
} as const satisfies Record<string, Record<Tier, readonly [number, number]>>;

/** Exact pixels. Five digits a side are more than any vendor's models produce. */
const PIXELS = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/;

/** Maximum number of pixels of each tier; larger images are 4k. */
const TIER_PIXELS = { "1k": 1680 * 944, "2k": 2560 * 2048 } as const;

/** The largest reference image that the specification names, 20 MB. */
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

const REFUSED = {
  missing: "invalid_request",
  malformed: "invalid_request",
  outside: "invalid_request",
} as const;

const FIELDS = {
  prompt: { type: "text", required: true, refused: REFUSED, about: "Text description of the image" },
  size: {
    type: "choice",
    values: Object.keys(SIZES),
    byDefault: "1:1",
    orLike: PIXELS,
    refused: REFUSED,
    about: "Aspect ratio, or exact pixels as <width>x<height>, which override `resolution`",
  },
  resolution: {
    type: "choice",
    values: TIERS,
    byDefault: "1k",
    anyCase: true,
    refused: REFUSED,
    about: "Image resolution; ignored when `size` is in pixels",
  },
  image_urls: {
    type: "urls",
    // More than any vendor reads; 15 are recommended.
    most: 100,
    takes: ["public", "data"],
    refused: REFUSED,
    about: "Reference images as public URLs or data URLs; up to 15 recommended, 20 MB each",
  },
} as const satisfies FieldTable;

/**
 * Fields of other services' image requests. Ignoring them would silently produce another image than intended, or
 * another number of images.
 */
const NOT_TAKEN = {
  n: "Each task creates one image, so `n` must be 1. Send one request per image.",
  mask: "`mask` is not supported. Describe in the prompt what to change in `image_urls`.",
  image: "`image` is not supported. Send reference images in `image_urls`, as public URLs or data URLs.",
} as const;

function refuseNotTaken(body: Body): void {
  for (const [name, message] of Object.entries(NOT_TAKEN)) {
    const value = inputField(body, name);
    if (value !== undefined && !(name === "n" && value === 1))
      throw new GatewayError("invalid_request", message, { param: name });
  }
}

function readImage(model: FamilyModel, body: Body, isPublic?: IsPublic): Submission {
  refuseNotTaken(body);
  const faults = createFieldFaults();
  const size = inputField(body, "size");
  const exact = typeof size === "string" ? PIXELS.exec(size) : null;
  // Beside exact pixels the resolution is ignored.
  const values = readFields(FIELDS, exact ? { ...body, resolution: null } : body, faults, isPublic);
  values.image_urls.forEach((url, index) => {
    if (isDataUrl(url) && dataBytes(url) > MAX_IMAGE_BYTES)
      faults.fail(`\`image_urls[${index}]\` is larger than 20 MB.`);
  });
  const image = exact ? imageOfPixels(Number(exact[1]), Number(exact[2])) : imageOfRatio(values);
  const order: ImageOrder = {
    medium: "image",
    family: "imagegen",
    prompt: values.prompt,
    ...image,
    quality: qualityOf(model) === "2" ? null : "high",
    images: values.image_urls,
  };
  return {
    order,
    units: { images: { [image.tier]: 1 } },
    action: values.image_urls.length > 0 ? "generate" : "textGenerate",
    violation: faults.violation(),
  };
}

type Image = Pick<ImageOrder, "widthPx" | "heightPx" | "ratio" | "tier">;

function imageOfPixels(widthPx: number, heightPx: number): Image {
  return { widthPx, heightPx, ratio: null, tier: tierOfPixels(widthPx * heightPx) };
}

function tierOfPixels(pixels: number): Tier {
  if (pixels <= TIER_PIXELS["1k"]) return "1k";
  return pixels <= TIER_PIXELS["2k"] ? "2k" : "4k";
}

/** Returns the tier of the size that a vendor states, in pixels or as a tier; undefined = neither. */
export function tierOfSize(size: string): Tier | undefined {
  const word = size.toLowerCase();
  const [, width, height] = PIXELS.exec(word) ?? [];
  if (width !== undefined && height !== undefined) return tierOfPixels(Number(width) * Number(height));
  return TIERS.find((tier) => tier === word);
}

function imageOfRatio(values: { readonly size: string; readonly resolution: string }): Image {
  const ratio = values.size as keyof typeof SIZES;
  const tier = values.resolution as Tier;
  const [widthPx, heightPx] = SIZES[ratio][tier];
  return { widthPx, heightPx, ratio, tier };
}

/** Flare and sunburst always generate at high quality, whatever the caller's `quality` says. */
function qualityOf(model: FamilyModel): string {
  return variantOf(model, imagegen.variants) ?? "2";
}
