import type { MediaUnits } from "../usage/usage.ts";
import type { FieldTable } from "./field.ts";
import type { IsPublic } from "./url-form.ts";

export const FAMILY_NAMES = ["imagegen", "videoa", "videob", "videoc"] as const;
export type FamilyName = (typeof FAMILY_NAMES)[number];

/** The parts of a model that its family needs. */
export interface FamilyModel {
  readonly id: string;
  /** The variant from the catalog; null = derived from the id. */
  readonly variant: string | null;
}

/** One family of images or videos: the rules of the specification for its requests, as data and pure functions. */
export interface Family {
  readonly name: FamilyName;
  readonly medium: "image" | "video";
  readonly variants: readonly string[];
  /** The model's variant; undefined = neither the catalog nor the id names one that exists. */
  variantOf(model: FamilyModel): string | undefined;
  /** The fields of a request, without `model`. */
  fields(model: FamilyModel): FieldTable;
  /** Limits on several fields together, by name. */
  limits(model: FamilyModel): Readonly<Record<string, unknown>>;
  /**
   * Reads a submitted body. Violations for which the specification wants 400 are thrown as GatewayError. All others are
   * returned in `violation`, with the units clipped to the table. `isPublic` decides which http(s) URLs may be
   * references; without it all valid ones may.
   */
  read(model: FamilyModel, body: Readonly<Record<string, unknown>>, isPublic?: IsPublic): Submission;
  /** Price words (tiers or resolutions) by which the model's requests can be billed; each needs a price. */
  priceWords(model: FamilyModel): readonly string[];
}

/** An accepted request: the order, its maximum cost, and the reason if it must fail. */
export interface Submission {
  readonly order: MediaOrder;
  /** Units that the hold covers. For a duration of -1 these are the longest that the model may choose. */
  readonly units: MediaUnits;
  readonly action: "generate" | "textGenerate";
  /** The reason why the accepted task fails without an upstream call; null = none. */
  readonly violation: string | null;
}

/** The order with all defaults filled in. It is plain JSON, stored with the task and read by every task API. */
export type MediaOrder = ImageOrder | VideoOrder;

export interface ImageOrder {
  readonly medium: "image";
  readonly family: "imagegen";
  readonly prompt: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** The requested ratio ("16:9"); null = exact pixels were requested. */
  readonly ratio: string | null;
  /** The tier that is billed, also for exact pixels. */
  readonly tier: "1k" | "2k" | "4k";
  /** null = the vendor's default. */
  readonly quality: "high" | null;
  /** Public URLs and data URLs, in the caller's order. */
  readonly images: readonly string[];
}

export interface VideoOrder {
  readonly medium: "video";
  readonly family: "videoa" | "videob" | "videoc";
  /** All text items of a videoa request, in order, joined by line breaks. */
  readonly prompt: string;
  /** -1 = the model chooses. */
  readonly durationSeconds: number;
  /** Lower case: "720p". */
  readonly resolution: string;
  /** "16:9" and so on; "adaptive" = taken from the references. */
  readonly ratio: string;
  /** True if the video has audio; null = the family has no such choice. */
  readonly audio: boolean | null;
  readonly seed: number | null;
  readonly watermark: boolean | null;
  /** Sorted within each kind as in the request, because prompts refer to them by number. */
  readonly references: readonly MediaReference[];
  /** videoa only: also return the last frame. */
  readonly returnLastFrame: boolean;
  /** videoa only: hosted tools that were requested. */
  readonly tools: readonly "web_search"[];
  /** videob only; null = the vendor's default. */
  readonly promptExtend: boolean | null;
  readonly fileUrl: string | null;
  readonly linkUrl: string | null;
}

export interface MediaReference {
  readonly kind: "image" | "video" | "audio";
  readonly role: "first_frame" | "last_frame" | "reference";
  /** http(s), `asset://<Id>` or a data URL. */
  readonly url: string;
}

/**
 * Returns the variant that the catalog states, otherwise the longest that the model's id ends with (`videoa-2.0-fast`);
 * undefined = neither names a variant of the family.
 */
export function variantOf<V extends string>(model: FamilyModel, variants: readonly V[]): V | undefined {
  if (model.variant !== null) return variants.find((variant) => variant === model.variant);
  const id = model.id.toLowerCase();
  return variants
    .filter((variant) => id.endsWith(`-${variant.toLowerCase()}`))
    .reduce<V | undefined>(
      (longest, each) => (longest && longest.length > each.length ? longest : each),
      undefined,
    );
}

/** The references of one kind, in the caller's order. */
export function referencesOf(
  kind: MediaReference["kind"],
  urls: readonly string[],
  role: MediaReference["role"] = "reference",
): MediaReference[] {
  return urls.map((url) => ({ kind, role, url }));
}

/** The seconds that a hold covers: those requested, or the longest if the model chooses. */
export function secondsOf(resolution: string, durationSeconds: number, longestSeconds: number): MediaUnits {
  return { videoSeconds: { [resolution]: durationSeconds === -1 ? longestSeconds : durationSeconds } };
}

export function countOf(references: readonly MediaReference[], kind: MediaReference["kind"]): number {
  return references.filter((each) => each.kind === kind && each.role === "reference").length;
}
