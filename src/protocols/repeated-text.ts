import type { Citation } from "../conversation/request.ts";

/**
 * What a response may repeat of texts that stand in it once and that much else points at: sources that passages rest on, words
 * that are cited. Without a bound a few bytes that point at a long text would be as many copies of it.
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

/** What citations tell of their sources. */
export function lettersOf(citations: readonly Citation[]): number {
  return citations.reduce(
    (sum, { url = "", title = "", quote = "" }) => sum + url.length + title.length + quote.length,
    0,
  );
}

/** Hundreds of citations of pages with long addresses. */
const AT_LEAST = 256 * 1024;
const TIMES = 4;
