import { appendAll } from "../../base/append-all.ts";
import type { ForeignField, JsonObject, Tool, ToolChoice } from "../../conversation/request.ts";
import {
  type Fields,
  foreignFields,
  listOf,
  optionalFields,
  optionalFlag,
  optionalText,
  pathOf,
  refuse,
  requiredFields,
  requiredText,
} from "../fields.ts";
import { asArray, asObject } from "../json.ts";

export interface DecodedTools {
  readonly tools: readonly Tool[];
  readonly foreign: readonly ForeignField[];
}

/** The body's tools and those that items of its input declare (`lists`: fields that hold `tools`). */
export function decodeTools(body: Fields, lists: readonly Fields[]): DecodedTools {
  const foreign: ForeignField[] = [];
  const tools = [body, ...lists].flatMap((list) =>
    listOf(list, "tools").flatMap((fields) => decodeTool(fields, foreign)),
  );
  return { tools, foreign };
}

function decodeTool(fields: Fields, foreign: ForeignField[], namespace?: string): readonly Tool[] {
  const type = optionalText(fields, "type") ?? "function";
  if (type === "namespace" && namespace === undefined) {
    const group = requiredText(fields, "name");
    appendAll(foreign, foreignFields(fields, KNOWN_GROUP));
    return listOf(fields, "tools").flatMap((tool) => decodeTool(tool, foreign, group));
  }
  if (type !== "function" && type !== "custom") return [hosted(fields, type)];
  appendAll(foreign, foreignFields(fields, KNOWN[type]));
  const description = optionalText(fields, "description");
  const declared = {
    name: requiredText(fields, "name"),
    namespace,
    description,
  };
  if (type === "custom") {
    const format = optionalFields(fields, "format")?.value;
    return [{ kind: "custom", ...declared, format }];
  }
  const parameters = optionalFields(fields, "parameters")?.value;
  const strict = optionalFlag(fields, "strict") ?? (parameters !== undefined && fitsStrict(parameters));
  return [{ kind: "function", ...declared, parameters, strict }];
}

/** Servers that the vendor itself asks are the caller's own; what else it hosts is at hand to help (rule 29). */
function hosted(fields: Fields, type: string): Tool {
  return {
    kind: "hosted",
    protocol: "responses",
    name: type,
    value: fields.value,
    ifUnsupported: type === "mcp" ? "refuse" : "drop",
    path: fields.path,
  };
}

export function decodeToolChoice(body: Fields): ToolChoice | undefined {
  const word = body.value["tool_choice"] ?? undefined;
  if (word === undefined) return undefined;
  if (word === "auto" || word === "none" || word === "required") return { kind: word };
  if (typeof word === "string") {
    return refuse(body, "tool_choice", "`tool_choice` must be none, auto, required or an object.");
  }
  const choice = requiredFields(body, "tool_choice");
  switch (requiredText(choice, "type")) {
    case "function":
    case "custom": {
      const namespace = optionalText(choice, "namespace");
      const name = requiredText(choice, "name");
      return { kind: "tool", name, namespace };
    }
    case "allowed_tools": {
      const names = listOf(choice, "tools").map(
        (tool) => optionalText(tool, "name") ?? requiredText(tool, "type"),
      );
      const mode = optionalText(choice, "mode") ?? "auto";
      if (mode === "auto" || mode === "required") {
        return { kind: "among", names, required: mode === "required" };
      }
      return refuse(choice, "mode", `\`${pathOf(choice, "mode")}\` must be auto or required.`);
    }
    default:
      return { kind: "hosted", value: choice.value };
  }
}

/**
 * True if a schema can be held to strictly: every object closed, every property required. Where a caller
 * leaves `strict` out, this protocol is strict with such schemas and lax with others (rule 27).
 */
export function fitsStrict(schema: JsonObject): boolean {
  const open: { readonly schema: JsonObject; readonly depth: number }[] = [{ schema, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema: found, depth } = next;
    if (depth > MAX_DEPTH) return false;
    const properties = asObject(found["properties"]);
    if (found["type"] === "object" || properties !== undefined) {
      const names = Object.keys(properties ?? {});
      const required = asArray(found["required"]);
      if (found["additionalProperties"] !== false) return false;
      if (names.some((name) => !required.includes(name))) return false;
    }
    const nested = [
      ...Object.values(properties ?? {}),
      ...Object.values(asObject(found["$defs"]) ?? {}),
      ...asArray(found["anyOf"]),
      found["items"],
    ];
    for (const each of nested) {
      const inner = asObject(each);
      if (inner !== undefined) open.push({ schema: inner, depth: depth + 1 });
    }
  }
  return asObject(schema["properties"]) !== undefined || schema["type"] === "object";
}

const DECLARED = ["type", "name", "description"];
const KNOWN = {
  function: new Set([...DECLARED, "parameters", "strict"]),
  custom: new Set([...DECLARED, "format"]),
};
const KNOWN_GROUP: ReadonlySet<string> = new Set(["type", "name", "tools"]);

/** The vendor itself accepts ten levels. */
const MAX_DEPTH = 32;
