import {
  arrayOr,
  isAbsent,
  isObject,
  type Json,
  type JsonObject,
  objectOr,
  parseJson,
  stringOr,
} from "../../json.ts";
import type { Part, Prompt, ResponseFormat, Tool, ToolChoice, Turn } from "../../prompt.ts";
import { refuse } from "../../refusal.ts";
import { checkUser, mediaDigest, openaiNumber } from "../fields.ts";
import { checkStrictSchema } from "../strict-schema.ts";

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_STOPS = 4;
const MAX_CHOICES = 128;

/** Reads a chat completions request as the vendor does, refusing what it refuses. */
export function decodeRequest(body: JsonObject): Prompt {
  const model = body["model"];
  if (typeof model !== "string" || model === "") return refuse("you must provide a model parameter");
  const messages = decodeMessageList(body["messages"]);
  checkCallsAnswered(messages);
  checkSampling(body);
  checkUser(body);
  const tools = decodeTools(body["tools"]);
  return {
    protocol: "chat-completions",
    model,
    stream: decodeStream(body),
    tools,
    turns: messages.map(decodeMessage),
    toolChoice: decodeToolChoice(body["tool_choice"], tools),
    parallelTools: body["parallel_tool_calls"] !== false,
    maxTokens: decodeMaxTokens(body),
    stops: decodeStops(body["stop"]),
    count: openaiNumber(body, "n", { kind: "integer", min: 1, max: MAX_CHOICES }) ?? 1,
    thinking: { on: !isAbsent(body["reasoning_effort"]) && body["reasoning_effort"] !== "none", shown: true },
    format: decodeFormat(body["response_format"]),
    caching: "automatic",
    body,
  };
}

function decodeMessageList(value: Json | undefined): JsonObject[] {
  if (isAbsent(value)) {
    return refuse("Missing required parameter: 'messages'.", "messages", "missing_required_parameter");
  }
  if (!Array.isArray(value)) {
    return refuse("Invalid type for 'messages': expected an array of objects.", "messages", "invalid_type");
  }
  if (value.length === 0) {
    const expected = "Expected an array with minimum length 1, but got an empty array instead.";
    return refuse(`Invalid 'messages': empty array. ${expected}`, "messages", "empty_array");
  }
  return value.map((message, index) => {
    const param = `messages[${index}]`;
    if (!isObject(message))
      return refuse(`Invalid type for '${param}': expected an object.`, param, "invalid_type");
    if (!ROLES.has(stringOr(message["role"], ""))) {
      const expected =
        "Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.";
      return refuse(
        `Invalid value: '${String(message["role"])}'. ${expected}`,
        `${param}.role`,
        "invalid_value",
      );
    }
    if (isAbsent(message["content"]) && message["role"] !== "assistant") {
      return refuse(
        `Missing required parameter: '${param}.content'.`,
        `${param}.content`,
        "missing_required_parameter",
      );
    }
    return message;
  });
}

/** Tool results answer the calls just before them, and every call is answered. */
function checkCallsAnswered(messages: JsonObject[]): void {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "tool") {
      const id = stringOr(message["tool_call_id"], "");
      if (!open.delete(id)) {
        const rule = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
        refuse(`Invalid parameter: ${rule}`, `messages.[${index}].role`);
      }
      continue;
    }
    refuseUnanswered(open, index);
    open = new Set(arrayOr(message["tool_calls"]).map((call) => stringOr(objectOr(call)["id"], "")));
  }
  refuseUnanswered(open, messages.length);
}

