import type { z } from "zod";
import { closestMatch } from "./text.ts";

export type Path = readonly (string | number)[];

/** Something a schema found: `atKey` where the key itself is wrong and not its value. */
export interface Issue {
  readonly path: Path;
  readonly message: string;
  readonly atKey?: boolean;
}

/** Says each issue of the validator in our own words; a schema's own message stands. */
export function flattenIssues(issues: readonly z.core.$ZodIssue[], under: Path = []): Issue[] {
  return issues.flatMap((issue): Issue[] => {
    const path = [...under, ...(issue.path as (string | number)[])];
    switch (issue.code) {
      case "unrecognized_keys":
        return issue.keys.slice(0, MAX_UNKNOWN_KEYS).map((key) => ({
          path: [...path, key],
          message: issue.message.replace(KEY, () => quoted(key)) + suggestion(key, issue.message),
          atKey: true,
        }));
      case "invalid_union":
        return flattenIssues(closest(issue), path);
      case "invalid_key":
        return flattenIssues(issue.issues, path).map(({ message }) => ({ path, message, atKey: true }));
      case "invalid_element":
        return flattenIssues(issue.issues, path);
      default:
        return [{ path, message: issue.message }];
    }
  });
}

/** For the validator's `error` option: the sentence for one issue. */
export function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      // The value was text in a query, and is no number.
      if (Number.isNaN(issue.input)) return `must be ${typeName(issue.expected)}`;
      if (isOddNumber(issue))
        return `must be ${typeName(issue.expected)} in decimal digits, not ${quoted(String(issue.input))}`;
      return `must be ${typeName(issue.expected)}, not ${valueName(issue.input)}${quoteHint(issue)}`;
    case "invalid_value":
      return issue.input === undefined
        ? "is required"
        : `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}${valueHint(issue)}`;
    case "unrecognized_keys":
      return `unknown key ${KEY}; ${KNOWN}${knownKeys(issue).join(", ")}`;
    case "too_small":
      return boundMessage(issue.origin, issue.inclusive ? "at least" : "more than", issue.minimum);
    case "too_big":
      return boundMessage(issue.origin, issue.inclusive ? "at most" : "less than", issue.maximum);
    case "invalid_format":
      return FORMATS[issue.format] ?? OTHER_FORM;
    case "invalid_union":
      return issue.input === undefined ? "is required" : "has an unknown form";
    default:
      return OTHER_FORM;
  }
}

/** Maximum number of unknown keys that are named per object, because finding a similar known key takes time. */
const MAX_UNKNOWN_KEYS = 100;

const KEY = "<key>";
const KNOWN = "allowed: ";

const OTHER_FORM = "has an unsupported form";
const FORMATS: Readonly<Record<string, string>> = {
  url: "must be an address such as https://ai.example.com",
  datetime: "must be a time in UTC, such as 2027-01-31T00:00:00Z",
  date: "must be a day, such as 2027-01-31",
  email: "must be an e-mail address",
};

/** The keys of the object schema that met an unknown one. */
function knownKeys(issue: z.core.$ZodRawIssue): string[] {
  const def = issue.inst?._zod.def as { shape?: object } | undefined;
  return Object.keys(def?.shape ?? {});
}

function suggestion(key: string, message: string): string {
  const known = message.slice(message.indexOf(KNOWN) + KNOWN.length).split(", ");
  const near = closestMatch(key, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The one of the allowed words that is a slip away from what is written, or begins with it. */
function valueHint({
  input,
  values,
}: {
  readonly input?: unknown;
  readonly values: readonly unknown[];
}): string {
  const words = values.filter((value) => typeof value === "string");
  if (typeof input !== "string" || words.length < 2) return "";
  const begun = input.length < 3 ? [] : words.filter((word) => word.startsWith(input));
  const near = begun.length === 1 ? begun[0] : closestMatch(input, words);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The most likely one of several allowed shapes: its issues lie deepest inside the value. */
function closest(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const inner = issue.errors.find((branch) =>
    branch.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys"),
  );
  if (inner && inner.length > 0) return inner;
  const types = issue.errors.flatMap((branch) =>
    branch.flatMap((each) => (each.code === "invalid_type" ? [typeName(each.expected)] : [])),
  );
  const [first] = issue.errors[0] ?? [];
  const named = [...new Set(types)].join(" or ");
  const every = types.length === issue.errors.length;
  const message = every && named ? `must be ${named}` : (first?.message ?? issue.message);
  return [
    {
      code: "custom",
      message: issue.message === "is required" ? issue.message : message,
      path: [],
      input: undefined,
    },
  ];
}

function boundMessage(origin: string, relation: string, bound: number | bigint): string {
  if (origin === "string")
    return bound === 1 ? "must not be empty" : `must have ${relation} ${bound} characters`;
  if (origin === "array") return bound === 1 ? "must not be empty" : `must have ${relation} ${bound} entries`;
  return `must be ${relation} ${bound}`;
}

function typeName(expected: string): string {
  const names: Readonly<Record<string, string>> = {
    string: "text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "a mapping (key: value)",
    record: "a mapping (key: value)",
    null: "empty",
  };
  return names[expected] ?? expected;
}

function valueName(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "true or false";
  return Number.isInteger(value) ? "a number" : "a fraction";
}

/** A number that the file writes as in 0x10, 1e3 or .5, which nobody means as text. */
function isOddNumber({ expected, input }: { readonly expected: string; readonly input?: unknown }): boolean {
  if (typeof input !== "string" || !/^(number|int)$/.test(expected)) return false;
  return /^[+-]?\.?\d[\da-fox.+-]*$/i.test(input) && !/^-?\d+(\.\d+)?$/.test(input);
}

function quoteHint(issue: { readonly expected: string; readonly input?: unknown }): string {
  const scalar = typeof issue.input === "number" || typeof issue.input === "boolean";
  return issue.expected === "string" && scalar ? "; put it in quotes" : "";
}

/** `["upstreams", 0, "weight"]` as a person writes it: `upstreams[0].weight`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    const plain = /^[A-Za-z_][\w-]*$/.test(step);
    if (!plain) return `${text}[${JSON.stringify(step)}]`;
    return text ? `${text}.${step}` : step;
  }, "");
}

/** A value quoted in a message, cut where it is long. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
}
