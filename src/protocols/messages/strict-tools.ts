import type { LossList } from "../../conversation/loss.ts";
import type { ChatRequest, FunctionTool } from "../../conversation/request.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../json.ts";

/**
 * The tools that stay strict: the vendor compiles the schemas of strict tools and of the answer together, and
 * refuses the request where they are more than it compiles. The first that fit are kept; the others are tools as
 * all were before there were strict ones.
 */
export function strictTools(request: ChatRequest, losses: LossList): ReadonlySet<FunctionTool> {
  const wished = request.tools.filter((tool) => tool.kind === "function").filter(({ strict }) => strict);
  // Within one protocol it is the caller's business, as when forwarding.
  if (request.protocol === "messages") return new Set(wished);
  const format = request.responseFormat;
  let sum = format?.kind === "schema" ? sizeOf(format.schema) : NOTHING;
  const kept = new Set<FunctionTool>();
  for (const tool of wished) {
    const next = plus(sum, sizeOf(tool.parameters ?? {}));
    if (kept.size >= MOST_TOOLS || next.optional > MOST_OPTIONAL || next.unions > MOST_UNIONS) continue;
    sum = next;
    kept.add(tool);
  }
  if (kept.size < wished.length) losses.field("strict", "weakened");
  return kept;
}

/** What makes schemas costly to compile: properties that may be left out, and those of several types. */
interface Size {
  readonly optional: number;
  readonly unions: number;
}

function sizeOf(schema: JsonObject, depth = 0): Size {
  if (depth > MAX_DEPTH) return NOTHING;
  const properties = asObject(schema["properties"]) ?? {};
  const required = asArray(schema["required"]);
  const isUnion = ["anyOf", "oneOf", "type"].some((keyword) => Array.isArray(schema[keyword]));
  const inner = [
    ...Object.values(properties),
    ...NAMED.flatMap((keyword) => Object.values(asObject(schema[keyword]) ?? {})),
    ...LISTED.flatMap((keyword) => asObjects(schema[keyword])),
    schema["items"],
  ];
  const own = {
    optional: Object.keys(properties).filter((name) => !required.includes(name)).length,
    unions: isUnion ? 1 : 0,
  };
  return inner
    .map(asObject)
    .filter((each) => each !== undefined)
    .reduce<Size>((sum, each) => plus(sum, sizeOf(each, depth + 1)), own);
}

function plus(a: Size, b: Size): Size {
  return { optional: a.optional + b.optional, unions: a.unions + b.unions };
}

const NOTHING: Size = { optional: 0, unions: 0 };
const NAMED = ["$defs", "definitions"];
const LISTED = ["anyOf", "oneOf", "allOf"];

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits". */
const MOST_TOOLS = 20;
const MOST_OPTIONAL = 24;
const MOST_UNIONS = 16;

/** Schemas nest a few levels; deeper ones are left for the vendor to judge. */
const MAX_DEPTH = 32;
