import {
  arrayOr,
  canonical,
  isObject,
  type Json,
  type JsonObject,
  numberOf,
  objectOr,
  stringOr,
} from "./json.ts";
import type { Seeded } from "./seeded.ts";
import { WORDS } from "./words.ts";

/** Recursive schemas (`$ref` to an ancestor) end here: optional parts are left out below it. */
const DEPTH_LIMIT = 8;
/** A schema that demands itself without end has no value: this stops the attempt. */
const HARD_DEPTH_LIMIT = 64;
/** Beyond this a schema is not a test of anything but memory. */
const LENGTH_LIMIT = 10_000;

interface Site {
  root: JsonObject;
  seeded: Seeded;
  depth: number;
}

/**
 * The smallest interesting value that is valid against a JSON Schema (or the generateContent
 * subset of it, with upper-case types and `nullable`): all properties, one array item, seeded words.
 */
export function schemaValue(schema: JsonObject, seeded: Seeded): Json {
  return generate(schema, { root: schema, seeded, depth: 0 });
}

function generate(given: Json | undefined, site: Site): Json {
  if (given === false || site.depth > HARD_DEPTH_LIMIT) return null;
  const schema = resolve(objectOr(given), site.root);
  if (schema["const"] !== undefined) return schema["const"];
  const choices = arrayOr(schema["enum"]);
  const choice = choices[site.seeded.below(Math.max(choices.length, 1))];
  if (choice !== undefined) return choice;
  const merged = mergeAll(schema, site.root);
  const branches = [...arrayOr(merged["anyOf"]), ...arrayOr(merged["oneOf"])].filter(isObject);
  if (branches.length > 0) return generate(pickBranch(merged, branches, site), deeper(site));
  return generateType(typeOf(merged), merged, site);
}

function deeper(site: Site): Site {
  return { ...site, depth: site.depth + 1 };
}

/** Follows `$ref` (`#`, `#/$defs/x`, `#/definitions/x`); siblings of `$ref` stay in force. */
function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  let current = schema;
  for (let hops = 0; hops < DEPTH_LIMIT; hops += 1) {
    const reference = current["$ref"];
    if (typeof reference !== "string") return current;
    const { $ref: _, ...siblings } = current;
    current = { ...objectOr(lookUp(reference, root)), ...siblings };
  }
  return {};
}

