import { definedFields } from "../../base/defined-fields.ts";
import { subsetSchema } from "../../conversation/lower/schema-subset.ts";
import { asObject, asObjects, type JsonObject } from "../json.ts";

/** JSON Schema as it is, or the native subset with its own words. */
export type SchemaForm = "whole" | "subset";

/** A JSON Schema for a tool or a response (rule 28). `lossy`: something that constrained the value is gone. */
export function encodeSchema(
  schema: JsonObject,
  form: SchemaForm,
): { readonly schema: JsonObject; readonly lossy: boolean } {
  if (form === "whole") return { schema: sanitized(schema, 0), lossy: false };
  const subset = subsetSchema(schema);
  return { schema: native(subset.schema), lossy: subset.lossy };
}

/** The vendor does not know `const`, and takes `$schema` for a property it does not know. */
function sanitized(schema: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return schema;
  const { $schema: _, const: only, ...rest } = schema;
  const inner = (value: unknown): unknown => {
    const object = asObject(value);
    return object === undefined ? value : sanitized(object, depth + 1);
  };
  const converted: Record<string, unknown> = only === undefined ? rest : { ...rest, enum: [only] };
  for (const keyword of SCHEMA_LISTS) {
    if (Array.isArray(converted[keyword])) converted[keyword] = (converted[keyword] as unknown[]).map(inner);
  }
  for (const keyword of SCHEMA_MAPS) {
    const named = asObject(converted[keyword]);
    if (named === undefined) continue;
    converted[keyword] = Object.fromEntries(Object.entries(named).map(([name, each]) => [name, inner(each)]));
  }
  for (const keyword of SCHEMAS) if (keyword in converted) converted[keyword] = inner(converted[keyword]);
  return converted;
}

/** Types in capitals, as the native form spells them. */
function native(schema: JsonObject): JsonObject {
  const { type, properties, items, anyOf } = schema;
  const named = asObject(properties);
  const each = asObject(items);
  const spelled = {
    type: typeof type === "string" ? type.toUpperCase() : undefined,
    items: each === undefined ? undefined : native(each),
    anyOf: Array.isArray(anyOf) ? asObjects(anyOf).map(native) : undefined,
    properties:
      named === undefined
        ? undefined
        : Object.fromEntries(
            Object.entries(named).map(([name, value]) => [name, native(asObject(value) ?? {})]),
          ),
  };
  return { ...schema, ...definedFields(spelled) };
}

const SCHEMA_LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SCHEMA_MAPS = ["properties", "$defs", "definitions", "patternProperties"];
const SCHEMAS = ["items", "additionalProperties", "not"];

/** Schemas nest a few levels; what is deeper goes as it is. */
const MAX_DEPTH = 64;
