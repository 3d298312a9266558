import type { LossList } from "../../conversation/loss.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { objectSchema, subsetSchema } from "../../conversation/lower/schema-subset.ts";
import type { CustomTool, FunctionTool, Tool, ToolChoice } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";

/** Tools as responses declares them; those of a namespace stand together in it. */
export function encodeTools(
  tools: readonly Tool[],
  target: EncodeTarget,
  losses: LossList,
): readonly JsonObject[] {
  const out: JsonObject[] = [];
  const groups = new Map<string, JsonObject[]>();
  for (const tool of tools) {
    const encoded = encodeTool(tool, target, losses);
    const namespace = tool.kind === "hosted" ? undefined : tool.namespace;
    const group = namespace === undefined ? out : groups.get(namespace);
    if (group !== undefined) {
      group.push(encoded);
    } else if (namespace !== undefined) {
      const members = [encoded];
      groups.set(namespace, members);
      out.push({ type: "namespace", name: namespace, description: namespace, tools: members });
    }
  }
  return out;
}

function encodeTool(tool: Tool, target: EncodeTarget, losses: LossList): JsonObject {
  switch (tool.kind) {
    case "hosted":
      return tool.value;
    case "custom":
      return encodeCustom(tool);
    case "function":
      return encodeFunction(tool, target, losses);
  }
}

/** `strict` is always said: left out, this protocol takes it for true (rule 27). */
function encodeFunction(tool: FunctionTool, target: EncodeTarget, losses: LossList): JsonObject {
  // Models that take marks take them on what is said, not on tools.
  if (tool.cache !== undefined) losses.field("cache");
  let parameters = objectSchema(tool.parameters);
  if (target.quirks.schemas === "subset") {
    const subset = subsetSchema(parameters);
    if (subset.lossy) losses.field("tools", "weakened");
    parameters = subset.schema;
  }
  return { type: "function", ...named(tool), parameters, strict: tool.strict };
}

function encodeCustom(tool: CustomTool): JsonObject {
  const format = tool.format === undefined ? {} : { format: tool.format };
  return { type: "custom", ...named(tool), ...format };
}

function named({ name, description }: FunctionTool | CustomTool): JsonObject {
  return { name, description };
}

export function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  switch (choice.kind) {
    case "auto":
    case "none":
    case "required":
      return choice.kind;
    case "among":
      return choice.required ? "required" : "auto";
    case "hosted":
      return choice.value;
    case "tool": {
      const chosen = tools.find((tool) => tool.name === choice.name);
      if (chosen?.kind === "hosted") return { type: chosen.name };
      return { type: chosen?.kind === "custom" ? "custom" : "function", name: choice.name };
    }
  }
}
