import { appendAll } from "../../base/append-all.ts";
import type { ForeignField, FunctionTool, JsonObject, Tool, ToolChoice } from "../../conversation/request.ts";
import {
  type Fields,
  foreignFields,
  foreignKeys,
  optionalFields,
  optionalText,
  pathOf,
  refuse,
  requiredText,
} from "../fields.ts";
import { decodeSchema } from "./decode-schema.ts";
import { optionalWord } from "./enums.ts";
import { camelInside, camelList, textsOf } from "./spelling.ts";

/** Declared functions, and each hosted tool under its own key. */
export function decodeTools(body: Fields, foreign: ForeignField[]): readonly Tool[] {
  return camelList(body, "tools", TOOL_FIELDS).flatMap((tool) => [
    ...camelList(tool, "functionDeclarations", DECLARATION_FIELDS).map((fields) =>
      decodeFunction(fields, foreign),
    ),
    ...foreignKeys(tool, TOOL_FIELDS).map(
      (name): Tool => ({
        kind: "hosted",
        protocol: "generate-content",
        name,
        value: { [name]: tool.value[name] },
        ifUnsupported: MEANING.has(name) ? "refuse" : "drop",
        path: pathOf(tool, name),
      }),
    ),
  ]);
}

function decodeFunction(fields: Fields, foreign: ForeignField[]): FunctionTool {
  appendAll(foreign, foreignFields(fields, DECLARATION_FIELDS));
  const description = optionalText(fields, "description");
  const whole = optionalFields(fields, "parametersJsonSchema")?.value;
  const native = optionalFields(fields, "parameters")?.value;
  const parameters: JsonObject | undefined =
    whole ?? (native === undefined ? undefined : decodeSchema(native));
  return {
    kind: "function",
    name: requiredText(fields, "name"),
    description,
    parameters,
    strict: false,
  };
}

export function decodeToolConfig(
  body: Fields,
  tools: readonly Tool[],
  foreign: ForeignField[],
): ToolChoice | undefined {
  const config = camelInside(body, "toolConfig", CONFIG_FIELDS);
  if (config === undefined) return undefined;
  appendAll(foreign, foreignFields(config, CONFIG_FIELDS));
  const calling = camelInside(config, "functionCallingConfig", CALLING_FIELDS);
  if (calling === undefined) return undefined;
  appendAll(foreign, foreignFields(calling, CALLING_FIELDS));
  const mode = optionalWord(calling, "mode", "callingMode")?.toUpperCase() ?? "AUTO";
  const allowed = textsOf(calling, "allowedFunctionNames") ?? [];
  // The vendor's own tools are at hand whichever functions are.
  const hosted = tools.filter(({ kind }) => kind === "hosted").map(({ name }) => name);
  const names = [...allowed, ...(allowed.length === 0 ? [] : hosted)];
  switch (mode) {
    case "NONE":
      return { kind: "none" };
    case "ANY": {
      const [only, ...others] = allowed;
      if (only === undefined) return { kind: "required" };
      return others.length === 0 ? { kind: "tool", name: only } : { kind: "among", names, required: true };
    }
    case "VALIDATED":
      // The model chooses freely; that its calls fit the schema is checked by no one else.
      foreign.push({ path: pathOf(calling, "mode"), value: mode, ifUnsupported: "drop" });
      return names.length === 0 ? { kind: "auto" } : { kind: "among", names, required: false };
    case "AUTO":
    case "MODE_UNSPECIFIED":
      return names.length === 0 ? { kind: "auto" } : { kind: "among", names, required: false };
    default:
      return refuse(calling, "mode", `\`${pathOf(calling, "mode")}\` must be AUTO, ANY, NONE or VALIDATED.`);
  }
}

const TOOL_FIELDS: ReadonlySet<string> = new Set(["functionDeclarations"]);
const DECLARATION_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "parameters",
  "parametersJsonSchema",
]);
const CONFIG_FIELDS: ReadonlySet<string> = new Set(["functionCallingConfig"]);
const CALLING_FIELDS: ReadonlySet<string> = new Set(["mode", "allowedFunctionNames"]);

/** Tools that reach where only the caller may: dropping them silently would change what the model can do. */
const MEANING: ReadonlySet<string> = new Set(["mcpServers", "mcp_servers"]);
