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
import { Refusal, refuse, type VendorError } from "../../refusal.ts";
import { cacheMark, checkCacheMarks } from "./cache-marks.ts";
import { decodeMessages, decodeSystem } from "./decode-messages.ts";

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MIN_THINKING_BUDGET = 1_024;

/** This vendor refuses fields it does not know. */
const FIELDS = new Set([
  ..."model messages max_tokens system stream temperature top_p top_k stop_sequences thinking tools".split(
    " ",
  ),
  ..."tool_choice metadata cache_control container inference_geo output_config service_tier".split(" "),
  // Behind beta headers.
  ..."mcp_servers context_management betas output_format speed diagnostics thread".split(" "),
]);

/** Reads a messages request as the vendor does, refusing what it refuses. */
export function decodeRequest(body: JsonObject, context: DecodeContext): Prompt {
  const model = checkTopLevel(body);
  const system = decodeSystem(body["system"]);
  const messages = decodeMessages(body["messages"], context);
  const tools = decodeTools(body["tools"]);
  checkCacheMarks(body);
  const turns: Turn[] = [...system, ...messages];
  markLastPart(body, turns);
  const toolChoice = decodeToolChoice(body["tool_choice"], tools);
  const thinking = decodeThinking(body, toolChoice);
  return {
    protocol: "messages",
    model,
    stream: body["stream"] === true,
    tools,
    turns,
    toolChoice,
    parallelTools: objectOr(body["tool_choice"])["disable_parallel_tool_use"] !== true,
    maxTokens: numberOf(body["max_tokens"]),
    stops: arrayOr(body["stop_sequences"]).filter(
      (stop) => typeof stop === "string" && stop !== "",
    ) as string[],
    count: 1,
    thinking,
    format: decodeFormat(body),
    caching: "marks",
    body,
  };
}

/** Conversations that the vendor holds are not open to every organisation. */
const NO_THREADS: VendorError = {
  status: 400,
  message: "thread: This request cannot be served with a thread.",
  details: { error_code: "thread_unsupported_request" },
};

function checkTopLevel(body: JsonObject): string {
  for (const field of ["model", "messages", "max_tokens"]) {
    if (isAbsent(body[field])) refuse(`${field}: Field required`);
  }
  if (!isAbsent(body["thread"])) throw new Refusal(NO_THREADS);
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) refuse(`${unknown}: Extra inputs are not permitted`);
  const maxTokens = numberOf(body["max_tokens"]);
  if (maxTokens === undefined || !Number.isInteger(maxTokens))
    refuse("max_tokens: Input should be a valid integer");
  else if (maxTokens < 0) refuse("max_tokens: must be greater than or equal to 0");
  else if (maxTokens === 0) checkCacheFill(body);
  const temperature = numberOf(body["temperature"]) ?? 0;
  if (temperature < 0 || temperature > 1) refuse("temperature: range: 0..1");
  const topP = numberOf(body["top_p"]) ?? 0;
  if (topP < 0 || topP > 1) refuse("top_p: range: 0..1");
  const model = body["model"];
  return typeof model === "string" && model !== "" ? model : refuse("model: Input should be a valid string");
}

/** A limit of 0 reads the prompt into the cache and writes nothing, which some fields contradict. */
function checkCacheFill(body: JsonObject): void {
  const format = objectOr(body["output_config"])["format"];
  const contradicting = [
    ["stream", body["stream"] === true],
    ["thinking", objectOr(body["thinking"])["type"] === "enabled"],
    ["tool_choice", ["any", "tool"].includes(String(objectOr(body["tool_choice"])["type"]))],
    ["output_config.format", !isAbsent(format)],
  ] as const;
  for (const [field, contradicts] of contradicting) {
    if (contradicts) refuse(`max_tokens: 0 cannot be used together with ${field}`);
  }
}

