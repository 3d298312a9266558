/**
 * True if JSON text has more values than `most`: names, items, objects and lists, each of which takes time and memory to
 * parse, whereas a long text takes next to none. Reads no further than it must, and nothing into strings.
 */
export function hasMoreValues(json: Buffer, start: number, end: number, most: number): boolean {
  let values = 0;
  for (let at = start; at < end; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfString(json, at + 1);
      if (at === -1 || at >= end) return false;
    } else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}

/** The end of the string that begins at `from`; -1 = it has none. */
function endOfString(json: Buffer, from: number): number {
  for (let quote = json.indexOf(QUOTE, from); quote !== -1; quote = json.indexOf(QUOTE, quote + 1)) {
    let escapes = 0;
    while (quote - escapes > from && json[quote - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
  }
  return -1;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
