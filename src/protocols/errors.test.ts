import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ErrorStatement, shouldRetry } from "../errors.ts";
import { toClientError } from "./errors/upstream-error-policy.ts";
import { type Protocol, UNKNOWN_STREAM } from "./protocol.ts";
import { PROTOCOLS } from "./table.ts";

const REFUSED: ErrorStatement = {
  status: 400,
  type: "invalid_request_error",
  code: "context_length_exceeded",
  param: "messages",
  message: "Too long.",
};

let server: Server;
let base: string;
/** The next response of the server. */
let answer: { status: number; type: string; body: string };

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function plain(protocol: Protocol, error: ErrorStatement): void {
  answer = { status: error.status, type: "application/json", body: protocol.encodeError(error, "req-1") };
}

function broken(start: string, protocol: Protocol, stream = UNKNOWN_STREAM): void {
  const error: ErrorStatement = {
    status: 502,
    type: "gateway_error",
    code: "upstream_error",
    param: "",
    message: "Broke off.",
  };
  answer = {
    status: 200,
    type: "text/event-stream",
    body: start + protocol.encodeStreamError(error, "req-1", stream),
  };
}

/** Returns the error that the call throws. */
async function thrown(call: () => PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(call()).then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function drain(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("a plain error", () => {
  it.each(Object.values(PROTOCOLS))(
    "has shape A on $name: strings, never null, the request's id last",
    (protocol) => {
      const { error } = JSON.parse(protocol.encodeError({ ...REFUSED, param: "", code: "" }, "req-1"));
      expect(error).toMatchObject({
        message: "Too long. (request id: req-1)",
        type: "invalid_request_error",
        param: "",
        ...(protocol.name === "generate-content" ? { code: 400, reason: "" } : { code: "" }),
      });
    },
  );

  it.each(Object.values(PROTOCOLS))("keeps the vendor's details on $name", (protocol) => {
    const details = [{ "@type": "x", reason: "y" }];
    expect(JSON.parse(protocol.encodeError({ ...REFUSED, details }, "r")).error.details).toEqual(details);
  });

  it("raises the right class of the OpenAI client", async () => {
    const client = new OpenAI({ apiKey: "k", baseURL: `${base}/v1`, maxRetries: 0 });
    plain(PROTOCOLS["chat-completions"], REFUSED);
    const chat = await thrown(() => client.chat.completions.create({ model: "m", messages: [] }));
    expect(chat).toBeInstanceOf(OpenAI.BadRequestError);
    expect(chat).toMatchObject({
      code: "context_length_exceeded",
      param: "messages",
      type: "invalid_request_error",
    });
    plain(PROTOCOLS.responses, { ...REFUSED, status: 429 });
    expect(await thrown(() => client.responses.create({ model: "m", input: "" }))).toBeInstanceOf(
      OpenAI.RateLimitError,
    );
    plain(PROTOCOLS.embeddings, { ...REFUSED, status: 401 });
    expect(await thrown(() => client.embeddings.create({ model: "m", input: "" }))).toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
  });

  it("raises the right class of the Anthropic client", async () => {
    const client = new Anthropic({ apiKey: "k", baseURL: base, maxRetries: 0 });
    const call = () => client.messages.create({ model: "m", max_tokens: 1, messages: [] });
    plain(PROTOCOLS.messages, { ...REFUSED, status: 404 });
    expect(await thrown(call)).toBeInstanceOf(Anthropic.NotFoundError);
    plain(PROTOCOLS.messages, { ...REFUSED, status: 529, type: "overloaded_error" });
    const busy = await thrown(call);
    expect(busy).toBeInstanceOf(Anthropic.InternalServerError);
    expect(busy).toMatchObject({ status: 529, error: { type: "error", request_id: "req-1" } });
  });

  it("raises the error of the Google client, with the status word", async () => {
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: base } });
    plain(PROTOCOLS["generate-content"], { ...REFUSED, status: 403, type: "gateway_error" });
    const error = await thrown(() => client.models.generateContent({ model: "m", contents: "x" }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 403 });
    expect(String(error)).toContain("PERMISSION_DENIED");
  });
});

