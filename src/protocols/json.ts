import { parseExact } from "../base/json/exact-json.ts";
import { isRecord } from "../base/json/record.ts";

/** A JSON object of unknown content, as an upstream sent it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object and no array, else undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return isRecord(value) ? value : undefined;
}

/** The value if it is an array, else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects among an array's elements. */
export function asObjects(value: unknown): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  for (const element of asArray(value)) {
    const object = asObject(element);
    if (object !== undefined) objects.push(object);
  }
  return objects;
}

/** A place in a list: the value if it can be one, else the first. */
export function asIndex(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0;
}

/** The value if it is a string, else "". */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * The value if it can name a response or its model. Names are written into every event of a translated stream, so that whatever
 * is longer is none: ours stands in its place (rule 43).
 */
export function asName(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME_LETTERS ? value : undefined;
}

/** Recorded ids have up to 60 characters, encrypted ones and paths of models some hundred. */
const MAX_NAME_LETTERS = 1024;

/**
 * Parses what an upstream sent; undefined where it is no JSON. NaN and Infinity, which careless servers
 * write bare, are read as words, so that the response's other fields are not lost with them.
 */
export function parseLoosely(text: string, parse: (json: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    if (!text.includes("NaN") && !text.includes("Infinity")) return undefined;
  }
  try {
    return parse(text.replace(BARE_WORD, '"$1"'));
  } catch {
    return undefined;
  }
}

/** The same with all digits, for what is written again: counting needs none, and reads more often. */
export function parseWhole(text: string): unknown {
  return parseLoosely(text, parseExact);
}

/**
 * JSON text in which keys can be looked for as they are read: letters of ASCII, digits and underscores that are escaped stand for
 * themselves.
 */
export function withPlainLetters(json: string): string {
  if (!json.includes("\\u00")) return json;
  return json.replace(ESCAPED_LETTER, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const ESCAPED_LETTER = /\\u00(3\d|[46][1-9a-f]|[57][0-9a]|5f)/gi;

/** The word comes first: a look back from every blank would take time that grows with the square of their number. */
const BARE_WORD = /(NaN|-?Infinity)(?<=[:,[]\s*\1)(?=\s*[,\]}])/g;

/** A name ends up on receipts, so whatever is none is told as such. */
export function readModelName(value: unknown): string {
  return typeof value === "string" && MODEL_NAME.test(value) ? value : "unnamed";
}

const MODEL_NAME = /^[\w.:/@-]{1,100}$/;
