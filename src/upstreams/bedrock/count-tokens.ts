import type { CountCall } from "../count-call.ts";

/** Prefixes of profiles' ids: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html */
const PROFILE = /^[a-z-]+\.(?=anthropic\.)/;

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html: Claude alone, from 3.5 on; some that are served by profiles
 * alone aren't counted here. It wants the model's bare id (https://github.com/pydantic/pydantic-ai/pull/3367), so that an ARN of a
 * profile, which doesn't say its model, is not asked for.
 */
export const BEDROCK_COUNT: Omit<CountCall, "protocol"> = {
  names: /^([a-z-]+\.)?anthropic\.claude-(?!instant|v\d|3-(opus|sonnet|haiku))/,
  path: "/model/{model}/count-tokens",
  modelOf: (name) => name.replace(PROFILE, ""),
  writeBody(body) {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("base64");
    return Buffer.from(`{"input":{"invokeModel":{"body":"${text}"}}}`);
  },
  field: "inputTokens",
  uncounted: /counting tokens|model identifier|on-demand throughput|max_tokens/i,
};

/** It wants an output limit, which counts for nothing: https://github.com/langchain-ai/langchain-aws/pull/661 has this one. */
export const COUNTED_OUTPUT_LIMIT = 8_192;
