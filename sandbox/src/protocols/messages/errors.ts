import type { JsonObject } from "../../json.ts";
import type { VendorError } from "../../refusal.ts";

/** The error form of messages: typed at the top, with the request's id beside it. */
export function encodeError(error: VendorError, requestId: string): JsonObject {
  return {
    type: "error",
    error: {
      type: error.type ?? typeOf(error.status),
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    },
    request_id: requestId,
  };
}

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function typeOf(status: number): string {
  return TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

export const BAD_KEY: VendorError = { status: 401, message: "invalid x-api-key" };

/** This vendor says 400, not 402, when an account has no credit. */
export const NO_CREDIT: VendorError = {
  status: 400,
  message:
    "Your credit balance is too low to access the API. Please go to Plans & Billing to upgrade or purchase credits.",
};

const SCRIPTED: Readonly<Record<number, string>> = {
  400: "The request was scripted to be invalid.",
  401: BAD_KEY.message,
  402: "There is an issue with your billing or payment information.",
  403: "Your API key does not have permission to use the specified resource.",
  404: "model: not found",
  413: "Request exceeds the maximum size",
  429: "This request would exceed your organization's rate limit.",
  504: "Request timed out",
  529: "Overloaded",
};

export function scriptedError(status: number): VendorError {
  return { status, message: SCRIPTED[status] ?? "Internal server error" };
}
