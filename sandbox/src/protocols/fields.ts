import { createHash } from "node:crypto";
import { isAbsent, type Json, type JsonObject, numberOf, stringOr } from "../json.ts";
import { refuse } from "../refusal.ts";

/** A short stand-in for media bytes or a URL: equal media digest alike. */
export function mediaDigest(...values: (Json | undefined)[]): string {
  const hash = createHash("sha1");
  for (const value of values) hash.update(stringOr(value, "")).update("\0");
  return hash.digest("hex");
}

export interface NumberRange {
  kind: "integer" | "decimal";
  min: number;
  max?: number;
}

/** A number in range, else refused in OpenAI's words; undefined where the field is absent. */
export function openaiNumber(body: JsonObject, field: string, range: NumberRange): number | undefined {
  const value = body[field];
  if (isAbsent(value)) return undefined;
  const number = numberOf(value);
  if (number === undefined || (range.kind === "integer" && !Number.isInteger(number))) {
    const expected = range.kind === "integer" ? "an integer" : "a decimal";
    const message = `Invalid type for '${field}': expected ${expected}, but got ${nameOfType(value)} instead.`;
    return refuse(message, field, "invalid_type");
  }
  if (number < range.min) return refuseRange(field, range, "below minimum", `>= ${range.min}`, number);
  if (number > (range.max ?? number))
    return refuseRange(field, range, "above maximum", `<= ${range.max}`, number);
  return number;
}

function refuseRange(field: string, range: NumberRange, side: string, expected: string, got: number): never {
  const code = `${range.kind}_${side.startsWith("below") ? "below_min" : "above_max"}_value`;
  return refuse(
    `Invalid '${field}': ${range.kind} ${side} value. Expected a value ${expected}, but got ${got} instead.`,
    field,
    code,
  );
}

/** The vendor's word for a JSON type. */
function nameOfType(value: Json | undefined): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return `a ${typeof value}`;
}

/** The vendor's limit on the name of an end user. */
const MAX_USER_LENGTH = 64;

export function checkUser(body: JsonObject): void {
  const { length } = stringOr(body["user"], "");
  if (length <= MAX_USER_LENGTH) return;
  const expected = `Expected a string with maximum length ${MAX_USER_LENGTH}, but got a string with length ${length} instead.`;
  refuse(`Invalid 'user': string too long. ${expected}`, "user", "string_above_max_length");
}
