import { createBodyScan } from "../../base/json/json-scan.ts";
import { removeMembers, splice } from "../../base/json/json-splice.ts";
import { compileWatch } from "../../base/json/json-watch.ts";
import { isRecord } from "../../base/json/record.ts";
import type { StreamMessage } from "./event-stream.ts";
import { MalformedResponse } from "./malformed-response.ts";

/** Fields that this vendor adds to the model's events: counts and times that the usage has as well. */
const ADDED = "amazon-bedrock-invocationMetrics";
const ADDED_WATCH = compileWatch([ADDED]);

/**
 * Failures within a stream, with the word that the model's own vendor has for each.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html
 */
const FAILURES: Readonly<Record<string, string>> = {
  throttlingException: "rate_limit_error",
  serviceQuotaExceededException: "rate_limit_error",
  serviceUnavailableException: "overloaded_error",
  modelTimeoutException: "timeout_error",
  validationException: "invalid_request_error",
  accessDeniedException: "permission_error",
  resourceNotFoundException: "not_found_error",
};

/** Any other failure is one of the vendor's: internalServerException, modelStreamErrorException ... */
const OTHER_FAILURE = "api_error";

/**
 * A message of a model's stream as the server-sent event that the model's own vendor sends; undefined = it says nothing of the
 * response. Throws MalformedResponse.
 */
export function modelEvent(message: StreamMessage): Buffer | undefined {
  const { headers, payload } = message;
  return failureEvent(message) ?? (headers.get(":event-type") === "chunk" ? eventOf(payload) : undefined);
}

/** The error event of a message that tells of a failure; undefined = it tells of an event. Throws MalformedResponse. */
export function failureEvent({ headers, payload }: StreamMessage): Buffer | undefined {
  switch (headers.get(":message-type")) {
    case "exception":
      return failureOf(headers.get(":exception-type") ?? "", wordsOf(payload));
    case "error":
      return failureOf(headers.get(":error-code") ?? "", headers.get(":error-message") ?? "");
    case "event":
      if (headers.has(":event-type")) return undefined;
      break;
  }
  throw new MalformedResponse("a message does not say of which kind it is");
}

function eventOf(payload: Buffer): Buffer {
  // The rest of the object is padding, which hides how long the text is.
  const bytes = objectIn(payload)["bytes"];
  if (typeof bytes !== "string") throw new MalformedResponse("a chunk has no bytes");
  const data = inOneLine(withoutAdded(Buffer.from(bytes, "base64")));
  // It is parsed for its type, and so that no event is passed on that ends within its JSON.
  const { type } = objectIn(data);
  const name = typeof type === "string" && TYPE.test(type) ? `event: ${type}\n` : "";
  return Buffer.concat([Buffer.from(`${name}data: `), data, Buffer.from("\n\n")]);
}

const TYPE = /^[\w.]+$/;

function withoutAdded(data: Buffer): Buffer {
  if (!data.includes(ADDED)) return data;
  const scanner = createBodyScan(ADDED_WATCH);
  scanner.write(data);
  return Buffer.concat(splice([data], removeMembers([data], scanner.end().all(ADDED))));
}

const LF = 0x0a;
const CR = 0x0d;

/** Line ends within JSON are only ever between values. */
function inOneLine(data: Buffer): Buffer {
  if (!data.includes(LF) && !data.includes(CR)) return data;
  return Buffer.from(data.map((byte) => (byte === LF || byte === CR ? 0x20 : byte)));
}

function failureOf(code: string, message: string): Buffer {
  const type = Object.hasOwn(FAILURES, code) ? FAILURES[code] : OTHER_FAILURE;
  const error = { type, message: message === "" ? code : message };
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`);
}

function wordsOf(payload: Buffer): string {
  try {
    const { message, Message, originalMessage } = objectIn(payload);
    const words = [message, Message, originalMessage].find((each) => typeof each === "string" && each !== "");
    return typeof words === "string" ? words : "";
  } catch {
    return "";
  }
}

/** Throws MalformedResponse. */
export function objectIn(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new MalformedResponse("an event is no JSON");
  }
  if (!isRecord(value)) throw new MalformedResponse("an event is no JSON object");
  return value;
}
