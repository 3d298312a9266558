import type { LossList } from "../loss.ts";
import type {
  ChatRequest,
  CustomTool,
  FunctionTool,
  JsonObject,
  ResponseFormat,
  Tool,
  ToolChoice,
} from "../request.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";
import type { ToolNames } from "./names.ts";
import type { EncodeTarget } from "./plan.ts";

export interface LoweredTools {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  readonly responseFormat: ResponseFormat | undefined;
  readonly responseTool: string | undefined;
}

/** Tools, choice and structured output as the target takes them (rules 29, 30, 40). Throws RefusedField. */
export function lowerTools(
  request: ChatRequest,
  capabilities: ProtocolCapabilities,
  target: EncodeTarget,
  names: ToolNames,
  losses: LossList,
): LoweredTools {
  const offered = offeredTools(request);
  const own = request.protocol === capabilities.protocol;
  const tools = offered.flatMap((tool) => fitTool(tool, own, capabilities, target, names, losses));
  const toolChoice = fitChoice(request, tools, capabilities, names, losses);
  if (target.quirks.forcedTools === false && isForced(toolChoice)) {
    losses.refuse("toolChoice", "This model doesn't support forced tool calls. Let it choose.");
  }
  const format = request.responseFormat;
  const asRequested = { tools, toolChoice, responseFormat: format, responseTool: undefined };
  if (format?.kind !== "schema") return asRequested;
  const way = target.quirks.structuredOutput ?? "schema";
  const isTaken = own || (capabilities.takesSchema?.(format.schema) ?? true);
  if (way === "schema" && isTaken) return asRequested;
  if (way !== "tool") {
    losses.field("responseFormat", "weakened");
    return { tools, toolChoice, responseFormat: { kind: "json" }, responseTool: undefined };
  }
  const responseTool = names.wireName({ name: format.name ?? RESPONSE_TOOL });
  const response: FunctionTool = {
    kind: "function",
    name: responseTool,
    description: format.description ?? "Give the final answer with this tool.",
    parameters: format.schema,
    strict: format.strict ?? false,
  };
  const alone = tools.length === 0 || toolChoice?.kind === "none";
  return {
    tools: alone ? [response] : [...tools, response],
    toolChoice: alone ? { kind: "tool", name: responseTool } : { kind: "required" },
    responseFormat: undefined,
    responseTool,
  };
}

/** True if tools of free text stay what they are: a caller's own protocol takes what it said, as when forwarding. */
export function takesCustom(request: ChatRequest, capabilities: ProtocolCapabilities): boolean {
  return capabilities.customTools || request.protocol === capabilities.protocol;
}

/** A choice among some tools offers only those: the same to the model, and every protocol can say it. */
function offeredTools({ tools, toolChoice }: ChatRequest): readonly Tool[] {
  if (toolChoice?.kind !== "among") return tools;
  return tools.filter((tool) => toolChoice.names.includes(tool.name));
}

function fitTool(
  tool: Tool,
  own: boolean,
  capabilities: ProtocolCapabilities,
  target: EncodeTarget,
  names: ToolNames,
  losses: LossList,
): readonly Tool[] {
  if (tool.kind === "hosted") {
    if (tool.protocol === capabilities.protocol) return [tool];
    if (tool.ifUnsupported === "refuse") {
      losses.refuseAt(tool.path, `This model's upstream has no tool of type ${tool.name}. Remove it.`);
    }
    losses.at(tool.path);
    return [];
  }
  const { namespace, ...plain } = tool;
  const grouped = namespace !== undefined && capabilities.namespaces;
  const owner = { name: tool.name, namespace: grouped ? undefined : namespace };
  if (tool.kind === "custom" && !own && !capabilities.customTools) {
    if (tool.format !== undefined) losses.at(`${losses.nameOf("tools")}.format`, "weakened");
    return [customAsFunction(tool, names.wireName({ ...owner, custom: true }))];
  }
  const name = names.wireName(owner);
  const kept = { ...plain, name, namespace: grouped ? namespace : undefined };
  if (kept.kind === "custom" || kept.cache === undefined) return [kept];
  if (target.quirks.cacheMarks ?? (own || capabilities.slots.has("cache"))) return [kept];
  losses.field("cache");
  const { cache: _, ...unmarked } = kept;
  return [unmarked];
}

/** A custom tool for protocols that have only functions; `adapt/restore-names.ts` unwraps its calls. */
function customAsFunction(tool: CustomTool, name: string): FunctionTool {
  return {
    kind: "function",
    name,
    description: tool.description,
    parameters: ONE_TEXT,
    strict: false,
  };
}

function fitChoice(
  request: ChatRequest,
  tools: readonly Tool[],
  capabilities: ProtocolCapabilities,
  names: ToolNames,
  losses: LossList,
): ToolChoice | undefined {
  const choice = request.toolChoice;
  if (choice === undefined) return undefined;
  switch (choice.kind) {
    case "auto":
    case "none":
      // Without tools some vendors refuse any choice, and there is nothing to choose from.
      return tools.length === 0 ? undefined : choice;
    case "among":
      return tools.length === 0 ? undefined : { kind: choice.required ? "required" : "auto" };
    case "required":
      if (tools.length > 0) return choice;
      break;
    case "hosted":
      if (request.protocol === capabilities.protocol) return choice;
      break;
    case "tool": {
      const chosen = request.tools.find(
        (tool) =>
          tool.name === choice.name && (choice.namespace === undefined || groupOf(tool) === choice.namespace),
      );
      if (chosen?.kind === "hosted" && chosen.protocol !== capabilities.protocol) break;
      const namespace = choice.namespace ?? (chosen === undefined ? undefined : groupOf(chosen));
      const custom = chosen?.kind === "custom" && !takesCustom(request, capabilities);
      return {
        kind: "tool",
        name: names.wireName({
          name: choice.name,
          namespace: namespace === undefined || capabilities.namespaces ? undefined : namespace,
          custom: custom ? true : undefined,
        }),
        namespace: namespace !== undefined && capabilities.namespaces ? namespace : undefined,
      };
    }
  }
  return losses.refuse(
    "toolChoice",
    "The forced tool doesn't exist at this model's upstream. Choose another.",
  );
}

function isForced(choice: ToolChoice | undefined): boolean {
  return choice?.kind === "required" || choice?.kind === "tool";
}

function groupOf(tool: Tool): string | undefined {
  return tool.kind === "hosted" ? undefined : tool.namespace;
}

const RESPONSE_TOOL = "give_answer";

const ONE_TEXT: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};
