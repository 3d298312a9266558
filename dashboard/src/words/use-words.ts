import { type Language, useLanguage } from "./language.ts";

/** The words of a page, by language. */
export type Words<Page> = Readonly<Record<Language, Page>>;

/**
 * The words of the language in use: `const t = useWords(words)`, then `t.title`, or `t.left(3)` for a sentence
 * with values in it.
 */
export function useWords<Page>(words: Words<Page>): Page {
  return words[useLanguage()];
}

/** Words in both languages; a key that one of them lacks, or has alone, is a type error. */
export function wordsOf<Page>(words: { readonly en: Page; readonly zh: NoInfer<Page> }): Words<Page> {
  return words;
}