describe("an error in a stream that has begun", () => {
  const chunk =
    'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n';
  const created = {
    id: "r",
    object: "response",
    created_at: 1,
    status: "in_progress",
    model: "m",
    output: [],
  };

  it("is thrown by the OpenAI client in chat completions, and no [DONE] follows", async () => {
    const client = new OpenAI({ apiKey: "k", baseURL: `${base}/v1`, maxRetries: 0 });
    broken(chunk, PROTOCOLS["chat-completions"]);
    expect(answer.body).not.toContain("[DONE]");
    const stream = await client.chat.completions.create({ model: "m", messages: [], stream: true });
    const error = await thrown(() => drain(stream));
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({
      code: "upstream_error",
      message: expect.stringContaining("(request id: req-1)"),
    });
  });

  it("reaches the OpenAI client of responses as a whole failed response", async () => {
    const client = new OpenAI({ apiKey: "k", baseURL: `${base}/v1`, maxRetries: 0 });
    const start = `event: response.created\ndata: ${JSON.stringify({ type: "response.created", sequence_number: 0, response: created })}\n\n`;
    broken(start, PROTOCOLS.responses, { ...UNKNOWN_STREAM, events: 1, opening: created });
    const events = await drain(await client.responses.create({ model: "m", input: "x", stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      sequence_number: 1,
      response: {
        id: "r",
        status: "failed",
        output: [],
        error: { code: "upstream_error", message: expect.stringContaining("Broke off.") },
      },
    });
    broken("", PROTOCOLS.responses);
    const stream = await client.responses.create({ model: "m", input: "x", stream: true });
    expect(await thrown(() => drain(stream))).toBeInstanceOf(OpenAI.APIError);
  });

  it("is thrown by the Anthropic client", async () => {
    const client = new Anthropic({ apiKey: "k", baseURL: base, maxRetries: 0 });
    broken(
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":1}}}\n\n',
      PROTOCOLS.messages,
    );
    const stream = await client.messages.create({ model: "m", max_tokens: 1, messages: [], stream: true });
    const error = await thrown(() => drain(stream));
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(String(error)).toContain("Broke off.");
  });

  it("is thrown by the Google client", async () => {
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: base } });
    broken('data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\n\n', PROTOCOLS["generate-content"]);
    const stream = await client.models.generateContentStream({ model: "m", contents: "x" });
    const error = await thrown(() => drain(stream));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 502 });
  });

  it("closes a streamed JSON array", () => {
    const { encodeStreamError } = PROTOCOLS["generate-content"];
    const begun = { ...UNKNOWN_STREAM, form: "array" as const, events: 1 };
    const [item, error] = JSON.parse(`[{"candidates":[]}${encodeStreamError(REFUSED, "r", begun)}`);
    expect(item).toEqual({ candidates: [] });
    expect(error.error).toMatchObject({
      code: 400,
      status: "INVALID_ARGUMENT",
      reason: "context_length_exceeded",
    });
    expect(JSON.parse(encodeStreamError(REFUSED, "r", { ...begun, events: 0 }))).toHaveLength(1);
  });

  it.each(["chat-completions", "responses", "messages", "generate-content"] as const)(
    "ends a half-sent frame first: %s",
    (name) => {
      expect(PROTOCOLS[name].encodeStreamError(REFUSED, "r", { ...UNKNOWN_STREAM, midFrame: true })).toMatch(
        /^\n\n/,
      );
    },
  );
});

describe("what clients obey", () => {
  const STATUSES: readonly (readonly [number, boolean])[] = [
    ...[400, 401, 403, 404, 405, 409, 413, 415, 422, 431, 504].map((status) => [status, false] as const),
    ...[408, 429, 500, 502, 503, 529].map((status) => [status, true] as const),
  ];

  it.each(STATUSES)(
    "is told of %i: repeat it = %s, unless the upstream says otherwise",
    (status, expected) => {
      expect(shouldRetry({ status })).toBe(expected);
      expect(shouldRetry({ status, shouldRetry: !expected })).toBe(!expected);
    },
  );

  it.each([
    [400, "true", true],
    [429, "false", false],
    [529, "FALSE", false],
    [422, "perhaps", undefined],
    [429, undefined, undefined],
  ])("is passed on of an upstream's %i with x-should-retry %s", (status, header, expected) => {
    const error = PROTOCOLS.messages.decodeError(
      status,
      header === undefined ? {} : { "x-should-retry": header },
      Buffer.from('{"type":"error","error":{"type":"x","message":"no"}}'),
    );
    const told = toClientError(error, PROTOCOLS.messages.endpoint);
    expect("statement" in told ? told.statement.shouldRetry : told.shouldRetry).toBe(expected);
  });

  it("is how long to wait, in the native protocol's own form, once", () => {
    const encode = (more: Partial<ErrorStatement>) =>
      JSON.parse(PROTOCOLS["generate-content"].encodeError({ ...REFUSED, status: 429, ...more }, "r")).error;
    const info = (retryDelay: string) => ({
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay,
    });
    expect(encode({ retryAfterSeconds: 53.2 })).toMatchObject({
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      details: [info("54s")],
    });
    expect(encode({}).details).toHaveLength(1);
    expect(encode({ retryAfterSeconds: 7, details: [info("9s")] }).details).toEqual([info("9s")]);
    expect(encode({ retryAfterSeconds: 7, details: { a: 1 } }).details).toEqual([{ a: 1 }, info("7s")]);
    expect(encode({ status: 400 })).not.toHaveProperty("details");
  });

  it("survives a second gateway: the code of a native error is read off its reason", () => {
    const { encodeError, decodeError } = PROTOCOLS["generate-content"];
    expect(decodeError(400, {}, Buffer.from(encodeError(REFUSED, "r"))).code).toBe(REFUSED.code);
  });
});
