import { normalizedUrl } from "../base/text.ts";
import type { ChoiceField, Fault, Field, FieldTable, ListField, TextField, WholeField } from "./field.ts";
import { type FieldFaults, shown } from "./field-faults.ts";
import { formNames, type IsPublic, urlFormOf } from "./url-form.ts";

export type Body = Readonly<Record<string, unknown>>;

/** The type of a field's value once read. A wrong value is clipped to the table, so that it can still be billed. */
type ValueOf<F extends Field> = F extends { type: "text" }
  ? string
  : F extends { type: "choice"; byDefault: infer D }
    ? string | (D extends null ? null : never)
    : F extends { type: "whole"; byDefault: infer D }
      ? number | (D extends null ? (F extends { required: true } ? never : null) : never)
      : F extends { type: "flag"; byDefault: infer D }
        ? boolean | (D extends null ? null : never)
        : F extends { type: "urls" }
          ? readonly string[]
          : F extends { type: "objects" }
            ? readonly Body[]
            : F extends { type: "url" }
              ? string | null
              : never;

type Values<T extends FieldTable> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

/** Reads every field of a table from a body, and reports faults to `faults`, which may throw. */
export function readFields<T extends FieldTable>(
  table: T,
  body: Body,
  faults: FieldFaults,
  isPublic?: IsPublic,
): Values<T> {
  return Object.fromEntries(
    Object.entries(table).map(([name, field]) => [name, readField(name, field, body, { faults, isPublic })]),
  ) as Values<T>;
}

