import type { Seeded } from "./seeded.ts";

/**
 * Words that are one token each in o200k_base, at the start and after a space, in lower case and
 * capitalised: so a text of N words is a text of N tokens, which tests of exact charges rely on.
 */
export const WORDS: readonly string[] = [
  ..."river stone cloud light paper green quiet seven garden signal window table silver story number water".split(
    " ",
  ),
  ..."bridge summer winter music letter market corner shadow engine forest animal simple early common open".split(
    " ",
  ),
  ..."small large north south bright second travel promise answer question reason measure pattern circle".split(
    " ",
  ),
  ..."square follow carry build write listen remember compare between around under over against within".split(
    " ",
  ),
  ..."without along every another many few first last next same other new old long short high low good".split(
    " ",
  ),
  ..."great clear true whole real full ready possible important different general local human natural".split(
    " ",
  ),
];

/** Exactly `count` words, hence exactly `count` tokens. */
export function wordsOf(count: number, seeded: Seeded): string {
  const words: string[] = [];
  for (let index = 0; index < count; index += 1) words.push(seeded.pick(WORDS));
  return words.join(" ");
}

/** A sentence of `count` words: a capital, the words, a full stop. */
export function sentenceOf(count: number, seeded: Seeded): string {
  const text = wordsOf(count, seeded);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Up to three words with the space before them, as tokens carry it; or the white space at the end. */
const RUN = /\s*\S+(?:\s+\S+){0,2}|\s+$/gu;
/** Runs without spaces (Chinese, base64) are cut at this many characters. */
const MAX_PIECE = 24;

/** Cuts a text into pieces as a model would stream it: some words at a time, never inside a character. */
export function piecesOf(text: string): string[] {
  if (text === "") return [];
  const runs = text.match(RUN) ?? [text];
  return runs.flatMap((run) => (run.length <= MAX_PIECE * 2 ? [run] : slicesOf(run, MAX_PIECE)));
}

/** Slices of `size` characters (code points), the last one shorter. */
export function slicesOf(text: string, size: number): string[] {
  const characters = Array.from(text);
  const slices: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    slices.push(characters.slice(start, start + size).join(""));
  }
  return slices;
}

/** Cuts a text at spaces into `count` pieces (fewer where it has fewer words). */
export function piecesInto(text: string, count: number): string[] {
  const words = text.match(/\s*\S+/gu) ?? [];
  const pieces = Math.min(count, words.length);
  const cut: string[] = [];
  for (let index = 0; index < pieces; index += 1) {
    const start = Math.floor((index * words.length) / pieces);
    const end = Math.floor(((index + 1) * words.length) / pieces);
    cut.push(words.slice(start, end).join(""));
  }
  return cut;
}
