import { openFinder } from "../../base/sse.ts";
import type { ByteFilter } from "./byte-filter.ts";

/**
 * Makes a look for frames of the two forms that answers have, by a few of their bytes: one line of data with a JSON
 * object in it, or the same behind the name of an event that is no error. Comments, lines of other fields, data in
 * several lines and data that is no object may all hold a vendor's own words. One look a stream.
 */
export function openOrdinaryFilter(): ByteFilter {
  const findCr = openFinder("\r");
  return (frame, start, end) => {
    const data = frame[start] === LETTER_E ? endOfName(frame, start, end) : start;
    if (data === -1 || frame[data] !== LETTER_D || frame[data + COLON_AT] !== COLON) return false;
    const value = frame[data + COLON_AT + 1] === SPACE ? data + COLON_AT + 2 : data + COLON_AT + 1;
    if (frame[value] !== BRACE) return isDone(frame, value, end);
    // The last byte of a frame ends its line; one before that ends an earlier line, and there are more.
    const lineEnd = frame.indexOf(LF, value);
    if (lineEnd !== end - 1) return false;
    const cr = findCr(frame, start, end);
    const last = frame[end - 2] === CR ? end - 3 : end - 2;
    return frame[last] === CLOSING_BRACE && (cr === -1 || isCrLf(frame, cr, end));
  };
}

/** Returns the start of the line after `event: <name>`; -1 if it names an error, or isn't an event's name. */
function endOfName(frame: Buffer, start: number, end: number): number {
  const name = frame[start + NAME_AT] === SPACE ? start + NAME_AT + 1 : start + NAME_AT;
  if (frame[start + NAME_AT - 1] !== COLON || (frame[name] === LETTER_E && frame[name + 1] === LETTER_R))
    return -1;
  for (let at = name; at < end; at += 1) {
    const byte = frame[at] ?? 0;
    if (byte === LF) return at + 1;
    if (!isNameByte(byte) && byte !== CR) return -1;
  }
  return -1;
}

/** Events of the protocols are named in small letters, with dots and underscores. */
function isNameByte(byte: number): boolean {
  return (byte >= LETTER_A && byte <= LETTER_Z) || byte === UNDERSCORE || byte === DOT;
}

/** Every CR stands before a LF: the line ends of some servers, and no further lines. */
function isCrLf(frame: Buffer, first: number, end: number): boolean {
  for (let at = first; at !== -1 && at < end; at = frame.indexOf(CR, at + 1))
    if (frame[at + 1] !== LF) return false;
  return true;
}

/** `[DONE]`, and nothing behind it. */
function isDone(frame: Buffer, value: number, end: number): boolean {
  return end - value <= DONE_BYTES && frame.toString("latin1", value, end).trimEnd() === "[DONE]";
}

const DONE_BYTES = 8;
const COLON_AT = 4;
const NAME_AT = "event:".length;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const DOT = 0x2e;
const UNDERSCORE = 0x5f;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
const LETTER_D = 0x64;
const LETTER_E = 0x65;
const LETTER_R = 0x72;
