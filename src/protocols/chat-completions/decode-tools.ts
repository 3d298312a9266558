import { appendAll } from "../../base/append-all.ts";
import type { CacheMark, ForeignField, Tool, ToolChoice } from "../../conversation/request.ts";
import {
  type Fields,
  foreignFields,
  listOf,
  optionalFields,
  optionalFlag,
  optionalText,
  refuse,
  requiredFields,
  requiredText,
} from "../fields.ts";
import { asObject, type JsonObject } from "../json.ts";

export interface DecodedTools {
  readonly tools: readonly Tool[];
  readonly foreign: readonly ForeignField[];
}

export function decodeTools(body: Fields): DecodedTools {
  const foreign: ForeignField[] = [];
  const tools = listOf(body, "tools").map((fields) => {
    const type = optionalText(fields, "type") ?? "function";
    const known = KNOWN.get(type);
    if (known !== undefined) appendAll(foreign, foreignFields(fields, known));
    return decodeTool(fields, type);
  });
  return { tools, foreign };
}

function decodeTool(fields: Fields, type: string): Tool {
  const declared = type === "function" ? requiredFields(fields, "function") : optionalFields(fields, type);
  if (type === "function" && declared !== undefined) {
    const description = optionalText(declared, "description");
    const parameters = optionalFields(declared, "parameters")?.value;
    return {
      kind: "function",
      name: requiredText(declared, "name"),
      description,
      parameters,
      strict: optionalFlag(declared, "strict") ?? false,
      ...markOf(fields),
    };
  }
  if (type === "custom" && declared !== undefined) {
    const description = optionalText(declared, "description");
    const format = decodeCustomFormat(optionalFields(declared, "format"));
    return {
      kind: "custom",
      name: requiredText(declared, "name"),
      description,
      format,
    };
  }
  return {
    kind: "hosted",
    protocol: "chat-completions",
    name: type,
    value: fields.value,
    ifUnsupported: type === "mcp" ? "refuse" : "drop",
    path: fields.path,
  };
}

/** A grammar is nested here and flat in responses, which the neutral form follows. */
function decodeCustomFormat(format: Fields | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  const { grammar, ...flat } = format.value;
  return { ...flat, ...asObject(grammar) };
}

function markOf(fields: Fields): { readonly cache?: CacheMark | undefined } {
  const mark = optionalFields(fields, "cache_control");
  if (mark === undefined) return {};
  return { cache: { ttl: mark.value["ttl"] === "1h" ? "1h" : "5m" } };
}

export function decodeToolChoice(body: Fields): ToolChoice | undefined {
  const word = body.value["tool_choice"] ?? undefined;
  if (word === undefined) return undefined;
  if (word === "auto" || word === "none" || word === "required") return { kind: word };
  if (word === "any") return { kind: "required" };
  if (typeof word === "string") {
    return refuse(body, "tool_choice", "`tool_choice` must be none, auto, required or an object.");
  }
  const choice = requiredFields(body, "tool_choice");
  const type = requiredText(choice, "type");
  switch (type) {
    case "function":
    case "custom":
      return { kind: "tool", name: requiredText(requiredFields(choice, type), "name") };
    case "allowed_tools": {
      const allowed = requiredFields(choice, "allowed_tools");
      const names = listOf(allowed, "tools").map((tool) => {
        const named = optionalFields(tool, "function") ?? optionalFields(tool, "custom") ?? tool;
        return requiredText(named, "name");
      });
      return { kind: "among", names, required: optionalText(allowed, "mode") === "required" };
    }
    default:
      return { kind: "hosted", value: choice.value };
  }
}

const KNOWN = new Map<string, ReadonlySet<string>>([
  ["function", new Set(["type", "function", "cache_control"])],
  ["custom", new Set(["type", "custom"])],
]);
