import type { Json, JsonObject } from "../../json.ts";
import type { VendorError } from "../../refusal.ts";

/** The error form of generateContent: a google.rpc.Status with typed details. */
export function encodeError(error: VendorError): JsonObject {
  const details = detailsOf(error);
  const status = error.type ?? statusName(error.status);
  const said: JsonObject = { code: error.status, message: error.message, status };
  return { error: details.length === 0 ? said : { ...said, details } };
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function statusName(status: number): string {
  return STATUS_NAMES[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
}

function detailsOf(error: VendorError): Json[] {
  const details: Json[] = [];
  if (error.code !== undefined) {
    details.push({
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: error.code,
      domain: "googleapis.com",
    });
  }
  if (error.param !== undefined) {
    const violation = { field: error.param, description: error.message };
    details.push({ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [violation] });
  }
  if (error.retryAfterSeconds !== undefined) {
    details.push({
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay: `${error.retryAfterSeconds}s`,
    });
  }
  return details;
}

/** This vendor says 400, not 401, of a key it does not know. */
export const BAD_KEY: VendorError = {
  status: 400,
  message: "API key not valid. Please pass a valid API key.",
  code: "API_KEY_INVALID",
};

export const NO_CREDIT: VendorError = {
  status: 429,
  message: "You exceeded your current quota, please check your plan and billing details.",
  retryAfterSeconds: 34,
};

const SCRIPTED: Readonly<Record<number, string>> = {
  400: "The request was scripted to be invalid.",
  403: "The caller does not have permission.",
  404: "The model is not found for API version v1beta, or is not supported for generateContent.",
  429: "Resource has been exhausted (e.g. check quota).",
  503: "The model is overloaded. Please try again later.",
  504: "Deadline expired before operation could complete.",
};

export function scriptedError(status: number): VendorError {
  return { status, message: SCRIPTED[status] ?? "An internal error has occurred. Please retry." };
}
