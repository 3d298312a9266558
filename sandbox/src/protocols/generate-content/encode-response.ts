import type { Exchange } from "../../exchange.ts";
import { type Json, type JsonObject, objectOr, parseJson } from "../../json.ts";
import type { Response, ToolCall } from "../../response.ts";
import { encodeUsage } from "./usage.ts";

/** The kind under which thought signatures are minted; they bind no text, only their origin. */
export const THOUGHT_SIGNATURE = "generate-content.thought";

/** The plain GenerateContentResponse. */
export function encodeResponse(exchange: Exchange): JsonObject {
  const candidates = exchange.responses.map((response, index) => ({
    content: { parts: encodeParts(exchange, response), role: "model" },
    ...encodeFinish(response),
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

/** Parts in order: thoughts where shown, text, whole calls. An empty response has one empty text. */
function encodeParts(exchange: Exchange, response: Response): JsonObject[] {
  const parts: JsonObject[] = [];
  if (response.thinking !== undefined && exchange.prompt.thinking.shown) {
    parts.push({ text: response.thinking, thought: true });
  }
  if (response.text !== "" || response.calls.length === 0) parts.push({ text: response.text });
  parts.push(...callParts(response));
  signFirst(exchange, response, parts);
  return parts;
}

/** Calls are never sent in halves: one that the token limit cut is left out. */
export function callParts(response: Response): JsonObject[] {
  return response.calls.filter((call) => call.complete).map(encodeCall);
}

function encodeCall(call: ToolCall): JsonObject {
  return { functionCall: { name: call.name, args: objectOr(parseJson(call.args)), id: call.id } };
}

/** A model that thought signs the first call of the step, else its first text. */
export function signFirst(exchange: Exchange, response: Response, parts: JsonObject[]): void {
  if (response.thinking === undefined) return;
  const isCall = (part: JsonObject): boolean => part["functionCall"] !== undefined;
  const target = parts.find(isCall) ?? parts.find((part) => part["thought"] !== true);
  if (target !== undefined) target["thoughtSignature"] = exchange.mint.sign(THOUGHT_SIGNATURE, "");
}

export function encodeFinish(response: Response): { [key: string]: Json } {
  if (response.finish.kind === "length") return { finishReason: "MAX_TOKENS" };
  // Calls finish with STOP too: clients look at the parts.
  if (response.finish.kind === "tools")
    return { finishReason: "STOP", finishMessage: "Model generated function call(s)." };
  return { finishReason: "STOP" };
}