function decodeTools(value: Json | undefined): Tool[] {
  return arrayOr(value).flatMap((item, index) => {
    const tool = objectOr(item);
    // Hosted tools have a type of their own and no schema.
    if (!isAbsent(tool["type"]) && tool["type"] !== "custom") return [];
    const name = stringOr(tool["name"], "");
    const path = `tools.${index}.custom`;
    if (!TOOL_NAME.test(name))
      return refuse(`${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    const schema = tool["input_schema"];
    if (!isObject(schema)) return refuse(`${path}.input_schema: Field required`);
    if (schema["type"] !== "object") return refuse(`${path}.input_schema.type: Input should be 'object'`);
    return [{ name, description: stringOr(tool["description"], ""), schema, ...cacheMark(tool) }];
  });
}

function decodeToolChoice(value: Json | undefined, tools: Tool[]): ToolChoice {
  if (isAbsent(value)) return { kind: "auto" };
  const choice = objectOr(value);
  switch (choice["type"]) {
    case "auto":
    case "none":
      return { kind: choice["type"] };
    case "any":
      if (tools.length === 0) return refuse("tool_choice may only be specified while providing tools.");
      return { kind: "required" };
    case "tool": {
      const name = stringOr(choice["name"], "");
      if (tools.every((tool) => tool.name !== name))
        return refuse(`Tool '${name}' not found in provided tools`);
      return { kind: "required", only: [name] };
    }
    default:
      return refuse(
        "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
      );
  }
}

function decodeThinking(body: JsonObject, toolChoice: ToolChoice): Prompt["thinking"] {
  const thinking = objectOr(body["thinking"]);
  const type = thinking["type"];
  if (type !== "enabled" && type !== "adaptive") return { on: false, shown: false };
  if (type === "enabled") checkBudget(body, thinking);
  if (toolChoice.kind === "required") refuse("Thinking may not be enabled when tool_choice forces tool use.");
  const temperature = numberOf(body["temperature"]);
  if (temperature !== undefined && temperature !== 1) {
    refuse("`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.");
  }
  if (type === "enabled") checkThinkingReplayed(body);
  return { on: true, shown: thinking["display"] !== "omitted" };
}

function checkBudget(body: JsonObject, thinking: JsonObject): void {
  const budget = numberOf(thinking["budget_tokens"]);
  if (budget === undefined) refuse("thinking.enabled.budget_tokens: Field required");
  else if (budget < MIN_THINKING_BUDGET) {
    refuse(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_THINKING_BUDGET}`);
  } else if (budget >= (numberOf(body["max_tokens"]) ?? 0)) {
    refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
}

/** Checks that, with thinking on, the assistant turn of a running tool loop begins with its thinking block. */
function checkThinkingReplayed(body: JsonObject): void {
  const turns = arrayOr(body["messages"]).map(objectOr);
  const results = arrayOr(turns.at(-1)?.["content"]).some(
    (block) => objectOr(block)["type"] === "tool_result",
  );
  const index = turns.findLastIndex((turn) => turn["role"] === "assistant");
  if (!results || index === -1) return;
  const first = objectOr(arrayOr(turns[index]?.["content"])[0])["type"];
  if (first === "thinking" || first === "redacted_thinking") return;
  refuse(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. ` +
      "When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
  );
}

/** `cache_control` at the top marks the last block that can be marked. */
function markLastPart(body: JsonObject, turns: Turn[]): void {
  const mark = cacheMark(body);
  const last = turns.flatMap((turn) => turn.parts).findLast((part) => part.kind !== "thinking");
  if (last !== undefined) Object.assign(last, mark);
}

function decodeFormat(body: JsonObject): ResponseFormat {
  const current = objectOr(objectOr(body["output_config"])["format"]);
  const format = Object.keys(current).length > 0 ? current : objectOr(body["output_format"]);
  return format["type"] === "json_schema"
    ? { kind: "schema", schema: objectOr(format["schema"]) }
    : { kind: "text" };
}
