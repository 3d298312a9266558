import { describe, expect, it } from "vitest";
import { TEXT_PROTOCOLS } from "../../../test/support/text-caller.ts";
import { PROTOCOLS } from "../table.ts";

/** Each vendor's own words, in a body of its own form. */
const TOO_LONG: readonly (readonly [vendor: string, status: number, body: object])[] = [
  [
    "OpenAI",
    400,
    said("This model's maximum context length is 1000 tokens. Your messages have 1200 tokens."),
  ],
  ["OpenAI's responses", 400, said("Your input exceeds the context window of this model. Please adjust it.")],
  ["OpenAI by its code", 400, { error: { message: "No.", code: "context_length_exceeded" } }],
  ["Azure", 400, said("This model's maximum context length is 1000 tokens, please reduce the prompt.")],
  ["Groq", 400, said("Please reduce the length of the messages or completion.")],
  [
    "Anthropic",
    400,
    { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 9 > 5" } },
  ],
  ["Anthropic with its output", 400, said("input length and `max_tokens` exceed context limit: 9 + 2 > 10")],
  [
    "Gemini",
    400,
    {
      error: {
        code: 400,
        message: "The input token count (90) exceeds the maximum number of tokens allowed (5).",
        status: "INVALID_ARGUMENT",
      },
    },
  ],
  [
    "DeepSeek",
    400,
    said("This model's maximum context length is 65 tokens. However, you requested 90 tokens."),
  ],
  [
    "xAI",
    400,
    {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 13 but the request contains 14 tokens.",
    },
  ],
  [
    "OpenRouter",
    400,
    said("This endpoint's maximum context length is 16 tokens. However, you requested about 90 tokens."),
  ],
  ["Perplexity", 400, said("The prompt exceeds the model's context length of 12 tokens.")],
  [
    "Mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 65 tokens, too large for model with 32 maximum context length",
      type: "invalid_request_error",
    },
  ],
  ["Bedrock", 400, { message: "Input is too long for requested model." }],
  ["Ollama", 400, { error: "the input length exceeds the context length" }],
  ["Ollama", 400, { error: "prompt too long; exceeded max context length by 10 tokens" }],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    },
  ],
  [
    "vLLM",
    400,
    {
      object: "error",
      message: "The decoder prompt (length 90) is longer than the maximum model length of 10.",
    },
  ],
  [
    "TGI",
    422,
    {
      error: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 10. Given: 9 and 5",
      error_type: "validation",
    },
  ],
  [
    "LM Studio",
    400,
    { error: "The number of tokens to keep from the initial prompt is greater than the context length" },
  ],
  ["DashScope", 400, { code: "InvalidParameter", message: "Range of input length should be [1, 10]" }],
  ["Zhipu", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }],
  ["Moonshot", 400, said("Invalid request: Your request exceeded model token limit: 8")],
  ["MiniMax", 400, said("invalid params, context window exceeds limit")],
  ["Cohere", 400, { message: "too many tokens: size limit exceeded by 9 tokens." }],
];

const NOT_TOO_LONG: readonly (readonly [status: number, body: object])[] = [
  [400, said("max_tokens is too large: 90. This model supports at most 5 completion tokens.")],
  [400, said("Invalid 'tools[0].name': string too long. Expected a string with maximum length 64.")],
  [413, said("Request too large for model `m` on tokens per minute (TPM): Limit 6, Requested 9.")],
  [429, said("Too many tokens, please wait before trying again.")],
  [400, said("Could not finish the message because the model output limit was reached.")],
];

const UNKNOWN: readonly (readonly [vendor: string, status: number, body: object])[] = [
  [
    "OpenAI",
    404,
    {
      error: {
        code: "model_not_found",
        message: "The model `m` does not exist or you have no access to it.",
      },
    },
  ],
  [
    "OpenAI as a 400",
    400,
    { error: { code: "model_not_found", message: "The requested model 'm' does not exist." } },
  ],
  ["DeepSeek", 400, said("Model Not Exist")],
  ["Mistral", 400, { object: "error", message: "Invalid model: m", type: "invalid_model", code: "1500" }],
  [
    "Perplexity",
    400,
    {
      error: {
        message: "Invalid model 'm'. Permitted models can be found in the documentation",
        type: "invalid_model",
      },
    },
  ],
  ["OpenRouter", 400, said("m is not a valid model ID")],
  ["Bedrock", 400, { message: "The provided model identifier is invalid." }],
  [
    "Groq",
    400,
    { error: { code: "model_decommissioned", message: "The model `m` has been decommissioned." } },
  ],
  ["Ollama", 404, { error: 'model "m" not found, try pulling it first' }],
  [
    "Gemini",
    404,
    { error: { code: 404, message: "models/m is not found for API version v1beta", status: "NOT_FOUND" } },
  ],
  [
    "Gemini, of a name that no model can have",
    400,
    {
      error: {
        code: 400,
        message: "* GenerateContentRequest.model: unexpected model name format\n",
        status: "INVALID_ARGUMENT",
      },
    },
  ],
  ["Anthropic", 404, { type: "error", error: { type: "not_found_error", message: "model: m" } }],
];

function said(message: string): object {
  return { error: { message } };
}

function read(status: number, body: object) {
  return PROTOCOLS["chat-completions"].decodeError(status, {}, Buffer.from(JSON.stringify(body)));
}

describe("a prompt beyond the model's context", () => {
  it.each(TOO_LONG)("is one code for all callers, as %s says it", (_, status, body) => {
    const error = read(status, body);
    expect(error).toMatchObject({ fault: "caller", code: "context_length_exceeded" });
    for (const protocol of TEXT_PROTOCOLS) {
      const told = JSON.parse(PROTOCOLS[protocol].encodeError(error, "r")).error;
      expect([told.code, told.reason], protocol).toContain("context_length_exceeded");
      // Clients of messages look at the words.
      if (protocol === "messages") expect(told.message).toMatch(/prompt is too long|exceed context limit/);
    }
  });

  it.each(NOT_TOO_LONG)("is not what other refusals of something large mean (%i, %o)", (status, body) => {
    expect(read(status, body).code).not.toBe("context_length_exceeded");
  });
});

describe("a model that the vendor does not know", () => {
  it.each(UNKNOWN)(
    "is a fault of ours, so that another candidate is asked, as %s says it",
    (_, status, body) => {
      expect(read(status, body).fault).toBe("account");
    },
  );
});
