import type { JsonObject } from "../json.ts";
import type { VendorError } from "../refusal.ts";

/** The error form of chat completions, responses and embeddings. */
export function encodeOpenaiError(error: VendorError): JsonObject {
  return {
    error: {
      message: error.message,
      type: error.type ?? typeOf(error.status),
      param: error.param ?? null,
      code: error.code ?? null,
    },
  };
}

function typeOf(status: number): string {
  return status >= 500 ? "server_error" : "invalid_request_error";
}

export const OPENAI_BAD_KEY: VendorError = {
  status: 401,
  message:
    "Incorrect API key provided: bad-****. You can find your API key at https://platform.example.com/keys.",
  code: "invalid_api_key",
};

export const OPENAI_NO_CREDIT: VendorError = {
  status: 429,
  message: "You exceeded your current quota, please check your plan and billing details.",
  type: "insufficient_quota",
  code: "insufficient_quota",
};

const SCRIPTED: Readonly<Record<number, Omit<VendorError, "status">>> = {
  400: { message: "The request was scripted to be invalid.", code: "invalid_value" },
  401: OPENAI_BAD_KEY,
  402: { message: "Insufficient balance.", type: "insufficient_quota", code: "insufficient_quota" },
  403: { message: "You are not allowed to sample from this model.", code: "permission_denied" },
  404: { message: "The model does not exist or you do not have access to it.", code: "model_not_found" },
  429: { message: "Rate limit reached for requests.", type: "requests", code: "rate_limit_exceeded" },
  503: {
    message: "The engine is currently overloaded, please try again later.",
    type: "service_unavailable_error",
  },
};

export function scriptedOpenaiError(status: number): VendorError {
  const said = SCRIPTED[status] ?? { message: "The server had an error while processing your request." };
  return { ...said, status };
}
