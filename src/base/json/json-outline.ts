/**
 * The same JSON without what makes a response of vectors large: of a long list of plain values one number is left, of a long
 * text without blanks none. Texts and keys of other kinds, and the counts beside the vectors, stay as they are. What does not
 * end is kept, so that a body that was cut off remains unreadable.
 */
export function jsonOutline(body: Buffer): Buffer {
  const kept: Uint8Array[] = [];
  let from = 0;
  let at = 0;
  while (at < body.length) {
    const byte = body[at];
    if (byte === QUOTE) {
      const end = endOfText(body, at + 1);
      if (end === -1) break;
      if (end - at > KEPT_BYTES && !body.subarray(at, end).includes(BLANK)) {
        kept.push(body.subarray(from, at + 1));
        from = end;
      }
      at = end + 1;
    } else if (byte === OPEN) {
      const end = endOfPlainValues(body, at + 1);
      if (end !== -1 && end - at > KEPT_BYTES) {
        kept.push(body.subarray(from, at + 1), ONE_NUMBER);
        from = end;
        at = end;
      }
      at += 1;
    } else at += 1;
  }
  kept.push(body.subarray(from));
  return Buffer.concat(kept);
}

/** Returns the end of a list of numbers; -1 = it contains other values, or does not end. */
function endOfPlainValues(body: Buffer, start: number): number {
  let at = start;
  while (BLANKS.has(body[at] ?? 0)) at += 1;
  if (!isNumberStart(body[at] ?? 0)) return -1;
  const end = body.indexOf(CLOSE, at);
  if (end === -1) return -1;
  const values = body.subarray(at, end);
  return [QUOTE, OPEN, OPEN_OBJECT].some((byte) => values.includes(byte)) ? -1 : end;
}

/** The quotation mark that ends a text; -1 = none does. */
function endOfText(body: Buffer, start: number): number {
  for (let at = body.indexOf(QUOTE, start); at !== -1; at = body.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (at - escapes > start && body[at - escapes - 1] === ESCAPE) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

function isNumberStart(byte: number): boolean {
  return byte === MINUS || (byte >= ZERO && byte <= NINE);
}

/** Longer ones are vectors, and no lists or words that describe them. */
const KEPT_BYTES = 256;
const ONE_NUMBER = Buffer.from("0");

const QUOTE = 0x22;
const ESCAPE = 0x5c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const OPEN_OBJECT = 0x7b;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BLANK = 0x20;
const BLANKS: ReadonlySet<number> = new Set([BLANK, 0x09, 0x0a, 0x0d]);
