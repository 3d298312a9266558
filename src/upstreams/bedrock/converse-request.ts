import { appendAll } from "../../base/append-all.ts";
import { definedFields } from "../../base/defined-fields.ts";
import { isRecord } from "../../base/json/record.ts";
import type { Loss } from "../../conversation/loss.ts";
import { refuse, withCachePoint, writeBlocks } from "./converse-blocks.ts";
import { modelFields } from "./converse-models.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A body of Converse, and what was asked for that it doesn't hold. */
export interface ConverseRequest {
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
}

/** Fields that Converse has in another place, or that the path says. */
const READ: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "anthropic_version",
  "anthropic_beta",
  "messages",
  "system",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "cache_control",
]);

/** Fields that change no answer: left out, and named. Any other that Converse has no place for is refused. */
const HINTS: ReadonlySet<string> = new Set(["metadata", "service_tier"]);

/**
 * A request in the form of Claude's vendor as one of Bedrock's Converse. Throws GatewayError where its meaning has no place there.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function writeConverse(asked: JsonObject, model: string): ConverseRequest {
  const losses: Loss[] = [];
  for (const name of Object.keys(asked)) {
    if (READ.has(name)) continue;
    if (!HINTS.has(name)) refuse(name, `Bedrock's Converse has no field \`${name}\`. Leave it out.`);
    losses.push({ path: name, reason: "no-slot" });
  }
  for (const beta of listOf(asked["anthropic_beta"]))
    losses.push({ path: `anthropic-beta:${String(beta)}`, reason: "no-slot" });
  const messages = writeMessages(asked, losses);
  const { additional, lost } = modelFields(asked, model);
  appendAll(losses, lost);
  const body = definedFields({
    messages,
    system: writeSystem(asked["system"], losses),
    inferenceConfig: definedFields({
      maxTokens: asked["max_tokens"],
      temperature: asked["temperature"],
      topP: asked["top_p"],
      stopSequences: asked["stop_sequences"],
    }),
    toolConfig: writeTools(asked, messages, losses),
    outputConfig: writeFormat(asked["output_config"]),
    additionalModelRequestFields: Object.keys(additional).length === 0 ? undefined : additional,
  });
  return { body, losses };
}

function writeMessages(asked: JsonObject, losses: Loss[]): readonly JsonObject[] {
  const messages = listOf(asked["messages"]).map((message, index) => {
    if (!isRecord(message)) return refuse(`messages[${index}]`, "A message must be an object.");
    const content = writeBlocks(message["content"], `messages[${index}].content`, losses);
    return { role: message["role"], content };
  });
  const last = messages.at(-1);
  // A mark of the whole request stands behind its last words.
  if (last !== undefined && isRecord(asked["cache_control"]))
    last.content = [...last.content, ...withCachePoint(asked)];
  return messages;
}

function writeSystem(system: unknown, losses: Loss[]): readonly JsonObject[] | undefined {
  const blocks = writeBlocks(system, "system", losses);
  return blocks.length === 0 ? undefined : blocks;
}

/** Converse wants the tools wherever the conversation holds calls, and has no word for calling none. */
function writeTools(asked: JsonObject, messages: readonly JsonObject[], losses: Loss[]): unknown {
  const tools = listOf(asked["tools"]);
  if (tools.length === 0) return undefined;
  const choice = isRecord(asked["tool_choice"]) ? asked["tool_choice"] : {};
  if (choice["type"] === "none") {
    if (!messages.some(holdsCalls)) return undefined;
    refuse(
      "tool_choice",
      "Bedrock's Converse can't forbid calls in a conversation that has some. Use `auto`.",
    );
  }
  if (choice["disable_parallel_tool_use"] === true)
    losses.push({ path: "tool_choice.disable_parallel_tool_use", reason: "no-slot" });
  return definedFields({
    tools: tools.flatMap((tool, index) => writeTool(tool, `tools[${index}]`)),
    toolChoice: writeChoice(choice),
  });
}

function holdsCalls({ content }: JsonObject): boolean {
  return listOf(content).some((block) => isRecord(block) && ("toolUse" in block || "toolResult" in block));
}

function writeTool(tool: unknown, path: string): readonly JsonObject[] {
  if (!isRecord(tool)) return refuse(path, "A tool must be an object.");
  const { type, name, description, input_schema: schema, strict } = tool;
  if (type !== undefined && type !== null && type !== "custom")
    refuse(path, `This model's upstream doesn't have the tool \`${String(type)}\`.`);
  const toolSpec = definedFields({
    name,
    // An empty one is refused.
    description: description === "" ? undefined : description,
    inputSchema: { json: schema },
    strict: strict === true ? true : undefined,
  });
  return [{ toolSpec }, ...withCachePoint(tool)];
}

function writeChoice({ type, name }: JsonObject): JsonObject | undefined {
  switch (type) {
    case undefined:
      return undefined;
    case "auto":
    case "any":
      return { [type]: {} };
    case "tool":
      return { tool: { name } };
    default:
      return refuse("tool_choice", `\`tool_choice\` can't be \`${String(type)}\` at this model's upstream.`);
  }
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_JsonSchemaDefinition.html: the schema is text. */
function writeFormat(config: unknown): JsonObject | undefined {
  const format = isRecord(config) ? config["format"] : undefined;
  if (!isRecord(format)) return undefined;
  const jsonSchema = { schema: JSON.stringify(format["schema"]), name: "response" };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
