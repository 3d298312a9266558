import { asObject, asText, type JsonObject } from "../json.ts";
import { isListOf, isObjectOf, isWords } from "../response-form.ts";

/** True if the words of a candidate are words. */
export function isInForm(candidate: JsonObject): boolean {
  return isObjectOf(candidate["content"], ({ parts }) => isListOf(parts, ({ text }) => isWords(text)));
}

/** The call that a part is. */
export function callIn(part: JsonObject): JsonObject | undefined {
  return asObject(part["functionCall"]);
}

/** True if a part calls a function without saying which. An empty call may close one that came in pieces. */
export function isUnnamed(part: JsonObject): boolean {
  const call = callIn(part);
  return call !== undefined && asText(call["name"]) === "" && Object.values(call).some(isFilled);
}

function isFilled(value: unknown): boolean {
  if (typeof value !== "object" || value === null)
    return value !== undefined && value !== null && value !== "";
  return Object.keys(value).length > 0;
}
