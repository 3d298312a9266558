import type { LossList } from "../../conversation/loss.ts";
import type { EncodeTarget } from "../../conversation/plan.ts";
import type { ChatRequest, FunctionTool, JsonObject } from "../../conversation/request.ts";
import { objectSchema, subsetSchema } from "../../conversation/schema-subset.ts";
import { answerSchema } from "./answer-schema.ts";
import { encodeMark } from "./encode-parts.ts";

export function encodeTools(
  { protocol, tools }: ChatRequest,
  target: EncodeTarget,
  losses: LossList,
): readonly JsonObject[] {
  return tools.flatMap((tool) => {
    if (tool.kind === "hosted") return [tool.value];
    // Custom tools have become functions.
    return tool.kind === "function" ? [encodeTool(tool, protocol === "messages", target, losses)] : [];
  });
}

function encodeTool(
  tool: FunctionTool,
  own: boolean,
  { quirks }: EncodeTarget,
  losses: LossList,
): JsonObject {
  // Models that know no structured output know no strict tools either.
  const strict = tool.strict && (quirks.structuredOutput ?? "schema") === "schema";
  if (tool.strict && !strict) losses.field("strict", "model-refuses");
  let parameters = tool.parameters;
  if (parameters !== undefined && quirks.schemas === "subset") {
    const { schema, lossy } = subsetSchema(parameters);
    if (lossy) losses.field("tools", "weakened");
    parameters = schema;
  }
  if (parameters !== undefined && strict && !own) {
    // Strict tools are held to their schemas as answers are, and to no more of them.
    const { schema, lossy } = answerSchema(parameters);
    if (lossy) losses.field("tools", "weakened");
    parameters = schema;
  }
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: objectSchema(parameters),
    ...(strict ? { strict } : {}),
    ...encodeMark(tool.cache),
  };
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
