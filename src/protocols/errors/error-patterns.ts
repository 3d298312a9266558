import type { ErrorWords } from "./error-body.ts";

/**
 * Vendors' words for a prompt that is longer than the model's context. Clients act on one code for it
 * (`context_length_exceeded`: they compact the conversation), which only some of the vendors send. Each vendor, and
 * each server that many vendors run, has one row; the words are of its codes and messages alike.
 */
const TOO_LONG: readonly (readonly [vendor: string, words: RegExp])[] = [
  [
    "OpenAI, Azure and Groq",
    /context_length_exceeded|maximum (?:context|prompt) length|reduce the length of/i,
  ],
  [
    "OpenAI's responses",
    /exceeds? (?:the |this |your |model |model's |available )*context (?:window|limit|size|length)/i,
  ],
  ["Anthropic", /prompt is too long|exceeds? context limit|model_context_window_exceeded/i],
  ["Gemini", /input token count.{0,60}exceeds|context window exceeds/i],
  ["Bedrock", /input is too long for|too many (?:input|total text) tokens|input length.{0,40}exceeds/i],
  ["Ollama", /input length exceeds|exceed(?:s|ed)? (?:the )?(?:max(?:imum)? )?context length/i],
  ["llama.cpp", /exceed_context_size|exceeds the available context size|larger than the context size/i],
  [
    "vLLM and TGI",
    /maximum model length|inputs? tokens \+ max_new_tokens|inputs? must have less than \d+ tokens/i,
  ],
  ["LM Studio", /greater than the context length|context (?:length|window|size) (?:exceeded|overflow)/i],
  ["Mistral", /too large for model with \d+ maximum context|maximum context of \d+/i],
  ["DashScope", /range of input length|input length should be/i],
  ["Zhipu", /prompt exceeds max length/i],
  ["Moonshot", /exceeded model token limit/i],
  ["MiniMax", /context window exceeds limit/i],
  ["Cohere", /total number of tokens.{0,80}cannot exceed|too many tokens: /i],
  [
    "Fireworks and Together",
    /tokens? \+ `?max_new_tokens`? must be <=|prompt is too long: \d+, model maximum/i,
  ],
];

/** True if the prompt is longer than the model's context. */
export function isTooLong({ code, type, message }: ErrorWords): boolean {
  const said = `${code} ${type} ${message}`;
  return TOO_LONG.some(([, words]) => words.test(said));
}

/** Vendors' words for a model that they do not know, under a status of their own choosing. */
const UNKNOWN_MODEL: readonly (readonly [vendor: string, words: RegExp])[] = [
  ["OpenAI, Groq and Cerebras", /model[_ ]?not[_ ]?found|\bmodels?\b.{0,80}(?:does not exist|no access)/i],
  ["Gemini and Ollama", /\bmodels?\b.{0,80}not found/i],
  ["Gemini, of a name that no model can have", /\bmodel: unexpected model name format/i],
  ["DeepSeek", /\bmodels?\b.{0,80}not exist\b/i],
  ["Mistral and Perplexity", /(?:unknown|invalid)[_ ]model\b/i],
  ["OpenRouter", /is not a valid model/i],
  ["Azure", /DeploymentNotFound/i],
  ["Bedrock", /model identifier is invalid|with on-demand throughput isn|isn't supported on this route/i],
  ["Groq and Cerebras, of models that are gone", /model_decommissioned|model_deprecated/i],
  ["Hugging Face", /model_not_supported/i],
  ["Moonshot", /not found the model/i],
];

/** True if our name for the model is unknown to the vendor: a fault of the catalog, whatever the status. */
export function isUnknownModel(said: string): boolean {
  return UNKNOWN_MODEL.some(([, words]) => words.test(said));
}
