import {
  countOf,
  type Family,
  type FamilyModel,
  type Submission,
  secondsOf,
  type VideoOrder,
  variantOf,
} from "./family.ts";
import type { FieldTable } from "./field.ts";
import { createFieldFaults, type FieldFaults, shown } from "./field-faults.ts";
import { type Body, readFields } from "./read-fields.ts";
import type { IsPublic } from "./url-form.ts";
import { CONTENT_ITEM, readContent } from "./videoa-content.ts";
import { orderedWork } from "./videoa-wording.ts";

/** The kinds of task that model 2.5 distinguishes. */
type TaskType = "text" | "frames" | "references" | "edit" | "extend";

/** Model 2.5 infers the kind of task from references and wording. Words count only as orders about a video. */
function taskTypeOf({ prompt, references }: Pick<VideoOrder, "prompt" | "references">): TaskType {
  if (references.some(({ role }) => role !== "reference")) return "frames";
  const videos = references.filter(({ kind }) => kind === "video").length;
  const work = videos > 0 ? orderedWork(prompt, videos) : undefined;
  return work ?? (references.length > 0 ? "references" : "text");
}

/** Checks the requirements of each kind of task; a violation lets the task fail. */
function checkTaskType(order: VideoOrder, faults: FieldFaults): void {
  const type = taskTypeOf(order);
  const { name, adaptive, free } = DEMANDS[type];
  if (adaptive && order.ratio !== "adaptive")
    faults.fail(`${name} requires \`ratio\` adaptive, not ${order.ratio}.`);
  if (free && order.durationSeconds !== -1)
    faults.fail(`${name} requires \`duration\` -1, not ${order.durationSeconds}.`);
}

const DEMANDS = {
  text: { name: "Text to video", adaptive: false, free: false },
  references: { name: "Reference to video", adaptive: false, free: false },
  frames: { name: "First or last frame to video", adaptive: true, free: false },
  edit: { name: "Video editing (inferred from the prompt)", adaptive: true, free: true },
  extend: { name: "Video extension (inferred from the prompt)", adaptive: true, free: false },
} as const satisfies Record<TaskType, { name: string; adaptive: boolean; free: boolean }>;

/** Videos from a list of texts, images, videos and audio, each with its role. */
export const videoa: Family = {
  name: "videoa",
  medium: "video",
  variants: ["2.0", "2.0-fast", "2.0-mini", "2.5"],
  variantOf: (model) => variantOf(model, VARIANTS),
  fields: (model) => fieldsOf(limitsOf(model)),
  limits: (model) => ({ ...limitsOf(model) }),
  priceWords: (model) => limitsOf(model).resolutions,
  read: readVideo,
};

/** Limits in which the variants differ. */
export interface VideoaLimits {
  readonly resolutions: readonly string[];
  readonly defaultRatio: string;
  readonly longestSeconds: number;
  readonly texts: number;
  readonly referenceImages: number;
  readonly referenceVideos: number;
  readonly referenceAudios: number;
  /** Images may be data URLs. */
  readonly dataUrls: boolean;
  /** True if a reference audio may be the only reference. */
  readonly audioAlone: boolean;
  /** True if the kind of task is inferred from references and wording, and has requirements of its own. */
  readonly infersTask: boolean;
}

const OF_2_0: VideoaLimits = {
  resolutions: ["720p", "1080p"],
  defaultRatio: "16:9",
  longestSeconds: 15,
  // The specification states no limit; this is more than any prompt consists of.
  texts: 100,
  referenceImages: 9,
  referenceVideos: 3,
  referenceAudios: 3,
  dataUrls: true,
  audioAlone: false,
  infersTask: false,
};

const LIMITS = {
  "2.0": OF_2_0,
  "2.0-fast": { ...OF_2_0, resolutions: ["720p"] },
  "2.0-mini": { ...OF_2_0, resolutions: ["720p"] },
  "2.5": {
    resolutions: ["720p", "1080p"],
    defaultRatio: "adaptive",
    longestSeconds: 30,
    texts: 1,
    referenceImages: 30,
    referenceVideos: 10,
    referenceAudios: 10,
    dataUrls: false,
    audioAlone: true,
    infersTask: true,
  },
} as const satisfies Record<string, VideoaLimits>;

const VARIANTS = Object.keys(LIMITS) as (keyof typeof LIMITS)[];

/** `apply` refuses models with an unknown variant. A model from an older catalog counts as the first variant. */
function limitsOf(model: FamilyModel): VideoaLimits {
  return LIMITS[variantOf(model, VARIANTS) ?? "2.0"];
}

