import type { PromptBytes } from "../../limits/token-reserve.ts";
import type { BodyRange } from "../../protocols/body-features.ts";

/**
 * The bytes of a body by class, images left out. Letters of words, spaces and the JSON around texts are plain: English and code mostly
 * consist of them, and several make one token. Digits, signs, escapes, letters that no word has in that order and everything beyond
 * ASCII are dense: up to one token each. The body is only looked at, not parsed.
 */
export function promptBytes(body: readonly Uint8Array[], images: readonly BodyRange[]): PromptBytes {
  const inOrder = [...images].sort((one, other) => one.start - other.start);
  let position: Position = OUTSIDE;
  let dense = 0;
  let looked = 0;
  let bytes = 0;
  const countChunk = (chunk: Uint8Array, from: number, until: number): void => {
    const end = Math.min(until, from + MAX_SCANNED - looked);
    if (end > from) {
      const found = denseBytes(chunk, from, end, position);
      dense += found.dense;
      position = found.position;
      looked += end - from;
    }
    bytes += until - from;
  };

  let offset = 0;
  for (const chunk of body) {
    let at = 0;
    for (const { start, end } of inOrder) {
      if (end <= offset + at) continue;
      countChunk(chunk, at, Math.min(chunk.length, Math.max(at, start - offset)));
      at = Math.min(chunk.length, end - offset);
      if (at === chunk.length) break;
    }
    countChunk(chunk, at, chunk.length);
    offset += chunk.length;
  }
  const inAll = Math.round(dense * (bytes / Math.max(1, looked)));
  return { plain: bytes - inAll, dense: inAll };
}

/** More is counted in the proportion of what was looked at, so that a large body does not block the event loop. */
const MAX_SCANNED = 128 * 1024;

/** The position after the last byte, since a body arrives in chunks. */
interface Position {
  readonly inText: boolean;
  /** Bytes of an escape that are still to come. */
  readonly escaped: number;
  readonly inWord: boolean;
  readonly consonants: number;
}

const OUTSIDE: Position = { inText: false, escaped: 0, inWord: false, consonants: 0 };

function denseBytes(
  chunk: Uint8Array,
  from: number,
  end: number,
  before: Position,
): { readonly dense: number; readonly position: Position } {
  let { inText, escaped, inWord, consonants } = before;
  let dense = 0;
  for (let at = from; at < end; at += 1) {
    const byte = chunk[at] as number;
    if (!inText) {
      // Lists of token numbers have a token for each comma.
      if (byte === COMMA) dense += 1;
      inText = byte === QUOTE;
      continue;
    }
    const kind = KINDS[byte] as number;
    if (escaped > 0) {
      // `\u4e2d` is up to three bytes of text, so two more of it count.
      if (escaped < FIRST) escaped -= 1;
      else escaped = byte === LETTER_U ? 2 : 0;
      dense += 1;
      inWord = false;
    } else if (kind <= CAPITAL_CONSONANT) {
      consonants = kind >= CONSONANT ? (inWord ? consonants + 1 : 1) : 0;
      const isCapital = kind === CAPITAL_VOWEL || kind === CAPITAL_CONSONANT;
      if (consonants > COMMON_CONSONANTS || (isCapital && inWord)) dense += 1;
      inWord = true;
    } else {
      inWord = false;
      if (kind === SIGN) dense += 1;
      else if (byte === QUOTE) inText = false;
      else if (byte === BACKSLASH) escaped = FIRST;
    }
  }
  return { dense, position: { inText, escaped, inWord, consonants } };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** The next byte is the first of an escape, behind its backslash. */
const FIRST = 3;

/** Three consonants in a row are rare in words. */
const COMMON_CONSONANTS = 2;

const VOWEL = 0;
const CAPITAL_VOWEL = 1;
const CONSONANT = 2;
const CAPITAL_CONSONANT = 3;
const SIGN = 4;
/** Spaces, and what is looked at itself. */
const OTHER = 5;
const KINDS = new Uint8Array(256).map((_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[aeiouy]/.test(character)) return VOWEL;
  if (/[AEIOUY]/.test(character)) return CAPITAL_VOWEL;
  if (/[a-z]/.test(character)) return CONSONANT;
  if (/[A-Z]/.test(character)) return CAPITAL_CONSONANT;
  return /[ "\\]/.test(character) ? OTHER : SIGN;
});
