import type { DecodeContext } from "../../exchange.ts";
import { arrayOr, isAbsent, type Json, type JsonObject, objectOr, stringOr } from "../../json.ts";
import type { Prompt, ResponseFormat, Tool, ToolChoice, Turn } from "../../prompt.ts";
import { refuse } from "../../refusal.ts";
import { checkUser, openaiNumber } from "../fields.ts";
import { checkStrictSchema } from "../strict-schema.ts";
import { decodeItems } from "./decode-items.ts";
import { outputOf, type ResponseStore } from "./response-store.ts";

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MIN_OUTPUT_TOKENS = 16;
/** Fields of chat completions that the vendor names as unsupported here. */
const MISPLACED = [
  "messages",
  "max_tokens",
  "max_completion_tokens",
  "n",
  "stop",
  "response_format",
  "reasoning_effort",
];

/** Reads a responses request as the vendor does; stored predecessors are put before its input. */
export function decodeRequest(body: JsonObject, context: DecodeContext): Prompt {
  const model = body["model"];
  if (typeof model !== "string" || model === "") {
    return refuse("Missing required parameter: 'model'.", "model", "missing_required_parameter");
  }
  const misplaced = MISPLACED.find((field) => !isAbsent(body[field]));
  if (misplaced !== undefined) {
    return refuse(`Unsupported parameter: '${misplaced}'.`, misplaced, "unsupported_parameter");
  }
  checkInput(body, context.store);
  checkUser(body);
  openaiNumber(body, "temperature", { kind: "decimal", min: 0, max: 2 });
  openaiNumber(body, "top_p", { kind: "decimal", min: 0, max: 1 });
  const tools = decodeTools(body["tools"]);
  const reasoning = objectOr(body["reasoning"]);
  return {
    protocol: "responses",
    model,
    stream: body["stream"] === true,
    tools,
    turns: [
      ...instructionTurns(body["instructions"]),
      ...decodeItems(conversationItems(body, context.store), context),
    ],
    toolChoice: decodeToolChoice(body["tool_choice"], tools),
    parallelTools: body["parallel_tool_calls"] !== false,
    maxTokens: openaiNumber(body, "max_output_tokens", { kind: "integer", min: MIN_OUTPUT_TOKENS }),
    stops: [],
    count: 1,
    thinking: {
      on: Object.values(reasoning).some((value) => !isAbsent(value)) && reasoning["effort"] !== "none",
      shown: !isAbsent(reasoning["summary"]),
    },
    format: decodeFormat(objectOr(body["text"])["format"]),
    caching: "automatic",
    body,
  };
}

/** The whole conversation as items: what the predecessor stored, then this request's input. */
export function conversationItems(body: JsonObject, store: ResponseStore): JsonObject[] {
  const input = body["input"];
  const own = typeof input === "string" ? [{ role: "user", content: input }] : arrayOr(input).map(objectOr);
  const previous = body["previous_response_id"];
  if (typeof previous !== "string") return own;
  const stored = store.get(previous);
  return stored === undefined ? own : [...stored.input, ...outputOf(stored), ...own];
}

function checkInput(body: JsonObject, store: ResponseStore): void {
  const previous = body["previous_response_id"];
  if (isAbsent(body["input"]) && isAbsent(previous)) {
    refuse("Missing required parameter: 'input'.", "input", "missing_required_parameter");
  }
  if (!isAbsent(previous) && store.get(String(previous)) === undefined) {
    const message = `Previous response with id '${String(previous)}' not found.`;
    refuse(message, "previous_response_id", "previous_response_not_found");
  }
}

function instructionTurns(instructions: Json | undefined): Turn[] {
  const text = stringOr(instructions, "");
  return text === "" ? [] : [{ role: "system", parts: [{ kind: "text", text }] }];
}

function decodeTools(value: Json | undefined): Tool[] {
  return arrayOr(value).flatMap((item, index) => {
    const tool = objectOr(item);
    if (tool["type"] !== "function" && tool["type"] !== "custom") return [];
    const name = stringOr(tool["name"], "");
    const param = `tools[${index}].name`;
    if (name === "")
      return refuse(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
    if (!TOOL_NAME.test(name)) {
      const expected = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
      return refuse(`Invalid '${param}': string does not match pattern. ${expected}`, param, "invalid_value");
    }
    return [decodeTool(tool, name, index)];
  });
}

function decodeTool(tool: JsonObject, name: string, index: number): Tool {
  const schema = objectOr(tool["parameters"]);
  const freeform = tool["type"] === "custom";
  // Only an explicit `strict` is checked: the vendor quietly repairs a schema under its default.
  if (tool["strict"] === true) checkStrictSchema(schema, `function '${name}'`, `tools[${index}].parameters`);
  return { name, description: stringOr(tool["description"], ""), schema, freeform };
}

function decodeToolChoice(value: Json | undefined, tools: Tool[]): ToolChoice {
  if (isAbsent(value)) return { kind: "auto" };
  if (value === "auto" || value === "none" || value === "required") return { kind: value };
  const choice = objectOr(value);
  const listed = choice["type"] === "allowed_tools" ? arrayOr(choice["tools"]).map(objectOr) : [choice];
  const only = listed.map((one) => stringOr(one["name"], ""));
  const unknown = only.find((name) => tools.every((tool) => tool.name !== name));
  if (unknown !== undefined) {
    return refuse(`Tool choice '${unknown}' not found in 'tools' parameter.`, "tool_choice");
  }
  return { kind: choice["mode"] === "auto" ? "auto" : "required", only };
}

function decodeFormat(value: Json | undefined): ResponseFormat {
  const format = objectOr(value);
  if (format["type"] === "json_object") return { kind: "json" };
  if (format["type"] !== "json_schema") return { kind: "text" };
  const name = format["name"];
  if (typeof name !== "string") {
    return refuse(
      "Missing required parameter: 'text.format.name'.",
      "text.format.name",
      "missing_required_parameter",
    );
  }
  const schema = objectOr(format["schema"]);
  if (format["strict"] === true) checkStrictSchema(schema, `response_format '${name}'`, "text.format.schema");
  return { kind: "schema", schema };
}
