import { asObject, type JsonObject, parseLoosely } from "../json.ts";

/** What a tool answered, as text. */
export interface ResultText {
  readonly text: string;
  readonly isError?: true;
}

/**
 * A tool's `response` is an object here and text elsewhere (rule 24). What we wrap is unwrapped again,
 * and any other object is its own JSON text, so that neither direction ever encodes twice.
 */
export function decodeResult(response: JsonObject): ResultText {
  const [only, ...others] = Object.entries(response);
  const [key, value] = only ?? [];
  if (others.length > 0 || (key !== OUTPUT && key !== ERROR)) return { text: JSON.stringify(response) };
  const bare = typeof value === "string" && asObject(parseLoosely(value)) === undefined;
  const text = bare ? value : JSON.stringify(response);
  return key === ERROR ? { text, isError: true } : { text };
}

export function encodeResult({ text, isError }: ResultText): JsonObject {
  const object = asObject(parseLoosely(text));
  if (isError !== true) return object ?? { [OUTPUT]: text };
  return object !== undefined && ERROR in object ? object : { [ERROR]: text };
}

/** The vendor's names for a function's output and its failure. */
const OUTPUT = "output";
const ERROR = "error";
