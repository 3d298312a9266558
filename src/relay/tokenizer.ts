/**
 * Beyond this text is counted by the ratio of its beginning: an exact count of megabytes would take a thread
 * a tenth of a second, for a number that is an estimate anyway.
 */
const COUNTED_CHARS = 400_000;

/** Tokens that a vendor's format spends around a prompt whatever it says (roles, separators). */
export const FRAME_TOKENS = 4;

/** Tokens of a text; `more` is the number of characters of it that are not here. */
export type Counter = (text: string, more?: number) => number;

let counter: Promise<Counter> | undefined;

/** The tokenizer takes 100 MB of memory, so it is loaded only when something is counted. */
export function loadCounter(): Promise<Counter> {
  counter ??= import("gpt-tokenizer/encoding/o200k_base").then(({ countTokens }) => (text, more = 0) => {
    const sample = text.length > COUNTED_CHARS ? text.slice(0, COUNTED_CHARS) : text;
    const tokens = countTokens(sample, { allowedSpecial: "all" });
    return Math.ceil((tokens * (text.length + more)) / Math.max(1, sample.length));
  });
  return counter;
}
