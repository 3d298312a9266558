import { LongNumber } from "../../base/json/exact-json.ts";
import type { LossList } from "../loss.ts";
import type { JsonObject, ResponseFormat } from "../request.ts";

/**
 * A JSON Schema in the small subset that native function declarations take (rule 28): local `$ref`s are
 * inlined, type arrays become `nullable`, `const` becomes `enum`, unknown keywords go. `lossy` tells that
 * something which constrained the value is gone.
 */
export function subsetSchema(schema: JsonObject): { readonly schema: JsonObject; readonly lossy: boolean } {
  const walk: Walk = { root: schema, lossy: false, trail: [] };
  return { schema: subsetOf(schema, walk, 0), lossy: walk.lossy };
}

/** The schema with `type: "object"` at its top, which messages wants of every tool. */
export function objectSchema(schema: JsonObject | undefined): JsonObject {
  if (schema === undefined) return { type: "object", properties: {} };
  return schema["type"] === "object" ? schema : { ...schema, type: "object" };
}

interface Walk {
  readonly root: JsonObject;
  lossy: boolean;
  /** References that are being inlined: one that meets itself is recursive. */
  readonly trail: string[];
}

function subsetOf(schema: JsonObject, walk: Walk, depth: number): JsonObject {
  if (depth > MAX_DEPTH) {
    walk.lossy = true;
    return {};
  }
  const reference = schema["$ref"];
  if (typeof reference === "string") return inlined(reference, schema, walk, depth);
  const subset: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (COPIED.has(keyword)) subset[keyword] = value;
    else if (keyword === "format") {
      if (typeof value === "string" && FORMATS.has(value)) subset["format"] = value;
      else walk.lossy = true;
    } else if (keyword === "type") Object.assign(subset, typeOf(value));
    else if (keyword === "const") subset["enum"] = [value];
    else if (keyword === "enum") subset["enum"] = value;
    else if (keyword === "properties") subset["properties"] = eachProperty(value, walk, depth);
    else if (keyword === "items") {
      const items = asSchema(value);
      if (items !== undefined) subset["items"] = subsetOf(items, walk, depth + 1);
    } else if (keyword === "anyOf" || keyword === "oneOf") {
      Object.assign(subset, unionOf(value, walk, depth));
    } else if (keyword === "allOf" && Array.isArray(value) && value.length === 1 && asSchema(value[0])) {
      Object.assign(subset, subsetOf(asSchema(value[0]) ?? {}, walk, depth + 1));
    } else if (!SILENT.has(keyword)) walk.lossy = true;
  }
  return removeInvalid(subset, walk);
}

function inlined(reference: string, schema: JsonObject, walk: Walk, depth: number): JsonObject {
  const found = walk.trail.includes(reference) ? undefined : lookUp(walk.root, reference);
  if (found === undefined) {
    // A recursive schema has no finite form: below the first round any object is let through.
    walk.lossy = true;
    return { type: "object" };
  }
  walk.trail.push(reference);
  const { $ref: _, ...beside } = schema;
  const subset = subsetOf({ ...found, ...beside }, walk, depth + 1);
  walk.trail.pop();
  return subset;
}

/** The target of a local reference; undefined if it leads nowhere, or out of the schema. */
export function lookUp(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found: JsonObject | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = found !== undefined && Object.hasOwn(found, name) ? asSchema(found[name]) : undefined;
  }
  return found;
}

function typeOf(value: unknown): JsonObject {
  if (!Array.isArray(value)) return { type: value };
  const types = value.filter((type) => type !== "null");
  const nullable = types.length < value.length ? { nullable: true } : {};
  return types.length === 1
    ? { type: types[0], ...nullable }
    : { anyOf: types.map((type) => ({ type })), ...nullable };
}

/** Alternatives; `null` among them is `nullable`, and a single one left is no alternative. */
function unionOf(value: unknown, walk: Walk, depth: number): JsonObject {
  const schemas = (Array.isArray(value) ? value : []).map(asSchema).filter((schema) => schema !== undefined);
  const members = schemas.filter((schema) => schema["type"] !== "null");
  const nullable = members.length < schemas.length ? { nullable: true } : {};
  const subsets = members.map((member) => subsetOf(member, walk, depth + 1));
  const [only, ...others] = subsets;
  if (only !== undefined && others.length === 0) return { ...only, ...nullable };
  return subsets.length === 0 ? nullable : { anyOf: subsets, ...nullable };
}

function eachProperty(value: unknown, walk: Walk, depth: number): JsonObject {
  const properties = Object.entries(asSchema(value) ?? {});
  return Object.fromEntries(
    properties.map(([name, property]) => [name, subsetOf(asSchema(property) ?? {}, walk, depth + 1)]),
  );
}

/** Enumerations are of strings there, and `required` may only name what is a property. */
function removeInvalid(subset: Record<string, unknown>, walk: Walk): JsonObject {
  const { enum: words, required, properties } = subset;
  if (Array.isArray(words)) {
    const texts = words.filter((word) => typeof word === "string");
    if (words.includes(null)) subset["nullable"] = true;
    if (texts.length === words.length - (words.includes(null) ? 1 : 0)) {
      subset["enum"] = texts;
      subset["type"] ??= "string";
    } else {
      delete subset["enum"];
      walk.lossy = true;
    }
  }
  if (Array.isArray(required)) {
    const known = asSchema(properties) ?? {};
    const kept = required.filter((name) => typeof name === "string" && Object.hasOwn(known, name));
    if (kept.length > 0) subset["required"] = kept;
    else delete subset["required"];
  }
  return subset;
}

function asSchema(value: unknown): JsonObject | undefined {
  return typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof LongNumber)
    ? (value as JsonObject)
    : undefined;
}

const COPIED = new Set([
  "title",
  "description",
  "nullable",
  "default",
  "example",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "pattern",
  "required",
  "propertyOrdering",
]);

/** Keywords that constrain nothing, or nothing that the subset leaves open. */
const SILENT = new Set([
  "$schema",
  "$id",
  "$defs",
  "definitions",
  "$comment",
  "examples",
  "additionalProperties",
  "strict",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

const FORMATS = new Set(["float", "double", "int32", "int64", "enum", "date-time"]);

/** Schemas nest a few levels; one that comes near this is an attack on the inliner. */
const MAX_DEPTH = 32;

/**
 * The schema of a response for a protocol that has no slot for the description beside it: the schema has
 * one of its own, which the model reads just so. Where that is taken, the other goes with a loss.
 */
export function describedSchema(
  { schema, description }: Extract<ResponseFormat, { kind: "schema" }>,
  losses: LossList,
): JsonObject {
  if (description === undefined || schema["description"] === description) return schema;
  if (schema["description"] === undefined) return { ...schema, description };
  losses.at(`${losses.nameOf("responseFormat")}.description`);
  return schema;
}
