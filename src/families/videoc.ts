import {
  type Family,
  type FamilyModel,
  referencesOf,
  type Submission,
  secondsOf,
  variantOf,
} from "./family.ts";
import type { FieldTable } from "./field.ts";
import { createFieldFaults } from "./field-faults.ts";
import { type Body, readFields } from "./read-fields.ts";
import type { IsPublic } from "./url-form.ts";

/** Videos from reference images only. A submit checks only the model; all other faults let the task fail. */
export const videoc: Family = {
  name: "videoc",
  medium: "video",
  variants: ["H3-Comfy"],
  // There is one variant, so a model with any name is of it.
  variantOf: (model) => (model.variant === null ? "H3-Comfy" : variantOf(model, videoc.variants)),
  fields: () => FIELDS,
  limits: () => ({}),
  priceWords: () => FIELDS.resolution.values.map((word) => word.toLowerCase()),
  read: readVideo,
};

const FIELDS = {
  prompt: {
    type: "text",
    required: true,
    maxCharacters: 7_000,
    about: "Text description of the video",
  },
  duration: {
    type: "whole",
    required: true,
    least: 1,
    most: 15,
    byDefault: null,
    about: "Duration in seconds",
  },
  resolution: {
    type: "choice",
    values: ["480P", "768P"],
    byDefault: "768P",
    anyCase: true,
    about: "Video resolution",
  },
  aspect_ratio: {
    type: "choice",
    values: ["16:9", "9:16", "1:1"],
    byDefault: "9:16",
    forgiving: true,
    about: "Aspect ratio; any other value means 9:16",
  },
  seed: {
    type: "whole",
    least: Number.MIN_SAFE_INTEGER,
    most: Number.MAX_SAFE_INTEGER,
    byDefault: null,
    about: "The same seed gives similar results",
  },
  image_urls: {
    type: "urls",
    required: true,
    most: 9,
    cut: true,
    about: "Reference images, at least one; only the first 9 are used",
  },
  audio_urls: {
    type: "urls",
    most: 3,
    cut: true,
    about: "Reference audio, 2 to 15 seconds each, 15 seconds total; only the first 3 are used",
  },
} as const satisfies FieldTable;

function readVideo(_model: FamilyModel, body: Body, isPublic?: IsPublic): Submission {
  const faults = createFieldFaults();
  const values = readFields(FIELDS, body, faults, isPublic);
  const resolution = values.resolution.toLowerCase();
  return {
    order: {
      medium: "video",
      family: "videoc",
      prompt: values.prompt,
      durationSeconds: values.duration,
      resolution,
      ratio: values.aspect_ratio,
      audio: null,
      seed: values.seed,
      watermark: null,
      references: [...referencesOf("image", values.image_urls), ...referencesOf("audio", values.audio_urls)],
      returnLastFrame: false,
      tools: [],
      promptExtend: null,
      fileUrl: null,
      linkUrl: null,
    },
    units: secondsOf(resolution, values.duration, FIELDS.duration.most),
    action: "generate",
    violation: faults.violation(),
  };
}
