import { LongNumber } from "./exact-json.ts";

/** True if a value is a JSON object: not null, not an array, and not a number that is kept with all its digits. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof LongNumber)
  );
}
