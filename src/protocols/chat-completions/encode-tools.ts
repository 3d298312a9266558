import type { CacheMark, Tool, ToolChoice } from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";

export function encodeTools(tools: readonly Tool[]): readonly JsonObject[] {
  return tools.map(encodeTool);
}

function encodeTool(tool: Tool): JsonObject {
  if (tool.kind === "hosted") return tool.value;
  const description = tool.description === undefined ? {} : { description: tool.description };
  if (tool.kind === "custom") {
    const format = tool.format === undefined ? {} : { format: encodeCustomFormat(tool.format) };
    return { type: "custom", custom: { name: tool.name, ...description, ...format } };
  }
  return {
    type: "function",
    function: {
      name: tool.name,
      ...description,
      parameters: tool.parameters,
      // Left out it means false here (rule 27).
      strict: tool.strict ? true : undefined,
    },
    ...encodeMark(tool.cache),
  };
}

/** A grammar is nested here. */
function encodeCustomFormat({ type, ...rest }: JsonObject): JsonObject {
  return type === "grammar" ? { type, grammar: rest } : { type, ...rest };
}

export function encodeToolChoice(choice: ToolChoice): unknown {
  switch (choice.kind) {
    case "tool":
      return { type: "function", function: { name: choice.name } };
    case "hosted":
      return choice.value;
    case "among":
      return choice.required ? "required" : "auto";
    default:
      return choice.kind;
  }
}

function encodeMark(cache: CacheMark | undefined): JsonObject {
  if (cache === undefined) return {};
  return { cache_control: cache.ttl === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" } };
}
