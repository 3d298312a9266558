import type { Finish, FinishKind } from "../../conversation/response.ts";

/** The vendor's word, which is STOP with function calls as well (rule 9). Undefined: it tells of a failure, not of an end. */
export function decodeFinish(word: string, message: string): Finish | undefined {
  if (isFailure(word)) return undefined;
  const detail = message === "" || word === "STOP" ? {} : { message };
  const unified = KINDS.get(word) ?? "other";
  return { unified, protocol: PROTOCOL, raw: word === "" ? undefined : word, ...detail };
}

/** True if the word tells of a failure. */
export function isFailure(word: string): boolean {
  return FAILURES.has(word);
}

/** The prompt itself was refused: there are no candidates (rule 40). */
export function decodeBlock(reason: string, message: string): Finish {
  const detail = message === "" ? {} : { message };
  return { unified: "content-filter", protocol: PROTOCOL, raw: `${BLOCKED}${reason}`, ...detail };
}

export function encodeFinish(finish: Finish): string {
  if (finish.protocol === PROTOCOL && finish.raw !== undefined) return finish.raw;
  return WORDS[finish.unified];
}

/** Why the prompt was blocked; undefined where it was not, or where another protocol's response cannot tell. */
export function encodeBlock({ protocol, raw }: Finish): string | undefined {
  return protocol === PROTOCOL && raw?.startsWith(BLOCKED) ? raw.slice(BLOCKED.length) : undefined;
}

/**
 * Chooses the most precise of several words of one candidate: every other word replaces STOP, and later ones replace
 * earlier ones (rule 10).
 */
export function laterFinish(before: string, word: string): string {
  return before !== "" && (word === "STOP" || word === "") ? before : word;
}

const PROTOCOL = "generate-content";
const BLOCKED = "promptFeedback:";

const KINDS = new Map<string, FinishKind>([
  ["STOP", "stop"],
  // A whole response that does not say why it ended.
  ["", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content-filter"],
  ["RECITATION", "content-filter"],
  ["BLOCKLIST", "content-filter"],
  ["PROHIBITED_CONTENT", "content-filter"],
  ["SPII", "content-filter"],
  ["MODEL_ARMOR", "content-filter"],
  ["IMAGE_SAFETY", "content-filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content-filter"],
  ["IMAGE_RECITATION", "content-filter"],
]);

/** The model wrote something that the vendor could not read: there is no response to go on from. */
const FAILURES: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
]);

const WORDS: Readonly<Record<FinishKind, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  // Never FUNCTION_CALL, which no client knows (rule 10).
  "tool-calls": "STOP",
  "content-filter": "SAFETY",
  pause: "STOP",
  other: "STOP",
};
