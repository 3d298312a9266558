/**
 * Beyond this text is counted by the ratio of its beginning: an exact count of megabytes would take a thread
 * a tenth of a second, for a number that is an estimate anyway.
 */
const COUNTED_CHARS = 400_000;

/**
 * The tokenizer joins the letters of one word pair by pair, in time that grows with the square of its length: 400,000
 * without a blank between them, which any caller can send, took it a minute. Longer runs are counted in pieces, each cut
 * a token too many at most.
 */
const RUN_CHARS = 256;

const LONG_RUN = new RegExp(`\\S{${RUN_CHARS + 1}}|\\s{${RUN_CHARS + 1}}`);
/** Matches a run that may be one word or a part of one. */
const PIECES = new RegExp(`\\S{1,${RUN_CHARS}}|\\s{1,${RUN_CHARS}}`, "g");

/** Tokens that a vendor's format spends around a prompt whatever it says (roles, separators). */
export const FRAME_TOKENS = 4;

/** An image of a megapixel at the vendors' usual detail. */
export const IMAGE_TOKENS = 1_500;

/** Tokens of a text; `more` is the number of characters of it that are not here. */
export type Counter = (text: string, more?: number) => number;

let counter: Promise<Counter> | undefined;

/** The tokenizer takes 100 MB of memory, so it is loaded only when something is counted. */
export function loadCounter(): Promise<Counter> {
  counter ??= import("gpt-tokenizer/encoding/o200k_base").then(({ countTokens }) => (text, more = 0) => {
    const sample = text.length > COUNTED_CHARS ? text.slice(0, COUNTED_CHARS) : text;
    const tokens = pieces(sample).reduce(
      (sum, piece) => sum + countTokens(piece, { allowedSpecial: "all" }),
      0,
    );
    return Math.ceil((tokens * (text.length + more)) / Math.max(1, sample.length));
  });
  return counter;
}

/** The text itself, or cut where a run is too long; no cut stands anywhere else. */
function pieces(text: string): readonly string[] {
  if (!LONG_RUN.test(text)) return [text];
  const cut: string[] = [];
  let piece = "";
  for (const [run] of text.matchAll(PIECES)) {
    piece += run;
    if (run.length < RUN_CHARS) continue;
    cut.push(piece);
    piece = "";
  }
  if (piece !== "") cut.push(piece);
  return cut;
}
