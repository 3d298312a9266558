import { definedFields } from "../../base/defined-fields.ts";
import { setField } from "../../base/json/record.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json.ts";
import { wordOf } from "./enums.ts";
import { itemsOf } from "./spelling.ts";

/**
 * The native schema, with its types in capitals and its own keywords, as the JSON Schema that says the
 * same. Lenient: the vendor takes JSON Schema's own words in it too, and many send them.
 */
export function decodeSchema(native: JsonObject, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) return {};
  const schema: Record<string, unknown> = {};
  const inner = (value: unknown): JsonObject => decodeSchema(asObject(value) ?? {}, depth + 1);
  for (const [keyword, value] of Object.entries(native)) {
    if (value === null || value === undefined) continue;
    const word = CAMEL.get(keyword) ?? keyword;
    if (word === "type") Object.assign(schema, decodeType(value));
    else if (word === "properties") schema["properties"] = decodeProperties(value, native, depth);
    else if (word === "items" || (word === "additionalProperties" && asObject(value) !== undefined)) {
      schema[word] = inner(value);
    } else if (word === "anyOf") schema["anyOf"] = asObjects(itemsOf(value)).map(inner);
    else if (LISTS.has(word)) schema[word] = itemsOf(value);
    else if (word === "example") schema["examples"] = [value];
    else if (COUNTS.has(word)) schema[word] = Number(value);
    else if (!OWN.has(word)) setField(schema, word, value);
  }
  return native["nullable"] === true ? nullable(schema) : schema;
}

/** A word in capitals or small letters, or a number; several in JSON Schema's own form. */
function decodeType(value: unknown): JsonObject {
  const word = wordOf("schemaType", value);
  // 0 says nothing.
  if (value === 0) return {};
  return { type: typeof word === "string" ? word.toLowerCase() : word };
}

/** In the order that the vendor was told to write them. */
function decodeProperties(value: unknown, native: JsonObject, depth: number): JsonObject {
  const properties = Object.entries(asObject(value) ?? {});
  const order = itemsOf(native["propertyOrdering"] ?? native["property_ordering"]).map(asText);
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.fromEntries(
    properties
      .toSorted(([a], [b]) => rank(a) - rank(b))
      .map(([name, property]) => [name, decodeSchema(asObject(property) ?? {}, depth + 1)]),
  );
}

function nullable(schema: Readonly<Record<string, unknown>>): JsonObject {
  const { type, enum: words, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  const wider = {
    type: typeof type === "string" ? [type, "null"] : undefined,
    enum: Array.isArray(words) ? [...words, null] : undefined,
  };
  return { ...schema, ...definedFields(wider) };
}

/** Keywords of this form alone, whose sense is carried in another way. */
const OWN: ReadonlySet<string> = new Set(["nullable", "propertyOrdering"]);

/** Lists of words. */
const LISTS: ReadonlySet<string> = new Set(["enum", "required"]);

/** Whole numbers, which the vendor writes as text. */
const COUNTS: ReadonlySet<string> = new Set([
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
]);

/** A map, since a property's name may be one that every object answers to. */
const CAMEL: ReadonlyMap<string, string> = new Map([
  ["any_of", "anyOf"],
  ["min_items", "minItems"],
  ["max_items", "maxItems"],
  ["min_length", "minLength"],
  ["max_length", "maxLength"],
  ["min_properties", "minProperties"],
  ["max_properties", "maxProperties"],
  ["property_ordering", "propertyOrdering"],
  ["additional_properties", "additionalProperties"],
]);

/** Schemas nest a few levels; one that comes near this is an attack. */
const MAX_DEPTH = 32;
