import type { LossList } from "../../conversation/loss.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { objectSchema, subsetSchema } from "../../conversation/lower/schema-subset.ts";
import type { ChatRequest, FunctionTool, JsonObject } from "../../conversation/request.ts";
import { encodeMark } from "./encode-parts.ts";
import { responseSchema } from "./response-schema.ts";
import { strictTools } from "./strict-tools.ts";

export function encodeTools(
  request: ChatRequest,
  target: EncodeTarget,
  losses: LossList,
): readonly JsonObject[] {
  // Models that know no structured output know no strict tools either.
  const knowsStrict = (target.quirks.structuredOutput ?? "schema") === "schema";
  const wishesStrict = request.tools.some((tool) => tool.kind === "function" && tool.strict);
  if (wishesStrict && !knowsStrict) losses.field("strict", "model-refuses");
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
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: objectSchema(parameters),
    ...(strict ? { strict } : {}),
    ...encodeMark(tool.cache),
  };
}

/** `closed`: strict tools are held to their schemas as answers are, and to no more of them. */
function schemaOf(
  { parameters }: FunctionTool,
  closed: boolean,
  { quirks }: EncodeTarget,
  losses: LossList,
): JsonObject | undefined {
  if (parameters === undefined) return undefined;
  const fitted =
    quirks.schemas === "subset" ? subsetSchema(parameters) : { schema: parameters, lossy: false };
  const told = closed ? responseSchema(fitted.schema) : { schema: fitted.schema, lossy: false };
  if (fitted.lossy || told.lossy) losses.field("tools", "weakened");
  return told.schema;
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