const SHORTEST_SECONDS = 4;

function fieldsOf(limits: VideoaLimits) {
  return {
    content: {
      type: "objects",
      // More than the limits of all kinds together.
      most: 200,
      required: true,
      refused: { missing: "invalid_request", malformed: "invalid_request" },
      item: CONTENT_ITEM,
      about: "Prompt and reference media, referred to as image 1, video 1, audio 1 in this order",
    },
    resolution: {
      type: "choice",
      values: limits.resolutions,
      byDefault: "720p",
      anyCase: true,
      about: "Video resolution",
    },
    ratio: {
      type: "choice",
      values: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"],
      byDefault: limits.defaultRatio,
      about: "Aspect ratio",
    },
    duration: {
      type: "whole",
      least: SHORTEST_SECONDS,
      most: limits.longestSeconds,
      also: -1,
      byDefault: 5,
      refused: limits.infersTask ? { malformed: "invalid_duration" as const } : undefined,
      about:
        "Duration in seconds; -1 lets the model decide, reserves the maximum and charges the actual length",
    },
    generate_audio: { type: "flag", byDefault: true, about: "Generates audio" },
    seed: {
      type: "whole",
      least: -1,
      most: 4_294_967_295,
      byDefault: null,
      about: "The same seed gives similar results",
    },
    watermark: { type: "flag", byDefault: false, about: "Adds an AI-generated watermark" },
    return_last_frame: {
      type: "flag",
      byDefault: false,
      about: "Also returns the last frame, e.g. as the first frame of the next video",
    },
    tools: {
      type: "objects",
      most: 10,
      item: { type: "object", required: ["type"], properties: { type: { const: "web_search" } } },
      about: "Tools the model may use; only { type: web_search }",
    },
  } as const satisfies FieldTable;
}

function readVideo(model: FamilyModel, body: Body, isPublic?: IsPublic): Submission {
  const faults = createFieldFaults();
  const limits = limitsOf(model);
  const values = readFields(fieldsOf(limits), body, faults, isPublic);
  const { texts, references, hasMaterial } = readContent(values.content, { ...limits, isPublic }, faults);
  const resolution = values.resolution.toLowerCase();
  const order: VideoOrder = {
    medium: "video",
    family: "videoa",
    prompt: texts.join("\n"),
    durationSeconds: values.duration,
    resolution,
    ratio: values.ratio,
    audio: values.generate_audio,
    seed: values.seed,
    watermark: values.watermark,
    references,
    returnLastFrame: values.return_last_frame,
    tools: readTools(values.tools, faults),
    promptExtend: null,
    fileUrl: null,
    linkUrl: null,
  };
  checkReferences(order, limits, faults);
  if (limits.infersTask) checkTaskType(order, faults);
  return {
    order,
    units: secondsOf(resolution, values.duration, limits.longestSeconds),
    action: hasMaterial ? "generate" : "textGenerate",
    violation: faults.violation(),
  };
}

function readTools(tools: readonly Body[], faults: FieldFaults): readonly "web_search"[] {
  const odd = tools.find(({ type }) => type !== "web_search");
  if (odd !== undefined)
    faults.fail(`\`tools\` supports only { type: web_search }, not ${shown(odd["type"])}.`);
  return tools.length > 0 ? ["web_search"] : [];
}

function checkReferences({ references }: VideoOrder, limits: VideoaLimits, faults: FieldFaults): void {
  const first = references.filter(({ role }) => role === "first_frame").length;
  const last = references.filter(({ role }) => role === "last_frame").length;
  const images = countOf(references, "image");
  const videos = countOf(references, "video");
  const audios = countOf(references, "audio");
  if (first > 1 || last > 1) faults.fail("A video can have only one first frame and one last frame.");
  if (last > 0 && first === 0) faults.fail("A last_frame requires a first_frame.");
  if (first + last > 0 && videos + audios > 0)
    faults.fail("A first or last frame can't be combined with reference videos or audio.");
  const counts = [
    ["images", images, limits.referenceImages],
    ["videos", videos, limits.referenceVideos],
    ["audios", audios, limits.referenceAudios],
  ] as const;
  for (const [name, count, most] of counts)
    if (count > most) faults.fail(`At most ${most} reference ${name} can be sent, not ${count}.`);
  if (audios > 0 && images + videos === 0 && !limits.audioAlone)
    faults.fail("Reference audio requires a reference image or video.");
}
