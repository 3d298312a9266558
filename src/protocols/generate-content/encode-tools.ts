import type { LossList } from "../../conversation/loss.ts";
import type { Tool, ToolChoice } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";
import { encodeSchema, type SchemaForm } from "./encode-schema.ts";

/** All functions in one entry, each hosted tool in its own. */
export function encodeTools(
  tools: readonly Tool[],
  form: SchemaForm,
  losses: LossList,
): readonly JsonObject[] {
  const functionDeclarations = tools.flatMap((tool) => encodeFunction(tool, form, losses));
  const hosted = tools.flatMap((tool) => (tool.kind === "hosted" ? [tool.value] : []));
  return [...(functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]), ...hosted];
}

function encodeFunction(tool: Tool, form: SchemaForm, losses: LossList): readonly JsonObject[] {
  if (tool.kind !== "function") return [];
  if (tool.strict) losses.field("strict");
  const { name, description } = tool;
  const declared = { name, description };
  if (tool.parameters === undefined) return [declared];
  const { schema, lossy } = encodeSchema(tool.parameters, form);
  if (lossy) losses.field("tools", "weakened");
  return [{ ...declared, [form === "subset" ? "parameters" : "parametersJsonSchema"]: schema }];
}

export function encodeToolConfig(choice: ToolChoice | undefined): JsonObject | undefined {
  const calling = choice && encodeChoice(choice);
  return calling && { functionCallingConfig: calling };
}

function encodeChoice(choice: ToolChoice): JsonObject | undefined {
  switch (choice.kind) {
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
    case "among":
      return choice.required ? { mode: "ANY", allowedFunctionNames: choice.names } : { mode: "AUTO" };
    case "hosted":
      return undefined;
  }
}
