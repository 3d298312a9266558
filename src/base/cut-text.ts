/** The beginning of a text, of at most so many bytes. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // A character that is cut in two becomes a mark, which goes.
  const kept = bytes.subarray(0, maxBytes - ELLIPSIS.length).toString();
  return kept.replace(/\uFFFD$/, "") + ELLIPSIS;
}

const ELLIPSIS = "...";
