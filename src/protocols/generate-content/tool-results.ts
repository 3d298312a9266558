import { asObject, type JsonObject, parseLoosely } from "../json.ts";

/** What a tool answered, as text. */
export interface ResultText {
  readonly text: string;
  readonly isError?: true;
}

/**
 * A tool's `response` is an object here and text elsewhere (rule 24). What we wrap is unwrapped again,
 * and any other object is its own JSON text, so that neither direction ever encodes twice. Text that an object
 * would change stays text.
 */
export function decodeResult(response: JsonObject): ResultText {
  const [only, ...others] = Object.entries(response);
  const [key, value] = only ?? [];
  if (others.length > 0 || (key !== OUTPUT && key !== ERROR)) return { text: JSON.stringify(response) };
  const bare = typeof value === "string" && objectOf(value) === undefined;
  const text = bare ? value : JSON.stringify(response);
  return key === ERROR ? { text, isError: true } : { text };
}

export function encodeResult({ text, isError }: ResultText): JsonObject {
  const object = objectOf(text);
  if (isError !== true) return object ?? { [OUTPUT]: text };
  return object !== undefined && ERROR in object ? object : { [ERROR]: text };
}

/** The object that a text says; undefined where it says none, or has a number that would come out another. */
function objectOf(text: string): JsonObject | undefined {
  const object = asObject(parseLoosely(text));
  return object === undefined || losesDigits(text) ? undefined : object;
}

/** Ids of 64 bits above all: a number here is a double, which keeps 15 digits of any and more of some. */
function losesDigits(json: string): boolean {
  for (const [token] of json.matchAll(STRING_OR_NUMBER)) {
    if (token.startsWith('"') || SHORT_NUMBER.test(token)) continue;
    if (String(Number(token)) !== token) return true;
  }
  return false;
}

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** At most 15 digits, and a power of ten far within what a double has. */
const SHORT_NUMBER = /^-?(?:\d\.?){1,15}(?:[eE][+-]?\d{1,2})?$/;

/** The vendor's names for a function's output and its failure. */
const OUTPUT = "output";
const ERROR = "error";
