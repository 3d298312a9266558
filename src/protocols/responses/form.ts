import { asText, type JsonObject } from "../json.ts";
import { isListOf, isObjectOf, isWords } from "../response-form.ts";

/** True if the output of a response is items in their form. */
export function isOutput(output: unknown): boolean {
  return isListOf(output, isWholeItem);
}

/** The same of one event of a stream. The name of a call may follow its announcement. */
export function isEvent(type: string, { item, part, delta, text, refusal }: JsonObject): boolean {
  if (WORDS.test(type)) return isWords(delta) && isWords(text) && isWords(refusal);
  return (
    isObjectOf(item, type === "response.output_item.added" ? isItem : isWholeItem) && isObjectOf(part, isPart)
  );
}

function isWholeItem(item: JsonObject): boolean {
  return isItem(item) && !isUnnamed(item);
}

function isItem({ type, content, summary }: JsonObject): boolean {
  return (
    (type !== "message" && type !== "reasoning") || (isListOf(content, isPart) && isListOf(summary, isPart))
  );
}

/** True if an item calls a tool without saying which. */
export function isUnnamed({ type, name }: JsonObject): boolean {
  return (type === "function_call" || type === "custom_tool_call") && asText(name) === "";
}

function isPart({ text, refusal }: JsonObject): boolean {
  return isWords(text) && isWords(refusal);
}

/** The events that bring words. */
const WORDS = /^response\.(?:output_text|refusal|reasoning_text|reasoning_summary_text)\.(?:delta|done)$/;
