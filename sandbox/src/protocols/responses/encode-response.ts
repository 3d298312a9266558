import type { Exchange } from "../../exchange.ts";
import { newHexId } from "../../ids.ts";
import { arrayOr, type JsonObject, objectOr } from "../../json.ts";
import type { Response, ToolCall } from "../../response.ts";
import { servedTier } from "../../service.ts";
import { ENCRYPTED_REASONING } from "./decode-items.ts";
import { conversationItems } from "./decode-request.ts";
import { encodeUsage } from "./usage.ts";

/** The plain response object; the response is kept unless `store` is false. */
export function encodeResponse(exchange: Exchange): JsonObject {
  const [response] = exchange.responses;
  const finished = finishedResponse(exchange, response === undefined ? [] : encodeItems(exchange, response));
  remember(exchange, finished);
  return finished;
}

export function remember({ id, prompt, store }: Exchange, response: JsonObject): void {
  if (prompt.body["store"] === false) return;
  store.put(id, { input: conversationItems(prompt.body, store), response });
}

/** The response object as it ends: completed, or incomplete when a limit cut it. */
export function finishedResponse(exchange: Exchange, output: JsonObject[]): JsonObject {
  const cut = exchange.responses[0]?.finish.kind === "length";
  return {
    ...responseObject(exchange, cut ? "incomplete" : "completed"),
    completed_at: cut ? null : exchange.createdSeconds,
    incomplete_details: cut ? { reason: "max_output_tokens" } : null,
    output,
    usage: encodeUsage(exchange),
  };
}

/** The full response object with nothing in it yet; it echoes what was asked. */
export function responseObject(exchange: Exchange, status: string): JsonObject {
  const { body, model } = exchange.prompt;
  const text = objectOr(body["text"]);
  const reasoning = objectOr(body["reasoning"]);
  return {
    id: exchange.id,
    object: "response",
    created_at: exchange.createdSeconds,
    status,
    background: false,
    completed_at: null,
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    max_tool_calls: null,
    model,
    output: [],
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    presence_penalty: 0,
    previous_response_id: body["previous_response_id"] ?? null,
    prompt_cache_key: body["prompt_cache_key"] ?? null,
    prompt_cache_retention: null,
    reasoning: { effort: reasoning["effort"] ?? null, summary: reasoning["summary"] ?? null },
    safety_identifier: null,
    service_tier: servedTier(exchange, "default"),
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: { format: text["format"] ?? { type: "text" }, verbosity: text["verbosity"] ?? "medium" },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: arrayOr(body["tools"]),
    top_logprobs: 0,
    top_p: body["top_p"] ?? 1,
    truncation: "disabled",
    usage: null,
    user: body["user"] ?? null,
    metadata: objectOr(body["metadata"]),
  };
}

/** The output items in order: reasoning, message, calls. Also what a stream's `done` events repeat. */
export function encodeItems(exchange: Exchange, response: Response): JsonObject[] {
  const items: JsonObject[] = [];
  if (response.thinking !== undefined) items.push(reasoningItem(exchange, response.thinking));
  if (response.text !== "" || response.calls.length === 0) items.push(messageItem(response));
  return [...items, ...response.calls.map(callItem)];
}

function reasoningItem(exchange: Exchange, thinking: string): JsonObject {
  const sealed = arrayOr(exchange.prompt.body["include"]).includes("reasoning.encrypted_content");
  return {
    id: newHexId("rs_", 50),
    type: "reasoning",
    summary: exchange.prompt.thinking.shown ? [{ type: "summary_text", text: thinking }] : [],
    encrypted_content: sealed ? exchange.mint.sign(ENCRYPTED_REASONING, "") : undefined,
  };
}

function messageItem(response: Response): JsonObject {
  return {
    id: newHexId("msg_", 50),
    type: "message",
    status: response.finish.kind === "length" ? "incomplete" : "completed",
    content: [{ type: "output_text", annotations: [], logprobs: [], text: response.text }],
    role: "assistant",
  };
}

function callItem(call: ToolCall): JsonObject {
  const status = call.complete ? "completed" : "incomplete";
  const call_id = `call_${call.id}`;
  if (call.freeform) {
    return {
      id: newHexId("ctc_", 50),
      type: "custom_tool_call",
      status,
      input: call.args,
      call_id,
      name: call.name,
    };
  }
  return {
    id: newHexId("fc_", 50),
    type: "function_call",
    status,
    arguments: call.args,
    call_id,
    name: call.name,
  };
}
