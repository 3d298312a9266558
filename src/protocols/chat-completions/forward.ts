import type { ForwardTable } from "../protocol.ts";
import { chatCompletionsReferences } from "./references.ts";

/** Where forwarding finds its facts in a chat completions body. */
export const chatCompletionsForward: ForwardTable = {
  modelInBody: true,
  fields: {
    model: ["string"],
    messages: ["array"],
    stream: ["boolean"],
    stream_options: ["object"],
    temperature: ["number"],
    top_p: ["number"],
    max_tokens: ["number"],
    max_completion_tokens: ["number"],
    reasoning_effort: ["string"],
    stop: ["string", "array"],
    n: ["number"],
    presence_penalty: ["number"],
    frequency_penalty: ["number"],
    seed: ["number"],
    tools: ["array"],
    tool_choice: ["string", "object"],
    parallel_tool_calls: ["boolean"],
    response_format: ["object"],
    user: ["string"],
  },
  required: ["messages"],
  maxItems: { stop: 4 },
  outputLimits: ["max_tokens", "max_completion_tokens"],
  ownLimit: { name: "max_completion_tokens" },
  references: chatCompletionsReferences,
  answerCounts: ["n"],
  opening: {
    system: [],
    role: "messages.role",
    texts: ["messages.content", "messages.content.text"],
  },
};
