import type { DecodeContext } from "../../exchange.ts";
import {
  arrayOr,
  canonical,
  isAbsent,
  isObject,
  type Json,
  type JsonObject,
  objectOr,
  stringOr,
} from "../../json.ts";
import type { Part, Turn } from "../../prompt.ts";
import { refuse } from "../../refusal.ts";
import { mediaDigest } from "../fields.ts";
import { cacheMark } from "./cache-marks.ts";
import { THINKING_SIGNATURE } from "./encode-response.ts";

const TOOL_ID = /^[a-zA-Z0-9_-]+$/;

export function decodeSystem(value: Json | undefined): Turn[] {
  if (isAbsent(value) || value === "") return [];
  if (typeof value === "string") return [{ role: "system", parts: [{ kind: "text", text: value }] }];
  if (!Array.isArray(value)) return refuse("system: Input should be a valid string");
  const parts = value.map((block, index) => decodeText(objectOr(block), `system.${index}`));
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

/** The conversation as neutral turns, refused where the vendor refuses. */
export function decodeMessages(value: Json | undefined, context: DecodeContext): Turn[] {
  if (!Array.isArray(value)) return refuse("messages: Input should be a valid array");
  if (value.length === 0) return refuse("messages: at least one message is required");
  const turns = value.map((message, index) => decodeMessage(objectOr(message), index, value.length, context));
  if (turns[0]?.role !== "user") refuse('messages: first message must use the "user" role');
  checkPairs(turns);
  return turns;
}

function decodeMessage(message: JsonObject, index: number, total: number, context: DecodeContext): Turn {
  const role = message["role"];
  // Newer models of this vendor take instructions in mid-conversation (a beta that Claude Code asks for).
  const later = role === "system" && index > 0;
  if (role !== "user" && role !== "assistant" && !later) {
    const known = role === "system" ? " The system prompt goes into the top-level `system` field." : "";
    return refuse(`messages.${index}.role: Input should be 'user' or 'assistant'.${known}`);
  }
  const content = message["content"];
  if (isAbsent(content)) return refuse(`messages.${index}.content: Field required`);
  const final = role === "assistant" && index === total - 1;
  const empty = content === "" || (Array.isArray(content) && content.length === 0);
  if (empty && !final) {
    return refuse(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  if (final && typeof content === "string" && content !== content.trimEnd()) {
    return refuse("messages: final assistant content cannot end with trailing whitespace");
  }
  if (typeof content === "string")
    return { role, parts: content === "" ? [] : [{ kind: "text", text: content }] };
  const parts = arrayOr(content).map((block, at) => {
    const path = `messages.${index}.content.${at}`;
    if (!isObject(block)) return refuse(`${path}: Input should be a valid dictionary`);
    return decodeBlock(block, path, context);
  });
  return { role, parts };
}

function decodeBlock(block: JsonObject, path: string, context: DecodeContext): Part {
  switch (block["type"]) {
    case "text":
      return decodeText(block, path);
    case "thinking":
      return decodeThinking(block, path, context);
    case "redacted_thinking":
      return { kind: "thinking", text: "" };
    case "tool_use":
      return {
        kind: "call",
        id: toolId(block["id"], `${path}.tool_use.id`),
        name: stringOr(block["name"], ""),
        args: isObject(block["input"])
          ? block["input"]
          : refuse(`${path}.tool_use.input: Input should be a valid dictionary`),
        ...cacheMark(block),
      };
    case "tool_result":
      return {
        kind: "result",
        id: toolId(block["tool_use_id"], `${path}.tool_result.tool_use_id`),
        name: "",
        text: resultText(block["content"]),
        ...cacheMark(block),
      };
    case "image":
    case "document": {
      const source = objectOr(block["source"]);
      if (isAbsent(source["type"])) return refuse(`${path}.${block["type"]}.source: Field required`);
      return {
        kind: "media",
        digest: mediaDigest(source["url"], source["data"], source["file_id"]),
        ...cacheMark(block),
      };
    }
    case undefined:
      return refuse(`${path}.type: Field required`);
    default:
      // Blocks of hosted tools and of later versions count as what they say.
      return { kind: "text", text: canonical(block), ...cacheMark(block) };
  }
}

function decodeText(block: JsonObject, path: string): Part {
  const text = block["text"];
  if (typeof text !== "string") return refuse(`${path}.text.text: Field required`);
  if (text === "") {
    return refuse(
      block["cache_control"]
        ? "cache_control cannot be set for empty text blocks"
        : `${path}: text content blocks must be non-empty`,
    );
  }
  return { kind: "text", text, ...cacheMark(block) };
}

function decodeThinking(block: JsonObject, path: string, context: DecodeContext): Part {
  const text = stringOr(block["thinking"], "");
  const signature = block["signature"];
  if (typeof signature !== "string") return refuse(`${path}.thinking.signature: Field required`);
  if (!context.mint.verify(THINKING_SIGNATURE, text, signature)) {
    return refuse(`${path}: Invalid \`signature\` in \`thinking\` block`);
  }
  return { kind: "thinking", text };
}

function toolId(value: Json | undefined, path: string): string {
  if (typeof value !== "string") return refuse(`${path}: Field required`);
  return TOOL_ID.test(value) ? value : refuse(`${path}: String should match pattern '^[a-zA-Z0-9_-]+$'`);
}

function resultText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  return arrayOr(content)
    .map((block) => stringOr(objectOr(block)["text"], ""))
    .join("\n");
}

/** Results come in the very next user turn, one for each call and none besides. */
function checkPairs(turns: Turn[]): void {
  const merged = mergeRoles(turns);
  for (const [index, { turn, at }] of merged.entries()) {
    const open = new Set(turn.parts.flatMap((part) => (part.kind === "call" ? [part.id] : [])));
    const next = merged[index + 1]?.turn;
    const answered = new Set(next?.parts.flatMap((part) => (part.kind === "result" ? [part.id] : [])) ?? []);
    // A result behind other content does not count: results come first.
    const missing = [...open].filter((id) => !answered.has(id) || !resultsFirst(next));
    if (missing.length > 0) {
      refuse(
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. ` +
          "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
      );
    }
    checkResults(merged[index - 1]?.turn, turn, at);
  }
}

function resultsFirst(turn: Turn | undefined): boolean {
  const kinds = turn?.parts.map((part) => part.kind) ?? [];
  return kinds.lastIndexOf("result") < kinds.filter((kind) => kind === "result").length;
}

function checkResults(previous: Turn | undefined, turn: Turn, at: number): void {
  const calls = new Set(previous?.parts.flatMap((part) => (part.kind === "call" ? [part.id] : [])) ?? []);
  for (const [position, part] of turn.parts.entries()) {
    if (part.kind !== "result" || calls.has(part.id)) continue;
    refuse(
      `messages.${at}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${part.id}. ` +
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    );
  }
}

/** Consecutive turns of one role count as one, as the vendor has it since 2024. */
function mergeRoles(turns: Turn[]): { turn: Turn; at: number }[] {
  const merged: { turn: Turn; at: number }[] = [];
  for (const [at, turn] of turns.entries()) {
    const last = merged.at(-1);
    if (last?.turn.role === turn.role)
      last.turn = { role: turn.role, parts: [...last.turn.parts, ...turn.parts] };
    else merged.push({ turn, at });
  }
  return merged;
}
