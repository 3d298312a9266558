import { openFinder } from "../base/sse.ts";

/** A look at a frame's bytes, undecoded. */
export type Look = (frame: Buffer, start: number, end: number) => boolean;

/**
 * Makes a look for frames that hold any of these keys with a value other than null; the result opens one
 * per stream. Inside JSON strings quotes are escaped, so that generated text which spells a key is not
 * mistaken for it.
 */
export function keyLook(...keys: readonly string[]): () => Look {
  // Without the opening quote: the search stops at every byte that equals the word's first, and JSON is
  // full of quotes. Three times as fast, which the stream meter needs on every frame.
  const words = keys.map((key) => Buffer.from(`${key}"`));
  return () => {
    const looks = words.map(openWordLook);
    return (frame, start, end) => looks.some((look) => look(frame, start, end));
  };
}

function openWordLook(word: Buffer): Look {
  const find = openFinder(word);
  return (frame, start, end) => {
    for (let at = find(frame, start, end); at !== -1; at = find(frame, at + 1, end)) {
      if (frame[at - 1] !== QUOTE) continue;
      let value = at + word.length;
      while (value < end && (frame[value] === SPACE || frame[value] === COLON)) value += 1;
      if (frame[value] !== LETTER_N) return true;
    }
    return false;
  };
}

const QUOTE = 0x22;
const SPACE = 0x20;
const COLON = 0x3a;
const LETTER_N = 0x6e;
