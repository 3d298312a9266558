import type { DecodeContext } from "../../exchange.ts";
import {
  arrayOr,
  isAbsent,
  isObject,
  type Json,
  type JsonObject,
  numberOf,
  objectOr,
  stringOr,
} from "../../json.ts";
import type { Prompt, ResponseFormat, Tool, ToolChoice, Turn } from "../../prompt.ts";
import { refuse } from "../../refusal.ts";
import { decodeContents, decodeParts } from "./decode-contents.ts";
import { checkRequestFields, checkSchemaFields, field } from "./proto-fields.ts";

const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const MAX_STOPS = 5;
const MAX_CANDIDATES = 8;

/** Reads a generateContent request as the vendor does; model and streaming come from the path. */
export function decodeRequest(body: JsonObject, context: DecodeContext): Prompt {
  checkRequestFields(body);
  const config = objectOr(field(body, "generationConfig"));
  const tools = decodeTools(field(body, "tools"));
  const contents = decodeContents(field(body, "contents"), context);
  return {
    protocol: "generate-content",
    model: context.pathModel,
    stream: context.pathStream,
    tools,
    turns: [...decodeSystem(field(body, "systemInstruction"), context), ...contents],
    toolChoice: decodeToolChoice(field(body, "toolConfig"), tools),
    parallelTools: true,
    maxTokens: decodeMaxTokens(field(config, "maxOutputTokens")),
    stops: decodeStops(field(config, "stopSequences")),
    count: decodeCount(field(config, "candidateCount")),
    thinking: decodeThinking(objectOr(field(config, "thinkingConfig")), context.pathModel),
    format: decodeFormat(config),
    caching: "automatic",
    body,
  };
}

function decodeSystem(value: Json | undefined, context: DecodeContext): Turn[] {
  if (isAbsent(value)) return [];
  if (typeof value === "string") {
    return refuse(
      "Invalid value at 'system_instruction' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)",
    );
  }
  const parts = decodeParts(arrayOr(objectOr(value)["parts"]), "system_instruction", context);
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

function decodeTools(value: Json | undefined): Tool[] {
  return arrayOr(value).flatMap((item, at) => {
    const declarations = arrayOr(field(objectOr(item), "functionDeclarations"));
    return declarations.map((declaration, index) => {
      return decodeFunction(objectOr(declaration), `tools[${at}].function_declarations[${index}]`);
    });
  });
}

function decodeFunction(declaration: JsonObject, path: string): Tool {
  const name = stringOr(declaration["name"], "");
  if (!TOOL_NAME.test(name)) {
    const rule =
      "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), ";
    return refuse(
      `* GenerateContentRequest.${path}.name: ${rule}underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
    );
  }
  const native = field(declaration, "parameters");
  checkSchemaFields(native, `${path}.parameters`);
  const schema = objectOr(native ?? field(declaration, "parametersJsonSchema"));
  return { name, description: stringOr(declaration["description"], ""), schema };
}

function decodeToolChoice(value: Json | undefined, tools: Tool[]): ToolChoice {
  const calling = objectOr(field(objectOr(value), "functionCallingConfig"));
  const mode = stringOr(calling["mode"], "AUTO").toUpperCase();
  const allowed = arrayOr(field(calling, "allowedFunctionNames")).filter((name) => typeof name === "string");
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED") {
    return refuse(
      "Allowed function names should be set only when the function calling mode is ANY or VALIDATED.",
    );
  }
  const unknown = allowed.find((name) => tools.every((tool) => tool.name !== name));
  if (unknown !== undefined) {
    return refuse(
      `Function name '${unknown}' in allowed_function_names is not declared in function_declarations.`,
    );
  }
  const only = allowed.length > 0 ? { only: allowed } : {};
  if (mode === "NONE") return { kind: "none" };
  return mode === "ANY" ? { kind: "required", ...only } : { kind: "auto", ...only };
}

function decodeMaxTokens(value: Json | undefined): number | undefined {
  const tokens = numberOf(value);
  if (tokens !== undefined && tokens < 1) refuse("max_output_tokens must be positive.");
  return tokens;
}

function decodeStops(value: Json | undefined): string[] {
  const stops = arrayOr(value).filter((stop) => typeof stop === "string");
  if (stops.length > MAX_STOPS) {
    return refuse(
      `* GenerateContentRequest.generation_config.stop_sequences: at most ${MAX_STOPS} stop sequences are allowed, got ${stops.length}.`,
    );
  }
  if (stops.includes("")) {
    return refuse(
      "* GenerateContentRequest.generation_config.stop_sequences: stop sequences must not be empty.",
    );
  }
  return stops;
}

function decodeCount(value: Json | undefined): number {
  const count = numberOf(value) ?? 1;
  if (!Number.isInteger(count) || count < 1 || count > MAX_CANDIDATES) {
    return refuse(
      `* GenerateContentRequest.generation_config.candidate_count: must be in the range [1, ${MAX_CANDIDATES}].`,
    );
  }
  return count;
}

/** The third generation thinks unless its budget is 0, the others when asked. */
function decodeThinking(config: JsonObject, model: string): Prompt["thinking"] {
  const shown = field(config, "includeThoughts") === true;
  const budget = numberOf(field(config, "thinkingBudget"));
  const level = field(config, "thinkingLevel");
  const asked = shown || budget !== undefined || !isAbsent(level) || model.startsWith("gemini-3");
  return { on: budget !== 0 && asked, shown };
}

function decodeFormat(config: JsonObject): ResponseFormat {
  const json = stringOr(field(config, "responseMimeType"), "") === "application/json";
  const native = field(config, "responseSchema");
  checkSchemaFields(native, "generation_config.response_schema");
  const schema = native ?? field(config, "responseJsonSchema") ?? config["_responseJsonSchema"];
  if (isObject(schema) && !json) {
    return refuse(
      "* GenerateContentRequest.generation_config.response_schema: only allowed with response_mime_type 'application/json'.",
    );
  }
  if (isObject(schema)) return { kind: "schema", schema };
  return { kind: json ? "json" : "text" };
}
