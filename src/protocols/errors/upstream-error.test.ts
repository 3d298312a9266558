import { describe, expect, it } from "vitest";
import { PROTOCOLS } from "../table.ts";
import { decodeStatedError, decodeUpstreamError } from "./upstream-error.ts";
import { toClientError } from "./upstream-error-policy.ts";

function decode(status: number, body: unknown, headers: Record<string, string> = {}) {
  return decodeUpstreamError(
    status,
    headers,
    Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  );
}

describe("an upstream's error", () => {
  it.each([
    [
      "nested",
      { error: { message: "no", type: "t", param: "p", code: "c" } },
      { message: "no", type: "t", param: "p", code: "c" },
    ],
    [
      "of the messages protocol",
      { type: "error", error: { type: "t", message: "no" }, request_id: "r" },
      { message: "no", type: "t", code: "" },
    ],
    [
      "with nulls and a numeric code",
      { error: { message: "no", type: null, param: null, code: 17 } },
      { message: "no", param: "", code: "17" },
    ],
    ["as a string", { error: "no" }, { message: "no", type: "invalid_request_error" }],
    [
      "in an array of one",
      [{ error: { code: 400, message: "no", status: "INVALID_ARGUMENT" } }],
      { message: "no", type: "INVALID_ARGUMENT", code: "400" },
    ],
    [
      "flat",
      { object: "error", message: "no", type: "t", code: 3051 },
      { message: "no", type: "t", code: "3051" },
    ],
    ["as a detail", { detail: "no" }, { message: "no" }],
    [
      "as a list of details",
      { detail: [{ loc: ["body", "n"], msg: "no", type: "int_type" }] },
      { message: "no", param: "n", type: "int_type" },
    ],
    [
      "as a message with details in it",
      { object: "error", message: { detail: [{ loc: ["body", "n"], msg: "no" }] }, type: "t", code: null },
      { message: "no", param: "n", type: "t" },
    ],
    ["as a list of messages", { error: { message: ["no", "no"], type: "t" } }, { message: "no", type: "t" }],
    ["deep within", { detail: { error: "no" } }, { message: "no" }],
    ["beside its status' name", { statusCode: 400, message: "no", error: "Bad Request" }, { message: "no" }],
    ["as a list of texts", ["no"], { message: "no" }],
    ["in another case", { Message: "no" }, { message: "no" }],
    ["as a line of text", "no", { message: "no" }],
    ["as a page", "<html><body>Bad Request</body></html>", { message: "the upstream returned status 400" }],
    ["as nothing", "", { message: "the upstream returned status 400", type: "invalid_request_error" }],
  ])("is read %s", (_form, body, stated) => {
    expect(decode(400, body)).toMatchObject({ status: 400, fault: "caller", ...stated });
  });

  it("keeps structured details and the delay they ask for", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" }];
    const error = decode(429, {
      error: {
        code: 429,
        message: "You exceeded your current quota, please check your plan and billing details.",
        status: "RESOURCE_EXHAUSTED",
        details,
      },
    });
    expect(error).toMatchObject({ fault: "rate-limit", details, retryAfterSeconds: 35 });
  });

  it("reads every spelling of retry-after, and none that makes no sense", () => {
    const date = "Sat, 21 Nov 2026 01:00:00 GMT";
    const seconds = (headers: Record<string, string>) => decode(429, "", headers).retryAfterSeconds;
    expect(seconds({ "retry-after": "7" })).toBe(7);
    expect(seconds({ "retry-after-ms": "1200", "retry-after": "9" })).toBe(2);
    expect(seconds({ "retry-after-ms": "-1", "retry-after": "9" })).toBe(9);
    expect(seconds({ "retry-after": "Sat, 21 Nov 2026 01:00:30 GMT", date })).toBe(30);
    for (const value of ["-1", "soon", "1e99", "Sat, 21 Nov 2026 01:00:30 GMT", "99999999"]) {
      expect(seconds({ "retry-after": value }), value).toBeUndefined();
    }
  });
});

