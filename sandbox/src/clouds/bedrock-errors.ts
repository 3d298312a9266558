import { randomUUID } from "node:crypto";
import type { TextProtocol } from "../exchange.ts";
import type { VendorError } from "../refusal.ts";
import { exceptionFrame } from "./aws-frames.ts";

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html#API_runtime_InvokeModel_Errors */
const TYPES: Readonly<Record<number, string>> = {
  400: "ValidationException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
};

const WORDS: Readonly<Record<number, string>> = {
  400: "The request was scripted to be invalid.",
  403: "You don't have access to the model with the specified model ID.",
  404: "The requested resource was not found.",
  424: "The model returned an error.",
  429: "Too many requests, please wait before trying again.",
  503: "Bedrock is unable to process your request.",
};

function typeOf(error: VendorError): string {
  return error.type ?? TYPES[error.status] ?? "InternalServerException";
}

/** The form of errors that all of Bedrock's own forms share, whatever their bodies. */
export const BEDROCK_ERRORS = {
  streamType: "application/vnd.amazon.eventstream",
  encodeStreamError: (_exchange, error) => {
    const type = typeOf(error);
    return exceptionFrame(type[0]?.toLowerCase() + type.slice(1), error.message);
  },
  encodeError: ({ message }) => ({ message }),
  errorHeaders: (error) => ({
    "x-amzn-errortype": `${typeOf(error)}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
  }),
  scriptedError: (status) => ({
    status,
    message: WORDS[status] ?? "The system encountered an unexpected error.",
  }),
  badKey: { status: 403, message: "Authentication failed: Please make sure your API Key is valid." },
  requestIdHeader: "x-amzn-requestid",
  newRequestId: () => randomUUID(),
} satisfies Partial<TextProtocol>;
