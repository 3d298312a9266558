import { decodeStatedError } from "./errors/upstream-error.ts";
import { asObject, type JsonObject } from "./json.ts";

/**
 * What a response's words may be, in every protocol: text, or nothing. A number, a flag, an object or a list where the protocol
 * has words is no response in its form, as is a call of a tool without a name, which nobody can run.
 */
export const UNEXPECTED_FORMAT = decodeStatedError({
  error: { message: "The upstream's response isn't in the form of its protocol." },
});

/** True if a value can stand where the protocol has words. */
export function isWords(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

/** True if a value can stand where the protocol has an object: one in its form, or nothing. */
export function isObjectOf(value: unknown, isInForm: (value: JsonObject) => boolean): boolean {
  if (value === undefined || value === null) return true;
  const object = asObject(value);
  return object !== undefined && isInForm(object);
}

/** True if a value can stand where the protocol has a list of objects: these in their form, or nothing. */
export function isListOf(value: unknown, isInForm: (value: JsonObject) => boolean): boolean {
  if (value === undefined || value === null) return true;
  return (
    Array.isArray(value) &&
    value.every((each) => {
      const object = asObject(each);
      return object !== undefined && isInForm(object);
    })
  );
}
