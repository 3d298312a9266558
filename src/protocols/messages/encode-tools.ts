import type { LossList } from "../../conversation/loss.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { objectSchema, subsetSchema } from "../../conversation/lower/schema-subset.ts";
import type { ChatRequest, FunctionTool, JsonObject } from "../../conversation/request.ts";
import { encodeMark } from "./encode-parts.ts";
import { responseSchema } from "./response-schema.ts";
import { isCompiled, NOTHING, plus, sizeOf } from "./schema-size.ts";

/**
 * The tools that stay strict: the vendor compiles the schemas of strict tools and of the response together, and
 * refuses the request where they are more than it compiles. The first that fit are kept; the others are tools as
 * all were before there were strict ones.
 */
function strictTools(request: ChatRequest, losses: LossList): ReadonlySet<FunctionTool> {
  const strictTools = request.tools.filter((tool) => tool.kind === "function").filter(({ strict }) => strict);
  // Within one protocol it is the caller's business, as when forwarding.
  if (request.protocol === "messages") return new Set(strictTools);
  const format = request.responseFormat;
  let sum = format?.kind === "schema" ? sizeOf(format.schema) : NOTHING;
  const kept = new Set<FunctionTool>();
  for (const tool of strictTools) {
    const next = plus(sum, sizeOf(tool.parameters ?? {}));
    if (kept.size >= MAX_TOOLS || !isCompiled(next)) continue;
    sum = next;
    kept.add(tool);
  }
  if (kept.size < strictTools.length) losses.field("strict", "weakened");
  return kept;
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits". */
const MAX_TOOLS = 20;

export function encodeTools(
  request: ChatRequest,
  target: EncodeTarget,
  losses: LossList,
): readonly JsonObject[] {
  // Models that know no structured output know no strict tools either.
  const knowsStrict = (target.quirks.structuredOutput ?? "schema") === "schema";
  const requestsStrict = request.tools.some((tool) => tool.kind === "function" && tool.strict);
  if (requestsStrict && !knowsStrict) losses.field("strict", "model-refuses");
  const strict = knowsStrict ? strictTools(request, losses) : NONE;
  return request.tools.flatMap((tool) => {
    if (tool.kind === "hosted") return [tool.value];
    // Custom tools have become functions.
    if (tool.kind === "custom") return [];
    const schema = schemaOf(tool, strict.has(tool) && request.protocol !== "messages", target, losses);
    return [encodeTool(tool, schema, strict.has(tool))];
  });
}

function encodeTool(tool: FunctionTool, parameters: JsonObject | undefined, strict: boolean): JsonObject {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: objectSchema(parameters),
    strict: strict ? true : undefined,
    ...encodeMark(tool.cache),
  };
}

/** `closed`: strict tools are held to their schemas as responses are, and to no more of them. */
function schemaOf(
  { parameters }: FunctionTool,
  closed: boolean,
  { quirks }: EncodeTarget,
  losses: LossList,
): JsonObject | undefined {
  if (parameters === undefined) return undefined;
  const fitted =
    quirks.schemas === "subset" ? subsetSchema(parameters) : { schema: parameters, lossy: false };
  const adapted = closed ? responseSchema(fitted.schema) : { schema: fitted.schema, lossy: false };
  if (fitted.lossy || adapted.lossy) losses.field("tools", "weakened");
  return adapted.schema;
}

/** At most one call is a part of the choice here (rule 26), also where nothing is chosen. */
export function encodeToolChoice({
  tools,
  toolChoice,
  parallelToolCalls,
}: ChatRequest): JsonObject | undefined {
  const single =
    parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: parallelToolCalls === false };
  switch (toolChoice?.kind) {
    case undefined:
      return parallelToolCalls === false && tools.length > 0 ? { type: "auto", ...single } : undefined;
    case "auto":
      return { type: "auto", ...single };
    case "required":
      return { type: "any", ...single };
    case "tool":
      return { type: "tool", name: toolChoice.name, ...single };
    case "none":
      return { type: "none" };
    case "hosted":
      return toolChoice.value;
    default:
      return undefined;
  }
}

const NONE: ReadonlySet<FunctionTool> = new Set();
