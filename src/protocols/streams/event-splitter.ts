import { indexIn } from "../../base/sse.ts";

/**
 * Puts blank lines between the events of vendors that end each event with a single line end. The standard joins adjacent
 * lines of data, which would make the whole stream one event that is no JSON. A line that ends with an object, followed by
 * a line of data that begins with an object or with `[DONE]`, is never one JSON text, so an event that is written over several
 * lines of data stays as it is. An event of such a vendor is known to be complete when the next one begins.
 */
export interface EventSplitter {
  /** The bytes that can be passed on; often the very chunk, and empty where it may be needed to tell what it belongs to. */
  write(chunk: Buffer): Buffer;
  /** No more bytes: what was kept. Of a whole stream of such a vendor also the blank line that closes its last event. */
  end(isWhole: boolean): Buffer;
}

export function openEventSplitter(): EventSplitter {
  /** False: a JSON text, in which no line begins with `data:`. */
  let isEvents: boolean | undefined;
  /** The end of an object, as far as its line end has come, if that was passed on last. */
  let tail = "";
  /** Lines after such an end that may belong to the next event, the last one maybe incomplete. */
  let kept = "";
  /** The line end with which the vendor ends each event; undefined = no event had to be split. */
  let lineEndUsed: string | undefined;
  let lastByte: number | undefined;

  /** Parts what follows the ends of objects, wherever the chunks before were cut. */
  function part(chunk: Buffer): Buffer {
    const came = tail + kept + chunk.toString("latin1");
    const parted = came.replace(END_OF_EVENT, "$&$1");
    if (parted.length > came.length) lineEndUsed ??= END_OF_LINE.exec(parted)?.[1];
    const sentLength = tail.length;
    const last = Math.max(parted.lastIndexOf("}\n"), parted.lastIndexOf("}\r"));
    const end = last === -1 ? "" : (END_OF_LINE.exec(parted.slice(last, last + 3))?.[0] ?? "");
    const rest = parted.slice(last + end.length);
    const isOpen = end !== "" && rest.length <= MAX_FIELDS && UNDECIDED.test(rest);
    tail = isOpen ? end : (OPEN_END.exec(parted)?.[0] ?? "");
    kept = isOpen ? rest : "";
    return Buffer.from(parted.slice(sentLength, parted.length - kept.length), "latin1");
  }

  return {
    write(chunk) {
      lastByte = chunk[chunk.length - 1] ?? lastByte;
      isEvents ??= beginsEvents(chunk);
      if (isEvents === false) return chunk;
      if (tail !== "" || hasLineBehindObject(chunk)) return part(chunk);
      tail = openEnd(chunk);
      return chunk;
    },
    end(isWhole) {
      const left = Buffer.from(kept, "latin1");
      kept = "";
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

/** Nearly no stream has such a chunk: each line of data is followed by a blank line. A vendor ends all lines alike. */
function hasLineBehindObject(chunk: Buffer): boolean {
  const first = indexIn(chunk, "}\n", 0);
  for (let at = first; at !== -1; at = indexIn(chunk, "}\n", at + 2))
    if (beginsLine(chunk[at + 2])) return true;
  if (first !== -1) return false;
  for (let at = indexIn(chunk, "}\r", 0); at !== -1; at = indexIn(chunk, "}\r", at + 2))
    if (beginsLine(chunk[at + 2]) || (chunk[at + 2] === LF && beginsLine(chunk[at + 3]))) return true;
  return false;
}

/** True if a line that is not blank begins with this byte. */
function beginsLine(byte: number | undefined): boolean {
  return byte !== undefined && byte !== LF && byte !== CR;
}

const LINE_END = "(?:\\r\\n|\\n|\\r)";
/** An event's name, its id or a comment; what is longer is somebody's text. */
const FIELD = "(?:event|id|retry)?:[^\\r\\n]{0,200}";
/** Those that may stand before an event's data: few and short, so that to look for the data takes no longer with more of them. */
const FIELDS = `(?:${FIELD}${LINE_END}){0,4}`;
const MAX_FIELDS = 1024;

/** The end of an object's line behind which the next event begins. */
const END_OF_EVENT = new RegExp(`\\}(${LINE_END})(?=${FIELDS}data: ?[{[])`, "g");
const END_OF_LINE = new RegExp(`\\}(${LINE_END})`);
/** Matches text that may become the start of the next event once more has arrived. */
const UNDECIDED = new RegExp(`^${FIELDS}(?:[a-z]{0,5}|data: ?|${FIELD}\\r?)$`);
/** An object's end at the end of a text. */
const OPEN_END = /\}(?:\r\n|\n|\r)?$/;
const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
