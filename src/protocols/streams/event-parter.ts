import { indexIn } from "../../base/sse.ts";

/**
 * Puts blank lines between the events of vendors that end each event with a single line end. The standard joins adjacent
 * lines of data, which would make the whole stream one event that is no JSON. A line that ends with an object, followed by
 * a line of data that begins with an object or with `[DONE]`, is never one JSON text, so an event that is written over several
 * lines of data stays as it is. An event of such a vendor is known to be complete when the next one begins.
 */
export interface EventParter {
  /** The bytes that can be passed on; often the very chunk, and empty where it may be needed to tell what it belongs to. */
  write(chunk: Buffer): Buffer;
  /** No more bytes: what was kept. Of a whole stream of such a vendor also the blank line that closes its last event. */
  end(isWhole: boolean): Buffer;
}

export function openEventParter(): EventParter {
  /** False: a JSON text, in which no line begins with `data:`. */
  let isEvents: boolean | undefined;
  /** The end of an object, as far as its line end has come, if that was passed on last. */
  let tail = "";
  /** Whole and half lines behind such an end, which may belong to the next event. */
  let kept: Buffer = EMPTY;
  /** What the vendor ends each event with; undefined = none had to be parted. */
  let lineEndUsed: string | undefined;
  let lastByte: number | undefined;

  /** Parts what follows the ends of objects, wherever the chunks before were cut. */
  function part(chunk: Buffer): Buffer {
    const text = tail + chunk.toString("latin1");
    const pieces: Buffer[] = [];
    let from = 0;
    for (const { 0: match, 1: lineEnd = "", index } of text.matchAll(LINE_OF_OBJECT)) {
      const next = index + match.length;
      const kind = kindOf(text, next);
      if (kind === "unknown") {
        pieces.push(chunk.subarray(from, next - tail.length));
        kept = chunk.subarray(next - tail.length);
        tail = match;
        return Buffer.concat(pieces);
      }
      if (kind === "same") continue;
      lineEndUsed = lineEnd;
      pieces.push(chunk.subarray(from, next - tail.length), Buffer.from(lineEnd));
      from = next - tail.length;
    }
    tail = OPEN_END.exec(text)?.[0] ?? "";
    if (pieces.length === 0) return chunk;
    return Buffer.concat([...pieces, chunk.subarray(from)]);
  }

  return {
    write(chunk) {
      lastByte = chunk[chunk.length - 1] ?? lastByte;
      isEvents ??= beginsEvents(chunk);
      if (isEvents === false) return chunk;
      if (kept.length > 0) {
        const all = Buffer.concat([kept, chunk]);
        kept = EMPTY;
        return part(all);
      }
      if (tail !== "" || hasLineBehindObject(chunk)) return part(chunk);
      tail = openEnd(chunk);
      return chunk;
    },
    end(isWhole) {
      const left = kept;
      kept = EMPTY;
      if (!isWhole || lineEndUsed === undefined) return left;
      const isLineOver = lastByte === LF || lastByte === CR;
      return Buffer.concat([left, Buffer.from(isLineOver ? lineEndUsed : lineEndUsed.repeat(2))]);
    },
  };
}

/** undefined = these bytes are blank. */
function beginsEvents(chunk: Buffer): boolean | undefined {
  const first = chunk.find((byte) => byte > SPACE);
  return first === undefined ? undefined : first !== OPENING_BRACE && first !== OPENING_BRACKET;
}

/** The object's end at the end of a chunk, as OPEN_END finds it in a text: asked of each chunk, nearly all of which end with a blank line. */
function openEnd(chunk: Buffer): string {
  let at = chunk.length - 1;
  if (chunk[at] === LF) at--;
  if (chunk[at] === CR) at--;
  return chunk[at] === CLOSING_BRACE ? chunk.toString("latin1", at) : "";
}

/** Of nearly every stream no chunk has one: each line of data is followed by a blank line. A vendor ends all lines alike. */
function hasLineBehindObject(chunk: Buffer): boolean {
  const first = indexIn(chunk, "}\n", 0);
  for (let at = first; at !== -1; at = indexIn(chunk, "}\n", at + 2))
    if (beginsLine(chunk[at + 2])) return true;
  if (first !== -1) return false;
  for (let at = indexIn(chunk, "}\r", 0); at !== -1; at = indexIn(chunk, "}\r", at + 2))
    if (beginsLine(chunk[at + 2]) || (chunk[at + 2] === LF && beginsLine(chunk[at + 3]))) return true;
  return false;
}

/** Whether a line that is not blank begins with this byte. */
function beginsLine(byte: number | undefined): boolean {
  return byte !== undefined && byte !== LF && byte !== CR;
}

/**
 * Whether another event begins behind an object's line: its data may stand behind its name, its id and comments, which
 * then are its own. unknown = more bytes are needed to tell.
 */
function kindOf(text: string, start: number): "another" | "same" | "unknown" {
  let at = start;
  while (at - start <= MAX_FIELDS_BYTES) {
    LINE.lastIndex = at;
    const [whole = "", line = "", lineEnd = ""] = LINE.exec(text) ?? [];
    if (BEGINS_DATA.test(line)) return "another";
    if (lineEnd === "")
      return MAY_BEGIN_DATA.test(line) && line.length <= MAX_FIELDS_BYTES ? "unknown" : "same";
    if (!OTHER_FIELD.test(line)) return "same";
    at += whole.length;
  }
  return "same";
}

const LINE_OF_OBJECT = /\}(\r\n|\n|\r)/g;
/** An object's end at the end of a text. */
const OPEN_END = /\}(?:\r\n|\n|\r)?$/;
const LINE = /([^\r\n]*)(\r\n|\n|\r)?/y;
const BEGINS_DATA = /^data: ?[{[]/;
const OTHER_FIELD = /^(?:event|id|retry)?:/;
/** The beginning of a line: of data up to its first letter, or of any other field. */
const MAY_BEGIN_DATA = /^(?:d?|da|dat|data|data:|data: |[eir:].*)$/;
/** The names of an event and a comment; more than these are somebody's text. */
const MAX_FIELDS_BYTES = 1024;
const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const EMPTY = Buffer.alloc(0);