function lookUp(reference: string, root: JsonObject): Json | undefined {
  let target: Json | undefined = root;
  for (const step of reference.replace(/^#\/?/, "").split("/")) {
    if (step === "") continue;
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    target = Array.isArray(target) ? target[Number(key)] : objectOr(target)[key];
  }
  return target;
}

/** Folds `allOf` into one schema: properties and required lists unite, the tighter later bound wins. */
function mergeAll(schema: JsonObject, root: JsonObject): JsonObject {
  const parts = arrayOr(schema["allOf"]).filter(isObject);
  if (parts.length === 0) return schema;
  const { allOf: _, ...own } = schema;
  return parts.reduce<JsonObject>((merged, part) => unite(merged, mergeAll(resolve(part, root), root)), own);
}

function unite(left: JsonObject, right: JsonObject): JsonObject {
  const united: JsonObject = { ...left, ...right };
  if (left["properties"] !== undefined || right["properties"] !== undefined) {
    united["properties"] = { ...objectOr(left["properties"]), ...objectOr(right["properties"]) };
  }
  const required = [...arrayOr(left["required"]), ...arrayOr(right["required"])];
  if (required.length > 0) united["required"] = [...new Set(required)];
  return united;
}

function pickBranch(schema: JsonObject, branches: JsonObject[], site: Site): JsonObject {
  const { anyOf: _any, oneOf: _one, ...base } = schema;
  const solid = branches.filter((branch) => typeOf(resolve(branch, site.root)) !== "null");
  // Deep inside a recursive schema the way out is the branch that ends it.
  const wanted = site.depth >= DEPTH_LIMIT ? branches.filter((branch) => !solid.includes(branch)) : solid;
  const branch = wanted[0] ?? branches[0] ?? {};
  return unite(base, resolve(branch, site.root));
}

function typeOf(schema: JsonObject): string {
  const declared = schema["type"];
  const named = Array.isArray(declared) ? (declared.find((type) => type !== "null") ?? "null") : declared;
  if (typeof named === "string") return named.toLowerCase();
  if (schema["properties"] !== undefined || schema["required"] !== undefined) return "object";
  if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return "array";
  if (schema["minimum"] !== undefined || schema["maximum"] !== undefined) return "number";
  return "string";
}

function generateType(type: string, schema: JsonObject, site: Site): Json {
  switch (type) {
    case "object":
      return generateObject(schema, site);
    case "array":
      return generateArray(schema, site);
    case "integer":
      return generateNumber(schema, site, true);
    case "number":
      return generateNumber(schema, site, false);
    case "boolean":
      return site.seeded.below(2) === 0;
    case "null":
      return null;
    default:
      return generateString(schema, site);
  }
}

function generateObject(schema: JsonObject, site: Site): JsonObject {
  const properties = objectOr(schema["properties"]);
  const required = arrayOr(schema["required"]).filter((name) => typeof name === "string");
  const names = [...new Set([...Object.keys(properties), ...required])];
  const value: JsonObject = {};
  for (const name of names) {
    // Optional parts are filled too, for a livelier answer, until recursion would not end.
    if (site.depth >= DEPTH_LIMIT && !required.includes(name)) continue;
    Object.defineProperty(value, name, {
      value: generate(properties[name] ?? {}, deeper(site)),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  const least = numberOf(schema["minProperties"]) ?? 0;
  const extra = isObject(schema["additionalProperties"]) ? schema["additionalProperties"] : {};
  for (let index = 1; Object.keys(value).length < Math.min(least, LENGTH_LIMIT); index += 1) {
    value[`key${index}`] = generate(extra, deeper(site));
  }
  return value;
}

function generateArray(schema: JsonObject, site: Site): Json[] {
  const prefix = arrayOr(schema["prefixItems"]);
  const least = numberOf(schema["minItems"]) ?? 0;
  const most = numberOf(schema["maxItems"]) ?? Number.POSITIVE_INFINITY;
  const wanted = site.depth >= DEPTH_LIMIT ? least : Math.max(least, 1, prefix.length);
  const length = Math.min(wanted, most, LENGTH_LIMIT);
  const items: Json[] = [];
  const seen = new Set<string>();
  for (let tries = 0; items.length < length && tries < length * 20; tries += 1) {
    const item = generate(prefix[items.length] ?? schema["items"] ?? {}, deeper(site));
    const key = canonical(item);
    if (schema["uniqueItems"] === true && seen.has(key)) continue;
    seen.add(key);
    items.push(item);
  }
  return items;
}

/** Small positive numbers where they fit (1 to 3, or quarters below 1), else the nearest that do. */
function generateNumber(schema: JsonObject, site: Site, whole: boolean): number {
  const step = numberOf(schema["multipleOf"]) ?? (whole ? 1 : 0.25);
  const minimum = numberOf(schema["minimum"]) ?? Number.NEGATIVE_INFINITY;
  const maximum = numberOf(schema["maximum"]) ?? Number.POSITIVE_INFINITY;
  // Older drafts say `exclusiveMinimum: true` beside `minimum`.
  const above = schema["exclusiveMinimum"] === true ? minimum : numberOf(schema["exclusiveMinimum"]);
  const below = schema["exclusiveMaximum"] === true ? maximum : numberOf(schema["exclusiveMaximum"]);
  const fits = (value: number): boolean =>
    value >= minimum && value <= maximum && value > (above ?? -Infinity) && value < (below ?? Infinity);
  const low = Math.ceil(Math.max(minimum, above ?? -Infinity) / step);
  const high = Math.floor(Math.min(maximum, below ?? Infinity) / step);
  const near = 1 + site.seeded.below(3);
  for (const steps of [near, 1, 0, low + near, low, low + 1, high, high - 1]) {
    // Twelve digits hide what binary fractions add (3 x 0.1).
    const value = Number.isInteger(step) ? steps * step : Number((steps * step).toPrecision(12));
    if (fits(value)) return value;
  }
  return (Math.max(minimum, above ?? -1) + Math.min(maximum, below ?? 1)) / 2;
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  date: "2025-03-14",
  "date-time": "2025-03-14T09:26:53Z",
  time: "09:26:53Z",
  duration: "PT1H30M",
  email: "river.stone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.10",
  ipv6: "2001:db8::10",
  uri: "https://example.com/river",
  uuid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
};

function generateString(schema: JsonObject, site: Site): string {
  const formatted = BY_FORMAT[stringOr(schema["format"], "")];
  if (formatted !== undefined) return formatted;
  const pattern = schema["pattern"];
  if (typeof pattern === "string") return matching(pattern, site);
  const least = Math.min(numberOf(schema["minLength"]) ?? 0, LENGTH_LIMIT);
  const most = numberOf(schema["maxLength"]) ?? Number.POSITIVE_INFINITY;
  let text = site.seeded.pick(WORDS);
  while (text.length < least) text += ` ${site.seeded.pick(WORDS)}`;
  return text.slice(0, Math.max(Math.min(text.length, most), 0)).padEnd(least, "x");
}

/** Tries plain candidates against a pattern; patterns are rare in tool schemas and simple there. */
function matching(pattern: string, site: Site): string {
  const word = site.seeded.pick(WORDS);
  const digits = String(1_000_000_000 + site.seeded.below(1_000_000_000));
  const candidates = [word, word.toUpperCase(), `${word.charAt(0).toUpperCase()}${word.slice(1)}`];
  for (let length = 1; length <= 10; length += 1) {
    candidates.push(digits.slice(0, length), "a".repeat(length), "A".repeat(length));
  }
  candidates.push(
    "#1a2b3c",
    "abc123",
    "ABC-123",
    "A1",
    "2025-03-14",
    "09:26",
    "555-0100",
    "+15550100",
    "1.2.3",
  );
  candidates.push(...Object.values(BY_FORMAT), "");
  try {
    const expression = new RegExp(pattern, "u");
    return candidates.find((candidate) => expression.test(candidate)) ?? word;
  } catch {
    return word;
  }
}
