import type { Answer, ToolCall } from "../../answer.ts";
import type { Exchange } from "../../exchange.ts";
import { type Json, type JsonObject, objectOr, parseJson } from "../../json.ts";
import { encodeUsage } from "./usage.ts";

/** The kind under which thought signatures are minted; they bind no text, only their origin. */
export const THOUGHT_SIGNATURE = "generate-content.thought";

/** The plain GenerateContentResponse. */
export function encodeAnswer(exchange: Exchange): JsonObject {
  const candidates = exchange.answers.map((answer, index) => ({
    content: { parts: encodeParts(exchange, answer), role: "model" },
    ...encodeFinish(answer),
    index,
  }));
  const { outputVisible, outputReasoning } = exchange.usage;
  return {
    candidates,
    usageMetadata: encodeUsage(exchange, outputVisible, outputReasoning),
    modelVersion: exchange.prompt.model,
    responseId: exchange.id,
  };
}

/** Parts in order: thoughts where shown, text, whole calls. An empty answer has one empty text. */
function encodeParts(exchange: Exchange, answer: Answer): JsonObject[] {
  const parts: JsonObject[] = [];
  if (answer.thinking !== undefined && exchange.prompt.thinking.shown) {
    parts.push({ text: answer.thinking, thought: true });
  }
  if (answer.text !== "" || answer.calls.length === 0) parts.push({ text: answer.text });
  parts.push(...callParts(answer));
  signFirst(exchange, answer, parts);
  return parts;
}

/** Calls are never sent in halves: one that the token limit cut is left out. */
export function callParts(answer: Answer): JsonObject[] {
  return answer.calls.filter((call) => call.complete).map(encodeCall);
}

function encodeCall(call: ToolCall): JsonObject {
  return { functionCall: { name: call.name, args: objectOr(parseJson(call.args)), id: call.id } };
}

/** A model that thought signs the first call of the step, else its first text. */
export function signFirst(exchange: Exchange, answer: Answer, parts: JsonObject[]): void {
  if (answer.thinking === undefined) return;
  const isCall = (part: JsonObject): boolean => part["functionCall"] !== undefined;
  const target = parts.find(isCall) ?? parts.find((part) => part["thought"] !== true);
  if (target !== undefined) target["thoughtSignature"] = exchange.mint.sign(THOUGHT_SIGNATURE, "");
}

export function encodeFinish(answer: Answer): { [key: string]: Json } {
  if (answer.finish.kind === "length") return { finishReason: "MAX_TOKENS" };
  // Calls finish with STOP too: clients look at the parts.
  if (answer.finish.kind === "tools")
    return { finishReason: "STOP", finishMessage: "Model generated function call(s)." };
  return { finishReason: "STOP" };
}
