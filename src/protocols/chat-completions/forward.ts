import { entries, generatingHold, hostedTool, imageUrl, reference, serviceField } from "../body-features.ts";
import { searchSizes } from "../call-sizes.ts";
import type { RequestFields } from "../fields.ts";
import { type ForwardTable, gatewayFallbacks, ROUTED_MODELS } from "../protocol.ts";
import { pluginList, typedTools } from "../tool-features.ts";
import { chatCompletionsReferences } from "./references.ts";

/** Asks for no check: https://ai.google.dev/gemini-api/docs/thought-signatures */
const UNCHECKED = { replacement: "skip_thought_signature_validator" };

/** Top-level fields of a request. */
export const chatCompletionsFields = {
  listed: {
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
  decoded: [
    "function_call",
    "functions",
    "modalities",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "thinking",
    "top_k",
    "verbosity",
  ],
  meaning: ["audio"],
  passed: [],
} as const satisfies RequestFields;

/** The parts of a chat completions body that forwarding reads. */
export const chatCompletionsForward: ForwardTable = {
  modelInBody: true,
  fields: chatCompletionsFields.listed,
  required: [],
  content: { field: "messages", alternatives: [] },
  maxItems: { stop: 4 },
  watched: [
    "stream_options.include_usage",
    "stream_options.continuous_usage_stats",
    "messages.reasoning",
    "messages.reasoning_content",
  ],
  unserved: {
    "fallbacks.n": "A fallback can't have an `n` of its own. Set the `n` of the request.",
  },
  additionalModels: [...gatewayFallbacks(["max_tokens", "max_completion_tokens"]), ROUTED_MODELS],
  outputLimits: ["max_tokens", "max_completion_tokens"],
  ownLimit: { name: "max_completion_tokens", byQuirk: true },
  keepAliveFrame: ": keep-alive\n\n",
  clientsAcceptComments: true,
  streamsArrays: false,
  wordsHoldThoughts: true,
  references: chatCompletionsReferences,
  endUser: ["user", "safety_identifier"],
  responseCounts: ["n"],
  hold: generatingHold(
    [
      ...entries(reference, ["messages.audio.id"]),
      // These paths come on top of the general rule for such values: here an image is an image.
      ...entries(imageUrl, ["messages.content.image_url", "messages.content.image_url.url"]),
      ...typedTools([{ path: "tools[]" }]),
      ...pluginList,
      ...entries(serviceField("tier"), ["fallbacks.service_tier"]),
      ...entries(hostedTool, ["web_search_options", "search_parameters", "enable_search"]),
    ],
    {
      callSizes: [
        ...searchSizes([{ path: "tools[]" }]),
        // https://developers.openai.com/api/docs/guides/tools-web-search, https://docs.perplexity.ai/docs/getting-started/pricing
        { path: "web_search_options.search_context_size", tool: "web_search" },
      ],
      uncounted: true,
      toolUse: { choice: "tool_choice", beside: ["parallel_tool_calls"] },
    },
  ),
  opening: {
    system: [],
    role: "messages.role",
    texts: ["messages.content", "messages.content.text"],
  },
  state: {
    // Chats have their slot from the native protocol.
    inBase64: true,
    rows: [
      // https://ai.google.dev/gemini-api/docs/openai
      { path: "messages[].tool_calls[].extra_content.google.thought_signature", removes: UNCHECKED },
      { path: "messages[].extra_content.google.thought_signature", removes: UNCHECKED },
      // https://openrouter.ai/docs/use-cases/reasoning-tokens
      { path: "messages[].reasoning_details[].signature", removes: "object" },
      { path: "messages[].reasoning_details[].data", removes: "object" },
      // https://docs.litellm.ai/docs/reasoning_content
      { path: "messages[].thinking_blocks[].signature", removes: "object" },
      { path: "messages[].thinking_blocks[].data", removes: "object" },
    ],
  },
};
