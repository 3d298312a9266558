import { asObjects, asText, type JsonObject } from "../json.ts";

/** Tokens of audio, images and video, each within a whole that counts text as well. */
export type MediaCounts = Partial<Record<Medium, number>>;

export type Medium = "audio" | "image" | "video";

/** The order in which cached tokens are assigned if the vendor doesn't say which were cached; the last is the least likely. */
export const MEDIA: readonly Medium[] = ["image", "video", "audio"];

/** Reads counts out of a usage object: a `UsageCounter`. */
interface CountReader {
  count(usage: JsonObject, field: string): number | undefined;
}

/** Counts named as `audio_tokens`; undefined where there are none. */
export function mediaIn(tally: CountReader, details: JsonObject | undefined): MediaCounts | undefined {
  if (details === undefined) return undefined;
  let found: MediaCounts | undefined;
  for (const medium of MEDIA) {
    const tokens = tally.count(details, `${medium}_tokens`);
    if (tokens === undefined || tokens === 0) continue;
    found ??= {};
    found[medium] = tokens;
  }
  return found;
}

/** Keyed by number: https://github.com/googleapis/googleapis, google/ai/generativelanguage/v1beta/content.proto */
const MODALITIES = ["MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "VIDEO", "AUDIO", "DOCUMENT"];

/** Counts in lists of `{modality: "AUDIO", tokenCount: 5}`; some servers write the modality as its number, or in small letters, and the field as `token_count`. */
export function mediaInLists(tally: CountReader, ...lists: readonly unknown[]): MediaCounts | undefined {
  let found: MediaCounts | undefined;
  for (const entry of lists.flatMap(asObjects)) {
    const { modality } = entry;
    const word = typeof modality === "number" ? MODALITIES[modality] : modality;
    const medium = MEDIA.find((each) => each === asText(word).toLowerCase());
    const tokens = medium && (tally.count(entry, "tokenCount") ?? tally.count(entry, "token_count"));
    if (medium === undefined || tokens === undefined || tokens === 0) continue;
    found ??= {};
    found[medium] = (found[medium] ?? 0) + tokens;
  }
  return found;
}
