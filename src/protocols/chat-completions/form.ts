import type { JsonObject } from "../json.ts";
import { isListOf, isObjectOf, isWords } from "../response-form.ts";
import { readCall, wireCalls } from "./decode-calls.ts";

/** True if the words of a choice are words. Thoughts stand in fields of the vendors' own, where whatever is no text is nothing. */
export function isInForm(choice: JsonObject): boolean {
  return isObjectOf(choice["message"], isMessage) && isObjectOf(choice["delta"], isMessage);
}

function isMessage({ content, refusal }: JsonObject): boolean {
  return isWords(refusal) && (isWords(content) || isListOf(content, isPart));
}

function isPart({ text, refusal }: JsonObject): boolean {
  return isWords(text) && isWords(refusal);
}

/** Says if a message or delta calls a tool by name, and if it has a call, or a piece of one, without a name. */
export function namesIn(message: JsonObject): { readonly named: boolean; readonly unnamed: boolean } {
  const calls = wireCalls(message).map(readCall);
  return {
    named: calls.some(({ name }) => name !== ""),
    unnamed: calls.some(({ id, name, text }) => name === "" && id + text !== ""),
  };
}