function refuseUnanswered(open: ReadonlySet<string>, index: number): void {
  if (open.size === 0) return;
  const rule =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  const missing = `The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
  refuse(`${rule} ${missing}`, `messages.[${index}].role`);
}

function checkSampling(body: JsonObject): void {
  openaiNumber(body, "temperature", { kind: "decimal", min: 0, max: 2 });
  openaiNumber(body, "top_p", { kind: "decimal", min: 0, max: 1 });
  openaiNumber(body, "presence_penalty", { kind: "decimal", min: -2, max: 2 });
  openaiNumber(body, "frequency_penalty", { kind: "decimal", min: -2, max: 2 });
}

function decodeStream(body: JsonObject): boolean {
  const stream = body["stream"];
  if (!isAbsent(stream) && typeof stream !== "boolean") {
    return refuse("Invalid type for 'stream': expected a boolean.", "stream", "invalid_type");
  }
  if (stream !== true && !isAbsent(body["stream_options"])) {
    return refuse(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
    );
  }
  return stream === true;
}

function decodeMaxTokens(body: JsonObject): number | undefined {
  const old = openaiNumber(body, "max_tokens", { kind: "integer", min: 1 });
  const current = openaiNumber(body, "max_completion_tokens", { kind: "integer", min: 1 });
  if (old !== undefined && current !== undefined) {
    const reason = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    return refuse(reason, "max_tokens", "invalid_parameter_combination");
  }
  return current ?? old;
}

function decodeStops(value: Json | undefined): string[] {
  const stops = typeof value === "string" ? [value] : arrayOr(value);
  if (stops.length > MAX_STOPS) {
    const expected = `Expected an array with maximum length ${MAX_STOPS}, but got an array with length ${stops.length} instead.`;
    return refuse(`Invalid 'stop': array too long. ${expected}`, "stop", "array_above_max_length");
  }
  return stops.filter((stop) => typeof stop === "string" && stop !== "") as string[];
}

function decodeMessage(message: JsonObject): Turn {
  if (message["role"] === "tool") {
    const text = contentParts(message["content"]).map((part) => (part.kind === "text" ? part.text : ""));
    const id = stringOr(message["tool_call_id"], "");
    return { role: "user", parts: [{ kind: "result", id, name: "", text: text.join("\n") }] };
  }
  const role = message["role"] === "assistant" ? "assistant" : message["role"] === "user" ? "user" : "system";
  const calls = arrayOr(message["tool_calls"]).map(decodeCall);
  return { role, parts: [...contentParts(message["content"]), ...calls] };
}

function contentParts(content: Json | undefined): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return arrayOr(content).map((item) => {
    const part = objectOr(item);
    if (typeof part["text"] === "string") return { kind: "text", text: part["text"] };
    const media = [part["image_url"], part["input_audio"], part["file"]].map(objectOr);
    const named = media.flatMap((one) => [one["url"], one["data"], one["file_data"], one["file_id"]]);
    return { kind: "media", digest: mediaDigest(...named) };
  });
}

function decodeCall(value: Json): Part {
  const call = objectOr(value);
  const named = objectOr(call["function"]);
  const text = stringOr(named["arguments"], "{}");
  return {
    kind: "call",
    id: stringOr(call["id"], ""),
    name: stringOr(named["name"], ""),
    args: parseJson(text) ?? text,
  };
}

function decodeTools(value: Json | undefined): Tool[] {
  if (isAbsent(value)) return [];
  if (Array.isArray(value) && value.length === 0) {
    const expected = "Expected an array with minimum length 1, but got an empty array instead.";
    return refuse(`Invalid 'tools': empty array. ${expected}`, "tools", "empty_array");
  }
  return arrayOr(value).flatMap((item, index) => {
    const tool = objectOr(item);
    if (tool["type"] !== "function") return [];
    return [decodeFunction(objectOr(tool["function"]), `tools[${index}].function`)];
  });
}

function decodeFunction(named: JsonObject, param: string): Tool {
  const name = stringOr(named["name"], "");
  if (!TOOL_NAME.test(name)) {
    const expected =
      "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$' of at most 64 characters.";
    return refuse(
      `Invalid '${param}.name': string does not match pattern. ${expected}`,
      `${param}.name`,
      "invalid_value",
    );
  }
  const schema = objectOr(named["parameters"]);
  if (named["strict"] === true) checkStrictSchema(schema, `function '${name}'`, `${param}.parameters`);
  return { name, description: stringOr(named["description"], ""), schema };
}

function decodeToolChoice(value: Json | undefined, tools: Tool[]): ToolChoice {
  if (isAbsent(value)) return { kind: "auto" };
  if (tools.length === 0 && value !== "none") {
    const reason = "'tool_choice' is only allowed when 'tools' are specified.";
    return refuse(`Invalid value for 'tool_choice': ${reason}`, "tool_choice");
  }
  if (value === "auto" || value === "none" || value === "required") return { kind: value };
  const choice = objectOr(value);
  const allowed = objectOr(choice["allowed_tools"]);
  const wanted = choice["type"] === "allowed_tools" ? arrayOr(allowed["tools"]).map(objectOr) : [choice];
  const only = wanted.map((one) => stringOr(objectOr(one["function"])["name"], ""));
  const unknown = only.find((name) => tools.every((tool) => tool.name !== name));
  if (unknown !== undefined) {
    const reason = `no function named '${unknown}' was specified in the 'tools' parameter.`;
    return refuse(`Invalid value for 'tool_choice': ${reason}`, "tool_choice");
  }
  return { kind: allowed["mode"] === "auto" ? "auto" : "required", only };
}

function decodeFormat(value: Json | undefined): ResponseFormat {
  const format = objectOr(value);
  if (format["type"] === "json_object") return { kind: "json" };
  if (format["type"] !== "json_schema") return { kind: "text" };
  const named = objectOr(format["json_schema"]);
  const param = "response_format.json_schema";
  if (typeof named["name"] !== "string") {
    return refuse(
      `Missing required parameter: '${param}.name'.`,
      `${param}.name`,
      "missing_required_parameter",
    );
  }
  const schema = objectOr(named["schema"]);
  if (named["strict"] === true)
    checkStrictSchema(schema, `response_format '${named["name"]}'`, "response_format");
  return { kind: "schema", schema };
}
