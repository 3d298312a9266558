import { LongNumber } from "./exact-json.ts";

/** True if a value is a JSON object: not null, not an array, and not a number that is kept with all its digits. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof LongNumber)
  );
}

/** Sets a field of any name. An assignment to `__proto__` would change the object's prototype, and the field would be lost. */
export function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}
