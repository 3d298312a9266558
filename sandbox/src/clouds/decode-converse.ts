import { arrayOr, isAbsent, isObject, type Json, type JsonObject, objectOr } from "../json.ts";
import { refuse } from "../refusal.ts";

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_RequestBody */
const FIELDS = new Set(
  "messages system inferenceConfig toolConfig additionalModelRequestFields additionalModelResponseFieldPaths outputConfig performanceConfig requestMetadata serviceTier guardrailConfig promptVariables".split(
    " ",
  ),
);

/** Fields that a model of these families knows beside those of Converse. */
const ADDITIONAL: readonly [name: RegExp, fields: readonly string[]][] = [
  [/amazon\.nova-2/, ["inferenceConfig", "reasoningConfig"]],
  [/amazon\./, ["inferenceConfig"]],
  [/cohere\./, ["k"]],
  [/./, ["top_k"]],
];

const TOOL_ID = /^[a-zA-Z0-9_.:-]{1,64}$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DOCUMENT_NAME = /^[A-Za-z0-9\s()[\]-]{1,200}$/;
const REFUSED = "Malformed input request, please reformat your input and try again.";

/** A body of Converse as Claude's vendor would get it; throws Refusal where Bedrock takes it for none. */
export function decodeConverse(body: JsonObject, model: string, stream: boolean): JsonObject {
  const extra = Object.keys(body).find((name) => !FIELDS.has(name));
  if (extra !== undefined) refuse(`${extra}: extraneous key [${extra}] is not permitted`);
  const inference = objectOr(body["inferenceConfig"]);
  const additional = decodeAdditional(objectOr(body["additionalModelRequestFields"]), model);
  const turns = arrayOr(body["messages"]).map(decodeTurn);
  const calls = turns.some(({ content }) =>
    arrayOr(content as Json).some((block) => /^tool_/.test(String(objectOr(block)["type"]))),
  );
  const tools = decodeTools(body["toolConfig"]);
  if (calls && isAbsent(body["toolConfig"]))
    refuse("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  const format = objectOr(objectOr(body["outputConfig"])["textFormat"]);
  return {
    model,
    stream,
    max_tokens: inference["maxTokens"] ?? 4_096,
    messages: turns,
    ...(isAbsent(body["system"]) ? {} : { system: decodeBlocks(body["system"]) }),
    ...picked(inference, { temperature: "temperature", topP: "top_p", stopSequences: "stop_sequences" }),
    ...tools,
    ...additional,
    ...(isAbsent(format["type"]) ? {} : { output_config: { format: decodeFormat(format) } }),
  };
}

function picked(from: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const found = Object.entries(names).filter(([name]) => !isAbsent(from[name]));
  return Object.fromEntries(found.map(([name, as]) => [as, from[name] ?? null]));
}

function decodeAdditional(fields: JsonObject, model: string): JsonObject {
  const known = ADDITIONAL.find(([name]) => name.test(model))?.[1] ?? [];
  const extra = Object.keys(fields).find((name) => !known.includes(name));
  if (extra !== undefined)
    refuse(`The model returned the following errors: #: extraneous key [${extra}] is not permitted`);
  const reasoning = objectOr(fields["reasoningConfig"]);
  return reasoning["type"] === "enabled" ? { thinking: { type: "adaptive" } } : {};
}

function decodeTurn(value: Json): JsonObject {
  const { role, content } = objectOr(value);
  if (!Array.isArray(content)) return refuse(REFUSED);
  return { role: role ?? null, content: decodeBlocks(content) };
}

/** A cache point marks what stands before it. */
function decodeBlocks(value: Json | undefined): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const item of arrayOr(value)) {
    const block = objectOr(item);
    if (isObject(block["cachePoint"])) mark(blocks, block["cachePoint"]);
    else blocks.push(decodeBlock(block));
  }
  return blocks;
}

function mark(before: JsonObject[], point: JsonObject): void {
  const last = before.pop();
  if (last === undefined || point["type"] !== "default") refuse("cachePoint: nothing stands before it");
  const ttl = isAbsent(point["ttl"]) ? {} : { ttl: point["ttl"] };
  before.push({ ...last, cache_control: { type: "ephemeral", ...ttl } });
}

