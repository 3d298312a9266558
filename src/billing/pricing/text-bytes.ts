import type { BodyRange } from "../../protocols/body-features.ts";

/**
 * Bytes that a body's text has once its JSON escapes are read, images left out: a bound of its tokens,
 * since no tokenizer makes more than one of a byte. `\u4e2d` is six bytes of JSON and three of text; it counts
 * as three whatever it spells. Stops at `enough`, so that a large body is not looked through for nothing.
 */
export function textBytes(body: readonly Uint8Array[], images: readonly BodyRange[], enough: number): number {
  let bytes = body.reduce((sum, { length }) => sum + length, 0);
  for (const { start, end } of images) bytes -= end - start;
  // Escapes halve a text at most.
  if (bytes >= 2 * enough) return enough;
  const outside = images.length === 0 ? images : [...images].sort((a, b) => a.start - b.start);
  return Math.min(enough, bytes - escapeOverhead(body, outside));
}

/** `images` in order. Of an escape that a chunk's end cuts nothing is saved. */
function escapeOverhead(body: readonly Uint8Array[], images: readonly BodyRange[]): number {
  let saved = 0;
  let offset = 0;
  let image = 0;
  // The next byte is the second of an escape, whatever it is.
  let cut = false;
  for (const chunk of body) {
    let at = nextBackslash(chunk, cut ? 1 : 0);
    cut &&= chunk.length === 0;
    while (at < chunk.length) {
      while ((images[image]?.end ?? Number.POSITIVE_INFINITY) <= offset + at) image += 1;
      const here = images[image];
      if (here !== undefined && here.start <= offset + at) {
        at = nextBackslash(chunk, here.end - offset);
        continue;
      }
      cut = at + 1 === chunk.length;
      const isUnicode = chunk[at + 1] === LETTER_U;
      if (isUnicode && at + UNICODE_ESCAPE <= chunk.length) saved += UNICODE_ESCAPE - MAX_BYTES;
      else if (!isUnicode && !cut) saved += 1;
      at = nextBackslash(chunk, at + 2);
    }
    offset += chunk.length;
  }
  return saved;
}

/** Escapes mostly stand close together or far apart: a search by the platform costs more than some bytes' look. */
function nextBackslash(chunk: Uint8Array, from: number): number {
  const near = Math.min(chunk.length, from + NEAR);
  for (let at = from; at < near; at += 1) if (chunk[at] === BACKSLASH) return at;
  if (near >= chunk.length) return chunk.length;
  const found = chunk.indexOf(BACKSLASH, near);
  return found === -1 ? chunk.length : found;
}

const NEAR = 32;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** Length of `\uXXXX` and of its character in UTF-8; half of a surrogate pair has two bytes. */
const UNICODE_ESCAPE = 6;
const MAX_BYTES = 3;
