import type { Json, JsonObject } from "../../json.ts";
import { Refusal } from "../../refusal.ts";

/**
 * Reads a body that must hold every required field and none that is not named. Each reader takes a field
 * and throws a Refusal with 400 where its value is wrong; optional ones give undefined where it is absent.
 */
export interface StrictBody {
  text(field: string): string;
  boolean(field: string): boolean;
  integer(field: string, min: number, max: number): number;
  /** One of the words, in any case where they are given in small letters and `anyCase` is set. */
  word(field: string, words: readonly string[], anyCase?: "any case"): string;
  texts(field: string, most: number): string[];
  list(field: string): Json[];
  /** True if the field is there: optional fields are read only then. */
  has(field: string): boolean;
}

/** A body that lacks a required field or has an unknown one is refused at once. */
export function strictBody(
  body: JsonObject,
  required: readonly string[],
  optional: readonly string[],
): StrictBody {
  for (const field of Object.keys(body)) {
    if (!required.includes(field) && !optional.includes(field))
      refuseField("unknown_field", field, "is not a field of this family");
  }
  for (const field of required) {
    if (body[field] === undefined) refuseField("missing_default", field, "must be sent explicitly");
  }
  return {
    has: (field) => body[field] !== undefined,
    text: (field) => textOf(field, body[field]),
    boolean(field) {
      const value = body[field];
      return typeof value === "boolean" ? value : wrong(field, "must be true or false");
    },
    integer(field, min, max) {
      const value = body[field];
      if (typeof value !== "number" || !Number.isInteger(value)) return wrong(field, "must be an integer");
      return value >= min && value <= max ? value : wrong(field, `must be from ${min} to ${max}`);
    },
    word(field, words, anyCase) {
      const value = textOf(field, body[field]);
      const word = anyCase === undefined ? value : value.toLowerCase();
      return words.includes(word) ? word : wrong(field, `must be one of ${words.join(", ")}`);
    },
    texts(field, most) {
      const values = listOf(field, body[field]);
      if (values.length > most) return wrong(field, `takes at most ${most} items`);
      return values.map((value, index) => textOf(`${field}[${index}]`, value));
    },
    list: (field) => listOf(field, body[field]),
  };
}

/** A URL that a vendor could fetch. */
export function publicUrl(field: string, url: string): string {
  return /^https?:\/\/[^\s/]+/.test(url)
    ? url
    : wrong(field, "must be a URL that begins http:// or https://");
}

/** An image sent in the request itself. */
export function isImageData(url: string): boolean {
  return /^data:image\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+={0,2}$/.test(url);
}

export function wrong(field: string, says: string): never {
  return refuseField("invalid_request", field, says);
}

function refuseField(code: string, field: string, says: string): never {
  throw new Refusal({ status: 400, message: `${field} ${says}`, param: field, code });
}

function textOf(field: string, value: Json | undefined): string {
  return typeof value === "string" && value !== "" ? value : wrong(field, "must be a text that is not empty");
}

function listOf(field: string, value: Json | undefined): Json[] {
  return Array.isArray(value) && value.length > 0 ? value : wrong(field, "must be a list that is not empty");
}
