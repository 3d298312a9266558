import { MEDIA, type Medium } from "./body-features.ts";
import { wordOf } from "./generate-content/enums.ts";

/**
 * The media beside text that words name, in any case, or as the numbers that generateContent has for them. Words that are no
 * medium are the vendor's to refuse.
 */
export function mediaNamed(words: readonly unknown[]): readonly Medium[] {
  const names = new Set(words.map((word) => String(wordOf("modality", word)).toLowerCase()));
  return MEDIA.filter((medium) => names.has(medium));
}
