import { normalizedUrl } from "../base/text.ts";
import { GatewayError } from "../errors.ts";
import {
  countOf,
  type Family,
  type FamilyModel,
  type MediaReference,
  referencesOf,
  type Submission,
  secondsOf,
  variantOf,
} from "./family.ts";
import type { FieldTable } from "./field.ts";
import { createFieldFaults, type FieldFaults, shown } from "./field-faults.ts";
import { type Body, inputField, readFields } from "./read-fields.ts";
import { type IsPublic, urlFormOf } from "./url-form.ts";

/** Videos from a text, from frames, or from reference images, videos, audio, a document or a web page. */
export const videob: Family = {
  name: "videob",
  medium: "video",
  variants: ["3.0-video", "3.0-video-prime"],
  // Both variants take the same requests, so models with any name belong to the family.
  variantOf: (model) =>
    model.variant === null
      ? (variantOf(model, videob.variants) ?? "3.0-video")
      : variantOf(model, videob.variants),
  fields: () => FIELDS,
  limits: () => LIMITS,
  priceWords: () => FIELDS.resolution.values.map((word) => word.toLowerCase()),
  read: readVideo,
};

/** Limits on images by purpose; the total is that of the reference videos and the generated video. */
const LIMITS = {
  frames: 2,
  referenceImages: 10,
  referenceVideos: 5,
  referenceAudios: 5,
  totalSeconds: 30,
} as const;

const REFUSED = {
  missing: "invalid_request",
  malformed: "invalid_request",
  outside: "invalid_request",
} as const;

const ROLES = ["first_frame", "last_frame", "reference_image"] as const;

const FIELDS = {
  prompt: {
    type: "text",
    required: true,
    maxCharacters: 20_000,
    cut: true,
    refused: REFUSED,
    about: "Text description of the video; refer to media as image 1, video 1, audio 1 in array order",
  },
  duration: {
    type: "whole",
    required: true,
    least: 2,
    most: 30,
    also: -1,
    byDefault: null,
    refused: REFUSED,
    about: "Duration in seconds; -1 lets the model decide",
  },
  resolution: {
    type: "choice",
    values: ["480P", "720P", "1080P"],
    byDefault: "1080P",
    anyCase: true,
    about: "Video resolution",
  },
  size: {
    type: "choice",
    values: ["adaptive", "16:9", "4:3", "1:1", "3:4", "9:16", "21:9"],
    byDefault: "adaptive",
    alias: "aspect_ratio",
    about: "Aspect ratio",
  },
  audio: { type: "flag", byDefault: true, about: "Generates audio" },
  seed: {
    type: "whole",
    least: 0,
    most: 2_147_483_647,
    byDefault: null,
    about: "The same seed gives similar results",
  },
  watermark: { type: "flag", byDefault: false, about: "Adds a watermark" },
  prompt_extend: {
    type: "flag",
    byDefault: null,
    about: "Lets the model expand the prompt; always on with `file_url` or `link_url`",
  },
  generation_type: {
    type: "choice",
    values: ["frame", "reference"],
    byDefault: null,
    about: "How `image_urls` are used: first and last frame, or reference images",
  },
  image_urls: {
    type: "urls",
    most: LIMITS.referenceImages,
    about: "First and last frame, or up to 10 reference images",
  },
  image_with_roles: {
    type: "objects",
    most: LIMITS.referenceImages,
    item: {
      type: "object",
      required: ["url", "role"],
      properties: { url: { type: "string" }, role: { enum: ROLES } },
    },
    about: "Images with a role each",
  },
  video_urls: {
    type: "urls",
    most: LIMITS.referenceVideos,
    about: "Reference videos, 1 to 15 seconds each, 15 seconds total",
  },
  audio_urls: {
    type: "urls",
    most: LIMITS.referenceAudios,
    about: "Up to 5 reference audio files, 1 to 15 seconds each, 15 seconds total",
  },
  audio_url: { type: "url", about: "Additional item of `audio_urls`" },
  file_url: { type: "url", about: "Document to create the video from; can't be combined with `link_url`" },
  link_url: { type: "url", about: "Web page to create the video from; can't be combined with `file_url`" },
} as const satisfies FieldTable;

