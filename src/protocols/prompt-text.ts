import { isDataUrl } from "../base/text.ts";

/** Names of fields whose strings are words for the model and not settings or media. */
const WORDS = new Set([
  "content",
  "text",
  "system",
  "instructions",
  "input",
  "prompt",
  "query",
  "documents",
  "name",
  "description",
  "arguments",
  "output",
  "thinking",
  "reasoning_content",
]);

/** Names of fields whose objects the model reads as JSON: schemas, and what went into and came out of tools. */
const JSON_VALUES = new Set([
  "parameters",
  "parametersJsonSchema",
  "input_schema",
  "schema",
  "responseSchema",
  "responseJsonSchema",
  "input",
  "args",
  "response",
]);

/** Names of fields that never reach the model. */
const NOTES = new Set(["metadata", "labels"]);

/** A string this long without a space is an image or a file, which is not counted as words. */
const MAX_WORD = 2_000;

/** The parts of a prompt that make its tokens. */
export interface Prompt {
  readonly text: string;
  /** Embeddings take texts as token numbers too, as some clients send them: so many besides the text. */
  readonly tokens: number;
}

/**
 * The words of a prompt, for an estimate of its tokens where the vendor did not say: texts of the
 * conversation, tools with their schemas, calls and results, whatever the protocol. Vendors word tools each
 * in their own way; JSON without its wrapping comes near all of them. Runs only when a request ended
 * without usage. A body that does not parse was refused before.
 */
export function readPrompt(body: readonly Uint8Array[]): Prompt {
  const found: Found = { words: [], tokens: 0 };
  collect(JSON.parse(Buffer.concat(body).toString("utf8")) as unknown, false, found);
  return { text: found.words.join("\n"), tokens: found.tokens };
}

interface Found {
  readonly words: string[];
  tokens: number;
}

function collect(value: unknown, isWords: boolean, into: Found): void {
  if (typeof value === "string") {
    if (isWords && !isBlob(value)) into.words.push(value);
  } else if (Number.isInteger(value)) {
    if (isWords) into.tokens += 1;
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, isWords, into);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      if (NOTES.has(name)) continue;
      if (JSON_VALUES.has(name) && isObject(field)) into.words.push(JSON.stringify(field));
      else collect(field, WORDS.has(name) || (isWords && typeof field === "object"), into);
    }
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isBlob(text: string): boolean {
  return isDataUrl(text) || (text.length > MAX_WORD && !/\s/.test(text.slice(0, MAX_WORD)));
}
