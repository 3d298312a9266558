import type { Citation } from "../conversation/request.ts";

/**
 * Bounds the text that a response repeats because many places refer to it: sources of passages, words that are cited.
 * Without a bound, a few bytes that refer to a long text would become as many copies of it.
 */
export class RepeatedText {
  #left: number;

  /** `letters`: of all those texts, each counted once. */
  constructor(letters: number) {
    this.#left = AT_LEAST + TIMES * letters;
  }

  /** True if so many more may be told. */
  takes(letters: number): boolean {
    this.#left -= letters;
    return this.#left >= 0;
  }
}

/** The length of the texts that citations repeat of their sources. */
export function lettersOf(citations: readonly Citation[]): number {
  return citations.reduce(
    (sum, { url = "", title = "", quote = "" }) => sum + url.length + title.length + quote.length,
    0,
  );
}

/** Hundreds of citations of pages with long addresses. */
const AT_LEAST = 256 * 1024;
const TIMES = 4;
