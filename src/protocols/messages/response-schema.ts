import { asObject, type JsonObject } from "../json.ts";

/**
 * A JSON Schema as `output_config.format` (rule 40) and strict tools take it: every object closed, no bounds
 * of numbers, texts and lists, and few formats. `lossy` tells that one of these is gone.
 */
export function responseSchema(schema: JsonObject): { readonly schema: JsonObject; readonly lossy: boolean } {
  const walk = { lossy: false };
  return { schema: closed(schema, walk, 0), lossy: walk.lossy };
}

function closed(schema: JsonObject, walk: { lossy: boolean }, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return schema;
  const inner = (value: unknown): unknown => {
    const object = asObject(value);
    return object === undefined ? value : closed(object, walk, depth + 1);
  };
  const out: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (isRefused(keyword, value)) walk.lossy = true;
    else if (NAMED.has(keyword)) {
      const named = Object.entries(asObject(value) ?? {});
      out.push([keyword, Object.fromEntries(named.map(([name, each]) => [name, inner(each)]))]);
    } else if (LISTED.has(keyword) && Array.isArray(value)) {
      out.push([keyword === "oneOf" ? "anyOf" : keyword, value.map(inner)]);
    } else out.push([keyword, keyword === "items" ? inner(value) : value]);
  }
  const isObject = schema["type"] === "object" || asObject(schema["properties"]) !== undefined;
  const open = schema["additionalProperties"];
  if (open !== undefined && open !== false) walk.lossy = true;
  if (isObject) out.push(["additionalProperties", false]);
  return Object.fromEntries(out);
}

function isRefused(keyword: string, value: unknown): boolean {
  if (keyword === "minItems") return value !== 0 && value !== 1;
  if (keyword === "format") return !FORMATS.has(value);
  return BOUNDS.has(keyword);
}

/** The formats of texts; numbers have none. */
const FORMATS: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

const BOUNDS: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);

/** Keywords that hold schemas by name, and in a list. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const LISTED: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf"]);

/** Schemas nest a few levels; deeper ones are left for the vendor to judge. */
const MAX_DEPTH = 32;
