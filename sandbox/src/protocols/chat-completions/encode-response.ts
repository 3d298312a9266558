import type { Exchange } from "../../exchange.ts";
import type { JsonObject } from "../../json.ts";
import type { Response, ToolCall } from "../../response.ts";
import { servedTier } from "../../service.ts";
import { encodeUsage } from "./usage.ts";

/** The plain `chat.completion`. */
export function encodeResponse(exchange: Exchange): JsonObject {
  return {
    id: exchange.id,
    object: "chat.completion",
    created: exchange.createdSeconds,
    model: exchange.prompt.model,
    choices: exchange.responses.map((response, index) => ({
      index,
      message: encodeMessage(response),
      logprobs: null,
      finish_reason: encodeFinish(response),
    })),
    usage: encodeUsage(exchange),
    service_tier: servedTier(exchange, "default"),
    system_fingerprint: "fp_sandbox",
  };
}

function encodeMessage(response: Response): JsonObject {
  const silent = response.text === "" && response.calls.length > 0;
  return {
    role: "assistant",
    content: silent ? null : response.text,
    reasoning_content: response.thinking,
    tool_calls: response.calls.length === 0 ? undefined : response.calls.map(encodeCall),
    refusal: null,
    annotations: [],
  };
}

function encodeCall(call: ToolCall): JsonObject {
  return { id: callId(call), type: "function", function: { name: call.name, arguments: call.args } };
}

export function callId(call: ToolCall): string {
  return `call_${call.id}`;
}

export function encodeFinish(response: Response): string {
  switch (response.finish.kind) {
    case "length":
      return "length";
    case "tools":
      return "tool_calls";
    default:
      return "stop";
  }
}
