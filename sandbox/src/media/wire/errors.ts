import { newHexId } from "../../ids.ts";
import type { JsonObject } from "../../json.ts";
import type { VendorError } from "../../refusal.ts";
import type { ErrorForm } from "../../reply.ts";

export interface MediaErrorForm extends ErrorForm {
  scriptedError(status: number): VendorError;
  badKey: VendorError;
  noCredit: VendorError;
}

const KEYS = {
  badKey: { status: 401, message: "Invalid API key.", code: "" },
  noCredit: { status: 403, message: "The account's quota is insufficient.", code: "insufficient_user_quota" },
} as const;

const FORM = {
  requestIdHeader: "x-request-id",
  newRequestId: () => newHexId("", 32),
  ...KEYS,
};

/** Images and videos: shape A for what is wrong with the key, shape B for everything else. */
export const taskErrors: MediaErrorForm = {
  ...FORM,
  encodeError(error, requestId) {
    if (error.status === 401 || error.status === 403) return gatewayErrorBody(error, requestId);
    return { code: error.code ?? "invalid_request", message: error.message, data: null };
  },
  scriptedError: (status) => ({
    status,
    code: status === 429 ? "rate_limit_exceeded" : status < 500 ? "invalid_request" : "upstream_error",
    message: `The request was scripted to fail with ${status}.`,
  }),
};

/** Assets: shape A throughout; 502 has a code of its own for creating and for reading. */
export function assetErrors(action: "create" | "get"): MediaErrorForm {
  return {
    ...FORM,
    encodeError: gatewayErrorBody,
    scriptedError: (status) => ({
      status,
      code: status === 502 ? `seedance_asset_${action}_failed` : "scripted",
      message: `The request was scripted to fail with ${status}.`,
    }),
  };
}

function gatewayErrorBody(error: VendorError, requestId: string): JsonObject {
  return {
    error: {
      message: `${error.message} (request id: ${requestId})`,
      type: "gateway_error",
      param: error.param ?? "",
      code: error.code ?? "",
    },
  };
}