/** Returns a field's value; undefined = absent, null, "" or []. */
export function inputField(body: Body, name: string): unknown {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  return value === null || value === "" || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

/** Fields that every request may have beside those of its family. Others read them, or they don't affect the result. */
const BESIDE_FIELDS: ReadonlySet<string> = new Set(["model", "webhook_url", "user", "n"]);

/** A list of ignored fields is for people, who need no more names than these, and no longer ones. */
const MAX_IGNORED = 20;
const MAX_NAME = 60;

/** Lists the fields of a request that its family does not know. They are not sent to the vendor. */
export function ignoredFields(table: FieldTable, body: Body): readonly string[] {
  const aliases = new Set(Object.values(table).map(({ alias }) => alias));
  return Object.keys(body)
    .filter((name) => !BESIDE_FIELDS.has(name) && !Object.hasOwn(table, name) && !aliases.has(name))
    .filter((name) => inputField(body, name) !== undefined)
    .slice(0, MAX_IGNORED)
    .map((name) => name.slice(0, MAX_NAME));
}

type Complain = (kind: Fault, message: string) => void;

interface Reading {
  readonly faults: FieldFaults;
  readonly isPublic: IsPublic | undefined;
}

function readField(name: string, field: Field, body: Body, { faults, isPublic }: Reading): unknown {
  const complain: Complain = (kind, message) => faults.fault(name, kind, field.refused, message);
  const value =
    inputField(body, name) ?? (field.alias === undefined ? undefined : inputField(body, field.alias));
  if (value === undefined) {
    if (field.required) complain("missing", `\`${name}\` is required: ${lowerFirst(field.about)}.`);
    return absent(field);
  }
  switch (field.type) {
    case "text":
      return readText(name, field, value, complain);
    case "choice":
      return readChoice(name, field, value, complain);
    case "whole":
      return readWhole(name, field, value, complain);
    case "flag":
      if (typeof value === "boolean") return value;
      complain("malformed", `\`${name}\` must be true or false, not ${shown(value)}.`);
      return field.byDefault;
    case "url":
      if (typeof value === "string" && urlFormOf(value, isPublic) === "public") return normalizedUrl(value);
      complain("malformed", `\`${name}\` must be ${formNames(["public"])}, not ${shown(value)}.`);
      return null;
    case "urls":
    case "objects":
      return readList(name, field, value, { complain, isPublic });
  }
}

function absent(field: Field): unknown {
  switch (field.type) {
    case "text":
      return "";
    case "choice":
    case "flag":
      return field.byDefault;
    case "whole":
      return field.byDefault ?? (field.required ? field.least : null);
    case "url":
      return null;
    case "urls":
    case "objects":
      return [];
  }
}

function readText(name: string, field: TextField, value: unknown, complain: Complain): string {
  if (typeof value !== "string") {
    complain("malformed", `\`${name}\` must be a string, not ${shown(value)}.`);
    return "";
  }
  const most = field.maxCharacters ?? Number.POSITIVE_INFINITY;
  // A character is at most two code units, so characters are counted only if the length is between the limit and its
  // double.
  if (value.length <= most) return value;
  const characters = [...value.slice(0, 2 * most)];
  if (value.length <= 2 * most && characters.length <= most) return value;
  if (!field.cut) complain("outside", `\`${name}\` is longer than ${most} characters.`);
  return characters.slice(0, most).join("");
}

function readChoice(name: string, field: ChoiceField, value: unknown, complain: Complain): string | null {
  if (typeof value === "string") {
    const listed = field.values.find(
      (word) => word === value || (field.anyCase && word.toLowerCase() === value.toLowerCase()),
    );
    if (listed !== undefined) return listed;
    if (field.orLike?.test(value)) return value;
  }
  if (!field.forgiving) {
    const kind = typeof value === "string" ? "outside" : "malformed";
    const like = field.orLike ? " or <width>x<height>" : "";
    complain(kind, `\`${name}\` must be one of ${field.values.join(", ")}${like}, not ${shown(value)}.`);
  }
  return field.byDefault;
}

function readWhole(name: string, field: WholeField, value: unknown, complain: Complain): number | null {
  const { least, most, also } = field;
  const range = `from ${least} to ${most}${also === undefined ? "" : ` or ${also}`}`;
  const message = `\`${name}\` must be a whole number ${range}, not ${shown(value)}.`;
  if (typeof value === "number" && value === also) return value;
  // A count of 0 or less is malformed, whereas one that is too large is outside the range.
  if (typeof value !== "number" || !Number.isInteger(value) || (least > 0 && value <= 0)) {
    complain("malformed", message);
    return absent(field) as number | null;
  }
  if (value < least || value > most) complain("outside", message);
  return Math.min(Math.max(value, least), most);
}

function readList(name: string, field: ListField, value: unknown, terms: ItemTerms): readonly unknown[] {
  const { complain } = terms;
  if (!Array.isArray(value)) {
    complain("malformed", `\`${name}\` must be an array, not ${shown(value)}.`);
    return [];
  }
  const most = field.most ?? value.length;
  if (value.length > most && !field.cut)
    complain("many", `\`${name}\` takes at most ${most} items, not ${value.length}.`);
  const kept = value.slice(0, most);
  return field.type === "urls"
    ? kept.filter((item, index) => isTaken(`${name}[${index}]`, field, item, terms)).map(normalizedUrl)
    : kept.filter((item, index) => isObject(`${name}[${index}]`, item, complain));
}

interface ItemTerms {
  readonly complain: Complain;
  readonly isPublic: IsPublic | undefined;
}

function isTaken(
  place: string,
  field: ListField,
  item: unknown,
  { complain, isPublic }: ItemTerms,
): item is string {
  const forms = field.takes ?? ["public"];
  const form = typeof item === "string" ? urlFormOf(item, isPublic) : undefined;
  if (form !== undefined && forms.includes(form)) return true;
  const kind = typeof item === "string" ? "outside" : "malformed";
  complain(kind, `\`${place}\` must be ${formNames(forms)}, not ${shown(item)}.`);
  return false;
}

function isObject(place: string, item: unknown, complain: Complain): item is Body {
  if (typeof item === "object" && item !== null && !Array.isArray(item)) return true;
  complain("malformed", `\`${place}\` must be an object, not ${shown(item)}.`);
  return false;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
