import type { Answer, ToolCall } from "../../answer.ts";
import type { Exchange } from "../../exchange.ts";
import type { JsonObject } from "../../json.ts";
import { encodeUsage } from "./usage.ts";

/** The plain `chat.completion`. */
export function encodeAnswer(exchange: Exchange): JsonObject {
  return {
    id: exchange.id,
    object: "chat.completion",
    created: exchange.createdSeconds,
    model: exchange.prompt.model,
    choices: exchange.answers.map((answer, index) => ({
      index,
      message: encodeMessage(answer),
      logprobs: null,
      finish_reason: encodeFinish(answer),
    })),
    usage: encodeUsage(exchange),
    service_tier: "default",
    system_fingerprint: "fp_sandbox",
  };
}

function encodeMessage(answer: Answer): JsonObject {
  const silent = answer.text === "" && answer.calls.length > 0;
  return {
    role: "assistant",
    content: silent ? null : answer.text,
    reasoning_content: answer.thinking,
    tool_calls: answer.calls.length === 0 ? undefined : answer.calls.map(encodeCall),
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

export function encodeFinish(answer: Answer): string {
  switch (answer.finish.kind) {
    case "length":
      return "length";
    case "tools":
      return "tool_calls";
    default:
      return "stop";
  }
}
