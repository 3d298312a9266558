/** The results of `JSON.parse`. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object as it came off the wire: every field may be absent or of any type. */
export interface JsonObject {
  [key: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one, so that fields can be read without checks. */
export function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function arrayOr(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function stringOr(value: Json | undefined, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Absent and null mean the same on every vendor's optional fields. */
export function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** JSON text with sorted keys, so that two spellings of one value count and hash alike. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const fields = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${fields.join(",")}}`;
}

/** Parses JSON text; undefined where it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