function decodeBlock(block: JsonObject): JsonObject {
  const names = Object.keys(block);
  const [name = ""] = names;
  if (names.length !== 1) refuse("A content block must have exactly one member set.");
  const value = block[name];
  const inner = objectOr(value);
  switch (name) {
    case "text":
      return value === ""
        ? refuse("The text field in the ContentBlock object is blank.")
        : { type: "text", text: value ?? "" };
    case "image":
      return decodeMedia("image", inner, `image/${String(inner["format"])}`);
    case "document":
      return decodeDocument(inner);
    case "toolUse":
      checkCall(inner);
      return {
        type: "tool_use",
        id: inner["toolUseId"] ?? "",
        name: inner["name"] ?? "",
        input: inner["input"] ?? {},
      };
    case "toolResult":
      checkCall(inner);
      return {
        type: "tool_result",
        tool_use_id: inner["toolUseId"] ?? "",
        content: decodeBlocks(inner["content"]),
        is_error: inner["status"] === "error",
      };
    case "reasoningContent": {
      const shown = objectOr(inner["reasoningText"]);
      if (!isAbsent(inner["redactedContent"]))
        return { type: "redacted_thinking", data: inner["redactedContent"] ?? "" };
      return { type: "thinking", thinking: shown["text"] ?? "", signature: shown["signature"] ?? "" };
    }
    default:
      return refuse(REFUSED);
  }
}

function checkCall(call: JsonObject): void {
  if (!TOOL_ID.test(String(call["toolUseId"])))
    refuse("toolUseId: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+");
}

function decodeMedia(type: string, { source }: JsonObject, mediaType: string): JsonObject {
  const bytes = objectOr(source)["bytes"];
  if (typeof bytes !== "string") return refuse(REFUSED);
  return { type, source: { type: "base64", media_type: mediaType, data: bytes } };
}

function decodeDocument(document: JsonObject): JsonObject {
  if (!DOCUMENT_NAME.test(String(document["name"])))
    refuse(
      "The document file name can only contain alphanumeric characters, whitespace, hyphens and brackets.",
    );
  if (document["format"] !== "txt") return decodeMedia("document", document, "application/pdf");
  const bytes = String(objectOr(document["source"])["bytes"]);
  const data = Buffer.from(bytes, "base64").toString("utf8");
  return { type: "document", source: { type: "text", media_type: "text/plain", data } };
}

function decodeTools(value: Json | undefined): JsonObject {
  if (isAbsent(value)) return {};
  const config = objectOr(value);
  const tools: JsonObject[] = [];
  for (const item of arrayOr(config["tools"])) {
    const { toolSpec, cachePoint } = objectOr(item);
    if (isObject(cachePoint)) mark(tools, cachePoint);
    else tools.push(decodeTool(objectOr(toolSpec)));
  }
  if (tools.length === 0) refuse("toolConfig.tools: Member must have length greater than or equal to 1");
  const choice = objectOr(config["toolChoice"]);
  const [kind] = Object.keys(choice);
  if (kind === undefined) return { tools };
  if (!["auto", "any", "tool"].includes(kind)) refuse(REFUSED);
  return { tools, tool_choice: { type: kind, ...objectOr(choice[kind]) } };
}

function decodeTool({ name, description, inputSchema }: JsonObject): JsonObject {
  if (!TOOL_NAME.test(String(name))) refuse("toolSpec.name: Member must satisfy pattern: [a-zA-Z0-9_-]+");
  return {
    name: name ?? "",
    ...(isAbsent(description) ? {} : { description }),
    input_schema: objectOr(inputSchema)["json"] ?? null,
  };
}

function decodeFormat(format: JsonObject): JsonObject {
  const { schema } = objectOr(objectOr(format["structure"])["jsonSchema"]);
  if (typeof schema !== "string") return refuse(REFUSED);
  return { type: "json_schema", schema: JSON.parse(schema) as Json };
}
