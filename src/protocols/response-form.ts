import { decodeStatedError } from "./errors/upstream-error.ts";
import { asObject, type JsonObject } from "./json.ts";

/**
 * The words of a response, in every protocol, are text or nothing. A number, a flag, an object or a list in their place
 * is no response in the protocol's form, nor is a call of a tool without a name, which nobody can run.
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
