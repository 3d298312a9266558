import { isWithinDepth, USAGE_LEVELS } from "../base/max-depth.ts";
import type { TaskResult } from "../upstreams/task-apis/task-api.ts";

/** PostgreSQL's text takes every character but this one. */
const NUL = "\u0000";

/** A vendor's words, as the database takes them: bounded, because nobody reads more of a reason. */
export function storableText(text: string, maxCharacters = 2_000): string {
  return wellFormed(text.replaceAll(NUL, "").slice(0, maxCharacters));
}

const MAX_RAW_CHARACTERS = 10_000;

/** A vendor's own object for a jsonb column; null where jsonb would refuse it or it is no usage object but a flood. */
export function storableJson(value: unknown): unknown {
  if (value === undefined || value === null || !isWithinDepth(value, USAGE_LEVELS)) return null;
  const text = JSON.stringify(value);
  // Escapes of U+0000 and of half a surrogate pair: jsonb knows neither.
  const refused = /\\u0000|\\ud[89a-f]/i.test(text);
  return refused || text.length > MAX_RAW_CHARACTERS ? null : value;
}

/** A result as JSON, with the usage object where that can be stored: each read of its task gives it again. */
export function storableResult({ usage, ...result }: TaskResult): string {
  const kept = storableJson(usage);
  return JSON.stringify(kept === null ? result : { ...result, usage: kept });
}

/** Half a surrogate pair becomes U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