describe("the fault in an upstream's error", () => {
  it.each([
    [
      400,
      { error: { code: "context_length_exceeded", type: "invalid_request_error", message: "too long" } },
      "caller",
    ],
    [400, { error: { message: "Invalid schema for function 'get_billing': api_key is required" } }, "caller"],
    [
      400,
      { error: { message: "Unsupported parameter: 'top_p' is not supported with this model." } },
      "caller",
    ],
    [
      400,
      {
        error: {
          code: "previous_response_not_found",
          message: "Previous response with id 'resp_1' not found.",
        },
      },
      "caller",
    ],
    [413, { error: { type: "request_too_large", message: "too large" } }, "caller"],
    [431, { error: { message: "Request Header Fields Too Large" } }, "upstream"],
    [422, { detail: [{ loc: ["body"], msg: "bad" }] }, "caller"],
    [403, { error: { message: "Content violates usage policies: safety" } }, "caller"],
    [
      403,
      { error: { status: "PERMISSION_DENIED", message: "CachedContent not found (or permission denied)" } },
      "caller",
    ],
    [
      404,
      {
        error: {
          message: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
        },
      },
      "caller",
    ],
    [404, { type: "error", error: { type: "not_found_error", message: "File not found: file_1" } }, "caller"],
    [
      404,
      {
        error: {
          code: "model_not_found",
          message: "The model `gpt-5.2-proo` does not exist or you do not have access to it.",
        },
      },
      "account",
    ],
    [
      404,
      {
        type: "error",
        error: {
          type: "not_found_error",
          message: "Not found",
          details: { error_code: "thread_not_found" },
        },
      },
      "caller",
    ],
    [404, { type: "error", error: { type: "not_found_error", message: "model: claude-x" } }, "account"],
    [
      404,
      {
        error: {
          code: 404,
          message:
            "models/gemini-x is not found for API version v1beta, or is not supported for generateContent. Call ModelService.ListModels to see the list of available models and their supported methods.",
          status: "NOT_FOUND",
        },
      },
      "account",
    ],
    [404, "<html>nginx</html>", "account"],
    [400, { error: { message: "Model Not Exist", type: "invalid_request_error" } }, "account"],
    [
      400,
      {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
        },
      },
      "account",
    ],
    [
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "Your credit balance is too low to access the API. Please go to Plans & Billing.",
        },
      },
      "account",
    ],
    [
      400,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "This organization has been disabled." },
      },
      "account",
    ],
    [401, { error: { message: "Incorrect API key provided" } }, "account"],
    [402, { error: { message: "Insufficient Balance" } }, "account"],
    [403, { error: { message: "Country, region, or territory not supported" } }, "account"],
    [403, { error: { message: "quota", code: "insufficient_user_quota" } }, "account"],
    [
      429,
      {
        error: {
          message: "You exceeded your current quota",
          type: "insufficient_quota",
          code: "insufficient_quota",
        },
      },
      "account",
    ],
    [
      429,
      { error: { message: "Rate limit reached for gpt-x", type: "requests", code: "rate_limit_exceeded" } },
      "rate-limit",
    ],
    [408, "", "upstream"],
    [500, { error: { message: "oops" } }, "upstream"],
    [503, "<html>", "upstream"],
    [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
  ])("of status %i and %j is %s", (status, body, fault) => {
    expect(decode(status, body).fault).toBe(fault);
  });

  it("is told by words alone inside a stream", () => {
    expect(decodeStatedError({ error: { type: "overloaded_error", message: "x" } })).toMatchObject({
      status: 529,
      fault: "overloaded",
    });
    expect(decodeStatedError({ error: { code: "insufficient_quota", message: "x" } })).toMatchObject({
      status: 429,
      fault: "account",
    });
    expect(decodeStatedError({ error: { code: 503, message: "x" } })).toMatchObject({
      status: 503,
      fault: "upstream",
    });
    expect(
      decodeStatedError({ error: { type: "invalid_request_error", message: "x", status_code: 400 } }),
    ).toMatchObject({ status: 400, fault: "caller" });
    expect(decodeStatedError({ error: "x" })).toMatchObject({ status: 502, fault: "upstream" });
  });
});

describe("what the caller is told", () => {
  const secret = { error: { message: "Incorrect API key provided: sk-vendor" } };

  it("is the vendor's own words for the caller's own fault", () => {
    const error = decode(400, {
      error: { message: "too long", code: "context_length_exceeded", type: "t", param: "messages" },
    });
    expect(toClientError(error, PROTOCOLS["chat-completions"].endpoint)).toMatchObject({
      statement: {
        status: 400,
        message: "too long",
        code: "context_length_exceeded",
        type: "t",
        param: "messages",
      },
    });
  });

  it("is never the vendor's text for a fault of ours or the vendor's", () => {
    for (const status of [401, 403, 404, 500, 503]) {
      const told = toClientError(decode(status, secret), PROTOCOLS.messages.endpoint);
      expect(told).toMatchObject({ status: 502, code: "upstream_error" });
      expect(told.message).not.toContain("sk-vendor");
    }
  });

  it("is 429 with the vendor's delay, and 529 only where clients know it", () => {
    expect(
      toClientError(decode(429, "", { "retry-after": "7" }), PROTOCOLS.responses.endpoint),
    ).toMatchObject({
      status: 429,
      retryAfterSeconds: 7,
    });
    expect(toClientError(decode(529, ""), PROTOCOLS.messages.endpoint)).toMatchObject({ status: 529 });
    expect(toClientError(decode(529, ""), PROTOCOLS["chat-completions"].endpoint)).toMatchObject({
      status: 502,
    });
  });
});
