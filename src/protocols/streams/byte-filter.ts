import { openFinder } from "../../base/sse.ts";

/** A look at a frame's bytes, undecoded. */
export type ByteFilter = (frame: Buffer, start: number, end: number) => boolean;

/**
 * Makes a look for frames that may hold any of these keys with a value other than null; the result opens one
 * per stream. Inside JSON strings quotes are escaped, so that generated text which spells a key is not
 * mistaken for it. A frame in which a letter of a key is escaped may hold any of them.
 */
export function keyFilter(...keys: readonly string[]): () => ByteFilter {
  return () => {
    const looks = [...keys.map((key) => openWordFilter(openKeyFinder(key))), openEscapeFilter()];
    return (frame, start, end) => looks.some((look) => look(frame, start, end));
  };
}

/** True if a letter of ASCII is escaped, in a key or in a text: writers of JSON escape signs, and letters of other alphabets. */
function openEscapeFilter(): ByteFilter {
  const find = openFinder("\\u00");
  return (frame, start, end) => {
    for (let at = find(frame, start, end); at !== -1; at = find(frame, at + 1, end)) {
      const digit = frame[at + DIGIT_AT] ?? 0;
      if (digit >= DIGIT_4 && digit <= DIGIT_7) return true;
    }
    return false;
  };
}

function openWordFilter(find: KeyFinder): ByteFilter {
  return (frame, start, end) => {
    for (let value = find(frame, start, end); value !== -1; value = find(frame, value, end))
      if (frame[value] !== LETTER_N) return true;
    return false;
  };
}

/** Offset of the first byte of the value of a key's next occurrence from `start`; -1 = there is none before `end`. */
export type KeyFinder = (frame: Buffer, start: number, end: number) => number;

/** Makes a finder of one key, for one stream. */
export function openKeyFinder(key: string): KeyFinder {
  // Without the opening quote: the search stops at every letter that equals the word's first, and JSON is
  // full of quotes. Three times as fast, which the stream meter needs on every frame.
  const word = `${key}"`;
  const find = openFinder(word);
  return (frame, start, end) => {
    for (let at = find(frame, start, end); at !== -1; at = find(frame, at + 1, end)) {
      if (frame[at - 1] !== QUOTE) continue;
      let value = at + word.length;
      while (value < end && (frame[value] === SPACE || frame[value] === COLON)) value += 1;
      return value;
    }
    return -1;
  };
}

const QUOTE = 0x22;
const SPACE = 0x20;
const COLON = 0x3a;
const LETTER_N = 0x6e;
/** Offset of the digits after the two zeros of an escape: letters are from 0x41 to 0x7a. */
const DIGIT_AT = 4;
const DIGIT_4 = 0x34;
const DIGIT_7 = 0x37;
