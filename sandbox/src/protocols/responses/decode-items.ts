import type { DecodeContext } from "../../exchange.ts";
import { arrayOr, isAbsent, type Json, type JsonObject, objectOr, parseJson, stringOr } from "../../json.ts";
import type { Part, Turn } from "../../prompt.ts";
import { refuse } from "../../refusal.ts";
import { mediaDigest } from "../fields.ts";

/** The kind under which encrypted reasoning is minted; it binds no text, only its origin. */
export const ENCRYPTED_REASONING = "responses.encrypted_content";
const MAX_CALL_ID_LENGTH = 64;

const INPUT_CONTENT = new Set(["input_text", "input_image", "input_file", "input_audio"]);
const OUTPUT_CONTENT = new Set(["output_text", "refusal"]);
const CALLS = new Set(["function_call", "custom_tool_call"]);
const RESULTS = new Set(["function_call_output", "custom_tool_call_output"]);

/** Items of a conversation as neutral turns, one an item, refused where the vendor refuses. */
export function decodeItems(items: JsonObject[], context: DecodeContext): Turn[] {
  const resolved = items.map((item, index) => resolveReference(item, index, context));
  checkPairs(resolved);
  return resolved.map((item, index) => decodeItem(item, index, resolved, context));
}

function resolveReference(item: JsonObject, index: number, context: DecodeContext): JsonObject {
  if (item["type"] !== "item_reference") return item;
  const id = stringOr(item["id"], "");
  return context.store.item(id) ?? refuse(`Item with id '${id}' not found.`, `input[${index}].id`);
}

/** Every result has its call and every call its result. */
function checkPairs(items: JsonObject[]): void {
  const calls = new Set<string>();
  for (const [index, item] of items.entries()) {
    const type = stringOr(item["type"], "");
    if (!CALLS.has(type) && !RESULTS.has(type)) continue;
    const id = stringOr(item["call_id"], "");
    if (id.length > MAX_CALL_ID_LENGTH) {
      const expected = `Expected a string with maximum length ${MAX_CALL_ID_LENGTH}, but got a string with length ${id.length} instead.`;
      const param = `input[${index}].call_id`;
      refuse(`Invalid '${param}': string too long. ${expected}`, param, "string_above_max_length");
    }
    if (CALLS.has(type)) calls.add(id);
    else if (!calls.has(id))
      refuse(`No tool call found for function call output with call_id ${id}.`, "input");
  }
  const answered = new Set(
    items.filter((item) => RESULTS.has(stringOr(item["type"], ""))).map((item) => item["call_id"]),
  );
  for (const id of calls)
    if (!answered.has(id)) refuse(`No tool output found for function call ${id}.`, "input");
}

function decodeItem(item: JsonObject, index: number, items: JsonObject[], context: DecodeContext): Turn {
  const type = stringOr(item["type"], "message");
  if (type === "message") return decodeMessage(item, index);
  if (CALLS.has(type)) {
    const text = stringOr(item["arguments"] ?? item["input"], "{}");
    const args = type === "function_call" ? (parseJson(text) ?? text) : text;
    const id = stringOr(item["call_id"], "");
    return { role: "assistant", parts: [{ kind: "call", id, name: stringOr(item["name"], ""), args }] };
  }
  if (RESULTS.has(type)) {
    const id = stringOr(item["call_id"], "");
    return { role: "user", parts: [{ kind: "result", id, name: "", text: outputText(item["output"]) }] };
  }
  if (type === "reasoning") return decodeReasoning(item, index, items, context);
  // Items of hosted tools and of later versions say nothing here.
  return { role: "assistant", parts: [] };
}

function outputText(output: Json | undefined): string {
  if (typeof output === "string") return output;
  return arrayOr(output)
    .map((part) => stringOr(objectOr(part)["text"], ""))
    .join("\n");
}

function decodeMessage(item: JsonObject, index: number): Turn {
  const given = stringOr(item["role"], "");
  if (!["system", "developer", "user", "assistant"].includes(given)) {
    const expected = "Supported values are: 'assistant', 'system', 'developer', and 'user'.";
    return refuse(`Invalid value: '${given}'. ${expected}`, `input[${index}].role`, "invalid_value");
  }
  const role = given === "assistant" || given === "user" ? given : "system";
  const content = item["content"];
  if (isAbsent(content)) {
    const param = `input[${index}].content`;
    return refuse(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
  }
  if (typeof content === "string")
    return { role, parts: content === "" ? [] : [{ kind: "text", text: content }] };
  const allowed = role === "assistant" ? OUTPUT_CONTENT : INPUT_CONTENT;
  return {
    role,
    parts: arrayOr(content).map((part, at) =>
      decodeContent(objectOr(part), allowed, `input[${index}].content[${at}]`),
    ),
  };
}

function decodeContent(part: JsonObject, allowed: ReadonlySet<string>, param: string): Part {
  const type = stringOr(part["type"], "");
  if (!allowed.has(type)) {
    const expected = `Supported values are: ${[...allowed].map((name) => `'${name}'`).join(", ")}.`;
    return refuse(`Invalid value: '${type}'. ${expected}`, `${param}.type`, "invalid_value");
  }
  if (type.endsWith("text")) return { kind: "text", text: stringOr(part["text"], "") };
  if (type === "refusal") return { kind: "text", text: stringOr(part["refusal"], "") };
  return {
    kind: "media",
    digest: mediaDigest(part["image_url"], part["file_data"], part["file_url"], part["file_id"]),
  };
}

function decodeReasoning(item: JsonObject, index: number, items: JsonObject[], context: DecodeContext): Turn {
  const next = stringOr(items[index + 1]?.["type"], "message");
  const follows = index + 1 < items.length && items[index + 1]?.["role"] !== "user";
  if (!follows || RESULTS.has(next)) {
    const id = stringOr(item["id"], "");
    refuse(`Item '${id}' of type 'reasoning' was provided without its required following item.`, "input");
  }
  const sealed = item["encrypted_content"];
  if (typeof sealed === "string" && !context.mint.verify(ENCRYPTED_REASONING, "", sealed)) {
    const reason = "Reason: Encrypted content could not be decrypted or parsed.";
    const shown = `${sealed.slice(0, 4)}...${sealed.slice(-4)}`;
    refuse(
      `The encrypted content ${shown} could not be verified. ${reason}`,
      undefined,
      "invalid_encrypted_content",
    );
  }
  const text = arrayOr(item["summary"]).map((part) => stringOr(objectOr(part)["text"], ""));
  return { role: "assistant", parts: [{ kind: "thinking", text: text.join("\n") }] };
}