function readVideo(_model: FamilyModel, body: Body, isPublic?: IsPublic): Submission {
  const faults = createFieldFaults();
  const values = readFields(FIELDS, body, faults, isPublic);
  const beside = BESIDE.some((name) => inputField(body, name) !== undefined);
  const purpose = purposeOf(values.generation_type, beside);
  refuseMixed(purpose, beside, inputField(body, "image_urls") !== undefined, values.image_with_roles);

  const sounds = [...values.audio_urls, ...(values.audio_url === null ? [] : [values.audio_url])];
  const references = [
    ...asPurpose(values.image_urls, purpose),
    ...readRoles(values.image_with_roles, faults, isPublic),
    ...referencesOf("video", values.video_urls),
    ...referencesOf("audio", sounds),
  ];
  checkCounts(references, faults);
  const { file_url: fileUrl, link_url: linkUrl } = values;
  const hasSource = fileUrl !== null || linkUrl !== null;
  if (fileUrl !== null && linkUrl !== null) faults.fail("`file_url` and `link_url` can't be combined.");
  if (hasSource && values.prompt_extend === false)
    faults.fail("`prompt_extend` must be true with `file_url` or `link_url`.");
  // A reference video lasts at least one second, so such a request is too long in any case.
  if (values.duration + values.video_urls.length > LIMITS.totalSeconds)
    faults.fail(`Reference videos and \`duration\` together exceed ${LIMITS.totalSeconds} seconds.`);

  const resolution = values.resolution.toLowerCase();
  return {
    order: {
      medium: "video",
      family: "videob",
      prompt: values.prompt,
      durationSeconds: values.duration,
      resolution,
      ratio: values.size,
      audio: values.audio,
      seed: values.seed,
      watermark: values.watermark,
      references,
      returnLastFrame: false,
      tools: [],
      promptExtend: hasSource ? true : values.prompt_extend,
      fileUrl,
      linkUrl,
    },
    units: secondsOf(resolution, values.duration, FIELDS.duration.most),
    action: references.length > 0 || beside ? "generate" : "textGenerate",
    violation: faults.violation(),
  };
}

/** Fields that make `image_urls` reference images, and can't be combined with frames. */
const BESIDE = ["video_urls", "audio_urls", "audio_url", "file_url", "link_url"] as const;

type Purpose = "frame" | "reference";

/**
 * Returns the purpose of `image_urls` in the specification's order: as stated, otherwise references if there are other
 * references, otherwise frames.
 */
function purposeOf(said: string | null, besideReferences: boolean): Purpose {
  if (said === "frame" || said === "reference") return said;
  return besideReferences ? "reference" : "frame";
}

/** As frames, the first item is the first frame and the second one the last; checkCounts refuses a third. */
function asPurpose(urls: readonly string[], purpose: Purpose): MediaReference[] {
  if (purpose === "reference") return referencesOf("image", urls);
  return urls.map((url, index) => ({ kind: "image", role: index === 0 ? "first_frame" : "last_frame", url }));
}

function readRoles(items: readonly Body[], faults: FieldFaults, isPublic?: IsPublic): MediaReference[] {
  return items.flatMap(({ url, role }, index): MediaReference[] => {
    const place = `image_with_roles[${index}]`;
    if (typeof url !== "string" || urlFormOf(url, isPublic) !== "public") {
      faults.fail(`\`${place}.url\` must be a public http(s) URL, not ${shown(url)}.`);
      return [];
    }
    const image = { kind: "image", url: normalizedUrl(url) } as const;
    if (role === "first_frame" || role === "last_frame") return [{ ...image, role }];
    if (role === "reference_image") return [{ ...image, role: "reference" }];
    faults.fail(`\`${place}.role\` must be one of ${ROLES.join(", ")}, not ${shown(role)}.`);
    return [];
  });
}

/**
 * Depends on which fields are present, valid or not, because a mixed request is refused before its parts are checked.
 */
function refuseMixed(purpose: Purpose, beside: boolean, images: boolean, roles: readonly Body[]): void {
  const frames = roles.some(({ role }) => role === "first_frame" || role === "last_frame");
  const references = roles.some(({ role }) => role === "reference_image");
  const framed = frames || (images && purpose === "frame");
  const referenced = beside || references || (images && purpose === "reference");
  if (!framed || !referenced) return;
  throw new GatewayError(
    "invalid_request",
    "First and last frames can't be combined with reference images, videos, audio, documents or web pages.",
    { param: "image_urls" },
  );
}

function checkCounts(references: readonly MediaReference[], faults: FieldFaults): void {
  const first = references.filter(({ role }) => role === "first_frame").length;
  const last = references.filter(({ role }) => role === "last_frame").length;
  if (first > 1 || last > 1)
    faults.fail(`A video can have only one first frame and one last frame, not ${first + last} frames.`);
  if (last > 0 && first === 0) faults.fail("A last frame requires a first frame.");
  const counts = [
    ["image", "images", LIMITS.referenceImages],
    ["audio", "audio files", LIMITS.referenceAudios],
  ] as const;
  for (const [kind, name, most] of counts) {
    const count = countOf(references, kind);
    if (count > most) faults.fail(`At most ${most} reference ${name} can be sent, not ${count}.`);
  }
  const alone = countOf(references, "image") + countOf(references, "video") === 0;
  if (alone && countOf(references, "audio") > 0)
    faults.fail("Reference audio requires a reference image or video.");
}
