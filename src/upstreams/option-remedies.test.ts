import { describe, expect, it } from "vitest";
import { optionRemedy } from "./option-remedies.ts";

describe("a refusal of a vendor that an option would cure", () => {
  it.each([
    // https://github.com/thingsboard/thingsboard/issues/15256
    [
      "Unsupported parameter: 'logit_bias' is not supported with this model.",
      "body: { remove: [logit_bias] }",
    ],
    ["Unsupported parameter: prompt_cache_retention", "body: { remove: [prompt_cache_retention] }"],
    ["Unknown parameter: 'store'.", "body: { remove: [store] }"],
    // https://github.com/nashsu/llm_wiki/issues/336
    ["Unrecognized request argument supplied: thinking", "body: { remove: [thinking] }"],
    ["context_management: Extra inputs are not permitted", "body: { remove: [context_management] }"],
    [
      'Invalid JSON payload received. Unknown name "serviceTier": Cannot find field.',
      "body: { remove: [serviceTier] }",
    ],
    ["property 'logprobs' is unsupported", "body: { remove: [logprobs] }"],
    [
      "Unexpected value(s) `context-1m-2025-08-07` for the `anthropic-beta` header. Please consult our documentation",
      "betas: { drop: [context-1m-2025-08-07] }",
    ],
    ["The model returned the following errors: invalid beta flag", /^betas: \{ drop:/],
    ["OpenAI-Organization header should match organization for API key", /^headers: \{ openai-organization:/],
    ["You must be a member of an organization to use the API.", /^headers: \{ openai-organization:/],
    ["Missing required parameter: 'safety_identifier'.", "end_user: account"],
  ])("is named with it: %s", (message, option) => {
    const found = optionRemedy({ code: "", type: "invalid_request_error", message });
    if (typeof option === "string") expect(found).toBe(option);
    else expect(found).toMatch(option);
  });

  it.each([
    "Unknown parameter: 'messages'.",
    "max_tokens: Extra inputs are not permitted",
    "messages: at least one message is required",
    "Unknown parameter: 'input[0].content[0].foo'.",
    "Unknown parameter: 'tools[0].foo'.",
    "Unsupported parameter: 'text.verbosity' is not supported with this model.",
    "tools.0.custom.foo: Extra inputs are not permitted",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "",
  ])("is none where no option can cure it: %s", (message) => {
    expect(optionRemedy({ code: "", type: "invalid_request_error", message })).toBeUndefined();
  });
});
