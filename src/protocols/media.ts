/** The media that models read and write beside text. */
export const MEDIA = ["audio", "image", "video"] as const;

export type Medium = (typeof MEDIA)[number];

/**
 * The media beside text that words of a body name, in any case. `readWord` turns a protocol's own spelling of a medium into
 * its name. Words that name no medium are left to the vendor to refuse.
 */
export function mediaNamed(
  words: readonly unknown[],
  readWord: (word: unknown) => unknown = (word) => word,
): readonly Medium[] {
  const names = new Set(words.map((word) => String(readWord(word)).toLowerCase()));
  return MEDIA.filter((medium) => names.has(medium));
}
