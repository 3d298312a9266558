import { createLru } from "./lru.ts";

interface Tokenizer {
  countTokens(text: string, options: object): number;
  encode(text: string, options: object): number[];
  decode(tokens: number[]): string;
}

/** Text that looks like a control token is ordinary text here, as it is in a vendor's prompt. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };
/** Answers and prompts of tests repeat; counting is the most expensive step, so short counts are kept. */
const MEMO_ENTRIES = 4_096;
const MEMO_TEXT_LIMIT = 16_384;

let tokenizer: Tokenizer | undefined;
const counts = createLru<number>(MEMO_ENTRIES);

/** Loads the vocabulary once (a third of a second, 60 MB), when the first text request needs it. */
export async function loadTokenizer(): Promise<void> {
  tokenizer ??= await import("gpt-tokenizer/encoding/o200k_base");
}

export function tokenizerLoaded(): boolean {
  return tokenizer !== undefined;
}

function loaded(): Tokenizer {
  if (tokenizer === undefined) throw new Error("loadTokenizer() must be awaited before tokens are counted");
  return tokenizer;
}

/** Tokens of a text in the o200k_base vocabulary. */
export function countTokens(text: string): number {
  if (text === "") return 0;
  if (text.length > MEMO_TEXT_LIMIT) return loaded().countTokens(text, AS_TEXT);
  const known = counts.get(text);
  if (known !== undefined) return known;
  const count = loaded().countTokens(text, AS_TEXT);
  counts.set(text, count);
  return count;
}

export function encodeTokens(text: string): number[] {
  return loaded().encode(text, AS_TEXT);
}

/** The longest beginning of a text that has at most `limit` tokens, never ending inside a character. */
export function firstTokens(text: string, limit: number): string {
  if (limit <= 0) return "";
  const tokens = encodeTokens(text);
  if (tokens.length <= limit) return text;
  const cut = loaded().decode(tokens.slice(0, limit));
  // A token can hold half a character: step back to what the text really begins with.
  let end = Math.min(cut.length, text.length);
  while (end > 0 && !text.startsWith(cut.slice(0, end))) end -= 1;
  return text.slice(0, end);
}
