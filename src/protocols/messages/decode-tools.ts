import { appendAll } from "../../base/append-all.ts";
import type { ForeignField, Tool, ToolChoice } from "../../conversation/request.ts";
import {
  type Fields,
  foreignFields,
  listOf,
  optionalFields,
  optionalFlag,
  optionalText,
  refuse,
  requiredText,
} from "../fields.ts";
import { markOf } from "./decode-parts.ts";

export function decodeTools(body: Fields, foreign: ForeignField[]): readonly Tool[] {
  return listOf(body, "tools").map((fields) => {
    const type = optionalText(fields, "type") ?? "custom";
    // The vendor's `custom` is everyone's function.
    if (type !== "custom") return hostedTool(fields, type);
    appendAll(foreign, foreignFields(fields, KNOWN));
    const description = optionalText(fields, "description");
    const parameters = optionalFields(fields, "input_schema")?.value;
    return {
      kind: "function",
      name: requiredText(fields, "name"),
      description,
      parameters,
      strict: optionalFlag(fields, "strict") ?? false,
      ...markOf(fields),
    };
  });
}

/**
 * Tools that the vendor runs itself help the response and can be left out (rule 29). Those that the caller
 * runs, but whose schema only the vendor's models know, cannot, nor can servers of tools.
 */
function hostedTool({ value, path }: Fields, type: string): Tool {
  return {
    kind: "hosted",
    protocol: "messages",
    name: typeof value["name"] === "string" ? value["name"] : type,
    value,
    ifUnsupported: RUN_BY_VENDOR.test(type) ? "drop" : "refuse",
    path,
  };
}

export function decodeToolChoice(body: Fields): {
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelToolCalls?: boolean | undefined;
} {
  const choice = optionalFields(body, "tool_choice");
  if (choice === undefined) return {};
  const single = optionalFlag(choice, "disable_parallel_tool_use");
  return {
    toolChoice: choiceOf(choice),
    parallelToolCalls: single === undefined ? undefined : !single,
  };
}

function choiceOf(choice: Fields): ToolChoice {
  switch (requiredText(choice, "type")) {
    case "auto":
      return { kind: "auto" };
    case "any":
      return { kind: "required" };
    case "none":
      return { kind: "none" };
    case "tool":
      return { kind: "tool", name: requiredText(choice, "name") };
    default:
      return refuse(choice, "type", "`tool_choice.type` must be auto, any, tool or none.");
  }
}

const KNOWN: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "input_schema",
  "strict",
  "cache_control",
]);

const RUN_BY_VENDOR = /^(web_search|web_fetch|code_execution|tool_search_tool|advisor)/;
