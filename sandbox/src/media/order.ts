import type { Size } from "./pixels.ts";

/** What a submit asks for, in one form for all families: what becomes a task, and at last a file. */
export interface MediaOrder {
  medium: "image" | "video";
  family: Family;
  model: string;
  prompt: string;
  /** undefined = as the references are. */
  size: Size | undefined;
  /** Videos: -1 = the model decides; images: 0. */
  seconds: number;
  /** As the caller is told: "720p". Images: "2k". */
  resolution: string;
  ratio: string;
  sound: boolean;
  lastFrame: boolean;
  watermark: boolean;
  seed: number | undefined;
  /** URLs in their order; every `asset://` id must be the caller's. */
  references: string[];
  /** What a duration of -1 may become at most. */
  mostSeconds: number;
}

export type Family = "imagegen" | "videoa" | "videob" | "videoc";

export const FAMILIES: readonly Family[] = ["imagegen", "videoa", "videob", "videoc"];
