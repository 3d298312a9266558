import type { MediaUnits } from "../usage/usage.ts";
import type { MediaReference } from "./family.ts";

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
