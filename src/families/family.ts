import type { MediaUnits } from "../usage/usage.ts";
import type { FieldTable } from "./field.ts";
import type { IsPublic } from "./url-form.ts";

export const FAMILY_NAMES = ["imagegen", "videoa", "videob", "videoc"] as const;
export type FamilyName = (typeof FAMILY_NAMES)[number];

/** The model as far as a family cares. */
export interface FamilyModel {
  readonly id: string;
  /** As in the catalog; null = read off the id. */
  readonly variant: string | null;
}

/** One family of images or videos: what the specification says about its requests, as data and pure functions. */
export interface Family {
  readonly name: FamilyName;
  readonly medium: "image" | "video";
  readonly variants: readonly string[];
  /** The model's variant; undefined = the catalog names none that there is, and the id none either. */
  variantOf(model: FamilyModel): string | undefined;
  /** What a request is made of, `model` aside. */
  fields(model: FamilyModel): FieldTable;
  /** Bounds on several fields together, by name. */
  limits(model: FamilyModel): Readonly<Record<string, unknown>>;
  /**
   * Reads a submitted body. What the specification answers with 400 is thrown as GatewayError; every other
   * violation comes back in `violation`, with units clipped to the table. `isPublic` says which http(s) URLs may be
   * references; without it any that can be parsed.
   */
  read(model: FamilyModel, body: Readonly<Record<string, unknown>>, isPublic?: IsPublic): Submission;
  /** Price words (tiers or resolutions) that the model's requests can be billed by; each needs a price. */
  priceWords(model: FamilyModel): readonly string[];
}

/** A request that is accepted: what to make, what it may cost at most, or why it must fail. */
export interface Submission {
  readonly order: MediaOrder;
  /** What the hold covers: for a duration of -1 the longest that the model may choose. */
  readonly units: MediaUnits;
  readonly action: "generate" | "textGenerate";
  /** Why the accepted task fails without an upstream call; null = nothing is wrong. */
  readonly violation: string | null;
}

/** What is to be made, every default filled in; plain JSON, stored with the task and read by every task API. */
export type MediaOrder = ImageOrder | VideoOrder;

export interface ImageOrder {
  readonly medium: "image";
  readonly family: "imagegen";
  readonly prompt: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** The listed ratio asked for ("16:9"); null where exact pixels were given. */
  readonly ratio: string | null;
  /** What it is billed by, also for exact pixels. */
  readonly tier: "1k" | "2k" | "4k";
  /** null = the vendor's own. */
  readonly quality: "high" | null;
  /** Public URLs and data URLs, in the caller's order. */
  readonly images: readonly string[];
}

export interface VideoOrder {
  readonly medium: "video";
  readonly family: "videoa" | "videob" | "videoc";
  /** All text items of a videoa request, in order, joined by line breaks. */
  readonly prompt: string;
  /** -1 = the model decides. */
  readonly durationSeconds: number;
  /** Lower case: "720p". */
  readonly resolution: string;
  /** "16:9" ...; "adaptive" = as the references are. */
  readonly ratio: string;
  /** True if the video has sound; null where the family cannot say. */
  readonly audio: boolean | null;
  readonly seed: number | null;
  readonly watermark: boolean | null;
  /** In array order within each kind; prompts refer to them by number. */
  readonly references: readonly MediaReference[];
  /** videoa: also return the last frame. */
  readonly returnLastFrame: boolean;
  /** videoa: the hosted tools asked for. */
  readonly tools: readonly "web_search"[];
  /** videob; null = the vendor's own, or not of this family. */
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
 * The variant of a model: what the catalog says, else the longest one that the model's id ends with
 * (`videoa-2.0-fast`). undefined = neither names one that the family has.
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

/** What a video is held for: its seconds, or the longest where the model decides. */
export function secondsOf(resolution: string, durationSeconds: number, longestSeconds: number): MediaUnits {
  return { videoSeconds: { [resolution]: durationSeconds === -1 ? longestSeconds : durationSeconds } };
}

export function countOf(references: readonly MediaReference[], kind: MediaReference["kind"]): number {
  return references.filter((each) => each.kind === kind && each.role === "reference").length;
}
