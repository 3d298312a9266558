import { lookUp } from "../../conversation/lower/schema-subset.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../json.ts";

/** The parts of schemas that are costly to compile: optional properties, and those of several types. */
export interface Size {
  readonly optional: number;
  readonly unions: number;
}

export const NOTHING: Size = { optional: 0, unions: 0 };

/** The vendor compiles the schemas of strict tools and of the response together: this is the size of one of them. */
export function sizeOf(schema: JsonObject): Size {
  return isEndless(schema, { root: schema, trail: ["#"], ended: new Set() }, 0)
    ? BEYOND
    : measured(schema, 0);
}

export function plus(a: Size, b: Size): Size {
  return { optional: a.optional + b.optional, unions: a.unions + b.unions };
}

/** True if the vendor compiles so much; it refuses the request otherwise. */
export function isCompiled({ optional, unions }: Size): boolean {
  return optional <= MAX_OPTIONAL && unions <= MAX_UNIONS;
}

interface Walk {
  readonly root: JsonObject;
  /** References that are being followed: one that meets itself is recursive. */
  readonly trail: readonly string[];
  /** References that lead to an end. */
  readonly ended: Set<string>;
}

/** True if it has no finite form with all objects closed: it is recursive, or has an object of any names. */
function isEndless(schema: JsonObject, walk: Walk, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  const reference = schema["$ref"];
  if (typeof reference === "string" && isEndlessReference(reference, walk, depth)) return true;
  const properties = asObject(schema["properties"]) ?? {};
  const open =
    schema["additionalProperties"] === true || asObject(schema["additionalProperties"]) !== undefined;
  // If some properties are known, the unknown ones are dropped.
  if (open && Object.keys(properties).length === 0) return true;
  return innerOf(schema, properties).some((inner) => isEndless(inner, walk, depth + 1));
}

function isEndlessReference(reference: string, walk: Walk, depth: number): boolean {
  const { root, trail, ended } = walk;
  if (ended.has(reference)) return false;
  const found = trail.includes(reference) ? undefined : lookUp(root, reference);
  if (found === undefined || isEndless(found, { ...walk, trail: [...trail, reference] }, depth + 1))
    return true;
  ended.add(reference);
  return false;
}

function measured(schema: JsonObject, depth: number): Size {
  if (depth > MAX_DEPTH) return NOTHING;
  const properties = asObject(schema["properties"]) ?? {};
  const required = asArray(schema["required"]);
  const isUnion = ["anyOf", "oneOf", "type"].some((keyword) => Array.isArray(schema[keyword]));
  const defined = DEFINED.flatMap((keyword) => Object.values(asObject(schema[keyword]) ?? {}));
  const own = {
    optional: Object.keys(properties).filter((name) => !required.includes(name)).length,
    unions: isUnion ? 1 : 0,
  };
  return [...innerOf(schema, properties), ...asObjects(defined)]
    .map((each) => measured(each, depth + 1))
    .reduce(plus, own);
}

function innerOf(schema: JsonObject, properties: JsonObject): readonly JsonObject[] {
  const listed = LISTED.flatMap((keyword) => asArray(schema[keyword]));
  return asObjects([...Object.values(properties), ...listed, schema["items"]]);
}

const DEFINED = ["$defs", "definitions"];
const LISTED = ["anyOf", "oneOf", "allOf"];

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits". */
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;

/** More than is ever compiled. */
const BEYOND: Size = { optional: Number.POSITIVE_INFINITY, unions: Number.POSITIVE_INFINITY };

/** Schemas nest a few levels; deeper ones are left for the vendor to judge. */
const MAX_DEPTH = 32;
