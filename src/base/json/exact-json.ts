import { randomId } from "../random.ts";

/**
 * True if a value out of JSON has no more levels than these. JSON.parse takes any depth; JSON.stringify and
 * PostgreSQL's jsonb take that of their stacks, so what strangers nest is looked at before it is written.
 */
export function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  // A loop over keys, as each request's usage is looked at: a list of its values would take five times as long.
  for (const key in value)
    if (!isWithinDepth((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return false;
  return true;
}

/**
 * The levels of a call's arguments: the caller's next request, which may have 64, holds them inside of some others in
 * every protocol.
 */
export const ARGUMENT_LEVELS = 56;

/** More than any vendor's usage object has, which are two or three. */
export const USAGE_LEVELS = 32;

/**
 * Like JSON.parse, but a number that a double would change is a LongNumber: ids of 64 bits, limits in schemas of
 * tools. Not so where the number is the whole text.
 */
export function parseExact(json: string): unknown {
  const value: unknown = JSON.parse(json);
  const marked = withMarks(json);
  // Only now, for marks could make JSON of what is none.
  return marked === json ? value : withLongNumbers([JSON.parse(marked)])[0];
}

/**
 * Like JSON.stringify, with all the digits of LongNumbers, and for values out of JSON of any depth: strangers nest
 * without end, and JSON.parse lets them.
 */
export function writeExact(value: unknown): string {
  isWriting = true;
  hasMarks = false;
  try {
    const json = writeJson(value);
    return hasMarks ? json.replaceAll(MARKED, "$1") : json;
  } finally {
    isWriting = false;
  }
}

function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // Its stack, or the longest text there can be, which the other way would reach too.
    if (!(cause instanceof RangeError) || isWithinDepth(value, STACK_LEVELS)) throw cause;
    return writeDeep(value);
  }
}

/** Without recursion. */
function writeDeep(value: unknown): string {
  const pieces: string[] = [];
  /** The values that are still to be written, the next one last; texts as they are. */
  const rest: (string | { readonly value: unknown })[] = [{ value }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string") pieces.push(next);
    else if (typeof next.value !== "object" || next.value === null || next.value instanceof LongNumber)
      pieces.push(JSON.stringify(next.value) ?? "null");
    else {
      const isList = Array.isArray(next.value);
      pieces.push(isList ? "[" : "{");
      rest.push(isList ? "]" : "}");
      const entries = Object.entries(next.value).filter(([, inner]) => isList || inner !== undefined);
      for (const [at, [key, inner]] of entries.toReversed().entries()) {
        rest.push(
          { value: inner },
          `${at < entries.length - 1 ? "," : ""}${isList ? "" : `${JSON.stringify(key)}:`}`,
        );
      }
    }
  }
  return pieces.join("");
}

/** A number with all its digits. To whoever knows nothing of it, it is the double next to it. */
export class LongNumber extends Number {
  readonly #digits: string;

  constructor(digits: string) {
    super(digits);
    this.#digits = digits;
  }

  /** For JSON.stringify. */
  toJSON(): unknown {
    if (!isWriting) return this.valueOf();
    hasMarks = true;
    return MARK + this.#digits;
  }
}

/** True if a double would change a number of this JSON. */
export function losesPrecision(json: string): boolean {
  return longNumbers(json).next().done !== true;
}

/** Node 20 has no JSON.rawJSON: past parser and writer long numbers go as text, which nobody outside can make up. */
const MARK = `${randomId()}:`;
const MARKED = new RegExp(`"${MARK}([^"]+)"`, "g");

/** JSON.stringify takes some thousand levels; other values that it cannot write are no matter of depth. */
const STACK_LEVELS = 1_000;

let isWriting = false;
let hasMarks = false;

function withMarks(json: string): string {
  let marked = "";
  let done = 0;
  for (const { at, digits } of longNumbers(json)) {
    marked += `${json.slice(done, at)}"${MARK}${digits}"`;
    done = at + digits.length;
  }
  return marked + json.slice(done);
}

/** Puts them where the marks are. Without recursion: an upstream's response may be nested without end. */
function withLongNumbers(values: unknown[]): unknown[] {
  const open: object[] = [values];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const key of keysOf(holder)) {
      const value: unknown = Reflect.get(holder, key);
      if (typeof value === "object" && value !== null) open.push(value);
      else if (typeof value === "string" && value.startsWith(MARK)) {
        Reflect.set(holder, key, new LongNumber(value.slice(MARK.length)));
      }
    }
  }
  return values;
}

/** Keys of a large array as text cost more than all else. */
function keysOf(holder: object): Iterable<string | number> {
  return Array.isArray(holder) ? holder.keys() : Object.keys(holder);
}

interface Found {
  readonly at: number;
  readonly digits: string;
}

function* longNumbers(json: string): Generator<Found, void> {
  if (!MAY_BE_LONG.test(json)) return;
  const tokens = new RegExp(QUOTE_OR_LONG);
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const [token] = found;
    if (token === '"') tokens.lastIndex = afterString(json, tokens.lastIndex);
    else if (String(Number(token)) !== token) yield { at: found.index, digits: token };
  }
}

/** `from` is behind the opening quote. A pattern for whole strings would not hold for long ones. */
function afterString(json: string, from: number): number {
  for (let quote = json.indexOf('"', from); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let first = quote;
    while (json[first - 1] === "\\") first -= 1;
    if ((quote - first) % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** A double keeps 15 digits of any number, and powers of ten of two digits. Nearly all JSON has only such ones. */
const MAY_BE_LONG = /[:,[\s]-?\d(?:[\d.eE+-]{15}|[\d.]*[eE][+-]?\d{3})/;
const QUOTE_OR_LONG = /"|-?\d(?:[\d.eE+-]{15,}|[\d.]*[eE][+-]?\d{3,})/g;
