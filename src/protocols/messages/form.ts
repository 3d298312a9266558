import { asArray, asText, type JsonObject } from "../json.ts";
import { isListOf, isObjectOf, isWords } from "../response-form.ts";

/** True if the content of a response is blocks in their form. */
export function isContent(content: unknown): boolean {
  return isListOf(content, isBlock);
}

/** The same of one event of a stream. */
export function isEvent({ message, content_block: block, delta }: JsonObject): boolean {
  return (
    isObjectOf(message, ({ content }) => isListOf(asArray(content), isBlock)) &&
    isObjectOf(block, isBlock) &&
    isObjectOf(delta, hasWords)
  );
}

function isBlock(block: JsonObject): boolean {
  return block["type"] === "tool_use" ? asText(block["name"]) !== "" : hasWords(block);
}

function hasWords({ type, text, thinking }: JsonObject): boolean {
  const isOwn = typeof type === "string" && WORDS.has(type);
  return !isOwn || (isWords(text) && isWords(thinking));
}

/** Other blocks are of the vendor's own tools. */
const WORDS: ReadonlySet<string> = new Set(["text", "thinking", "text_delta", "thinking_delta"]);
