import { losesPrecision, writeExact } from "../../base/json/exact-json.ts";
import { asObject, type JsonObject, parseLoosely } from "../json.ts";

/** The text of a tool's result. */
export interface ResultText {
  readonly text: string;
  readonly isError?: true | undefined;
}

/**
 * A tool's `response` is an object here and text elsewhere (rule 24). What we wrap is unwrapped again,
 * and any other object is its own JSON text, so that neither direction ever encodes twice. Text that an object
 * would change stays text.
 */
export function decodeResult(response: JsonObject): ResultText {
  const [only, ...others] = Object.entries(response);
  const [key, value] = only ?? [];
  if (others.length > 0 || (key !== OUTPUT && key !== ERROR)) return { text: writeExact(response) };
  const bare = typeof value === "string" && objectOf(value) === undefined;
  const text = bare ? value : writeExact(response);
  return key === ERROR ? { text, isError: true } : { text };
}

export function encodeResult({ text, isError }: ResultText): JsonObject {
  const object = objectOf(text);
  if (isError !== true) return object ?? { [OUTPUT]: text };
  return object !== undefined && ERROR in object ? object : { [ERROR]: text };
}

/** The object that a text says; undefined where it says none, or has a number that is another to the vendor: all are doubles there. */
function objectOf(text: string): JsonObject | undefined {
  const object = asObject(parseLoosely(text));
  return object === undefined || losesPrecision(text) ? undefined : object;
}

/** The vendor's names for a function's output and its failure. */
const OUTPUT = "output";
const ERROR = "error";
