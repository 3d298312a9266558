import type { Size } from "./pixels.ts";

/** The order of a submit, in one form for all families: it becomes a task, and at last a file. */
export interface MediaOrder {
  medium: "image" | "video";
  family: Family;
  model: string;
  prompt: string;
  /** undefined = as the references are. */
  size: Size | undefined;
  /** Videos: -1 = the model decides; images: 0. */
  seconds: number;
  /** The resolution in the caller's form: "720p". Images: "2k". */
  resolution: string;
  ratio: string;
  sound: boolean;
  lastFrame: boolean;
  watermark: boolean;
  seed: number | undefined;
  /** URLs in their order; every `asset://` id must be the caller's. */
  references: string[];
  /** The longest video that a duration of -1 may become. */
  mostSeconds: number;
}

export type Family = "imagegen" | "videoa" | "videob" | "videoc";

export const FAMILIES: readonly Family[] = ["imagegen", "videoa", "videob", "videoc"];
