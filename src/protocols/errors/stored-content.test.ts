import { describe, expect, it } from "vitest";
import { decodeUpstreamError } from "./upstream-error.ts";

const asked = "/v1/responses";
const oneError = (message: string, more: object = {}) => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...more },
});

/** Servers' words for a path that they do not have, and vendors' for a path that should be another. */
const NO_PATH: readonly (readonly [server: string, body: unknown])[] = [
  ["OpenAI", oneError(`Invalid URL (POST ${asked})`)],
  ["OpenAI, of counting", oneError(`Invalid URL (POST ${asked}/input_tokens)`)],
  ["new-api", oneError(`Invalid URL (POST /v1/chat/responses), you may need [POST ${asked}]`)],
  ["Groq", oneError(`Unknown request URL: POST /openai${asked}. Please check it.`, { code: "unknown_url" })],
  ["Azure", { error: { code: "404", message: "Resource not found" } }],
  ["FastAPI", { detail: "Not Found" }],
  ["vLLM", { error: { message: "Not Found", type: "NotFoundError", param: null, code: 404 } }],
  ["llama.cpp", { error: { code: 404, message: "File Not Found", type: "not_found_error" } }],
  ["nginx", "<html><head><title>404 Not Found</title></head><body>nginx</body></html>"],
  ["Express", `<!DOCTYPE html><html><body><pre>Cannot POST ${asked}</pre></body></html>`],
  ["NestJS", { statusCode: 404, message: `Cannot POST ${asked}`, error: "Not Found" }],
  ["Fastify", { statusCode: 404, message: `Route POST:${asked} not found`, error: "Not Found" }],
  ["Nitro", { statusCode: 404, statusMessage: `Page not found: ${asked}`, message: "Page not found" }],
  ["Go", "404 page not found"],
  ["Spring", { timestamp: "2026-01-01T00:00:00Z", status: 404, error: "Not Found", path: asked }],
  ["Spring, of a resource", { title: "Not Found", status: 404, detail: "No static resource v1/responses." }],
  ["Rails", { status: 404, error: `No route matches [POST] "${asked}"` }],
  ["Laravel", { message: "The route v1/responses could not be found." }],
  ["Kong", { message: "no Route matched with those values" }],
  ["Moonshot", { code: 5, error: "url.not_found", message: "没找到对象", method: "POST", url: asked }],
  ["LM Studio", { error: `Unexpected endpoint or method. (POST ${asked})` }],
  ["Anthropic", { type: "error", error: { type: "not_found_error", message: "Not Found" } }],
  ["Google", "<html><p>The requested URL <code>/v1/files</code> was not found on this server.</html>"],
  ["Google, of a method", { error: { code: 404, message: "Method not found.", status: "NOT_FOUND" } }],
  ["the sandbox", oneError(`The sandbox has no POST ${asked}. Its endpoints are in sandbox/README.md.`)],
  ["a name", { error: { message: "Endpoint 'responses' not found" } }],
  ["an interface", { error: { message: "The Responses API does not exist here" } }],
  ["a line", `POST ${asked} not found`],
  ["a word in passing", { error: { message: "No response for this prompt" } }],
];

/** Vendors' words for stored content that does not exist. */
const NO_CONTENT: readonly (readonly [vendor: string, body: unknown])[] = [
  ["OpenAI, of an item", oneError("Item with id 'rs_1' not found. Items are not persisted.")],
  ["OpenAI, of a response", oneError("Previous response with id 'resp_1' not found.")],
  ["OpenAI, by code", oneError("Not found.", { code: "previous_response_not_found" })],
  ["OpenAI, of a conversation", oneError("Conversation with id 'conv_1' not found.")],
  ["OpenAI, of a container", oneError("Container with id 'cntr_1' not found.")],
  ["OpenAI, of an expired container", oneError("Container is expired.")],
  ["OpenAI, of a file", oneError("No such File object: file-1")],
  ["OpenAI, of a container's file", oneError("File cfile_1 not found on container cntr_1.")],
  ["OpenAI, of a prompt", oneError("Prompt with id 'pmpt_1' not found.")],
  ["OpenAI, of a vector store", oneError("Vector store with id 'vs_1' not found.")],
  ["OpenAI, with an address", oneError("File file-1 not found. See https://example.com/docs/files.")],
  ["vLLM", { error: { message: "Response with id 'resp_1' not found.", code: 404 } }],
  ["Anthropic, of a file", { error: { type: "not_found_error", message: "File not found: file_1" } }],
  [
    "Anthropic, of a thread",
    { error: { message: "Not found", details: { error_code: "thread_not_found" } } },
  ],
  ["Google, of a cache", { error: { code: 404, message: "CachedContent not found", status: "NOT_FOUND" } }],
  ["Google, of a file", { error: { code: 404, message: "files/abc does not exist", status: "NOT_FOUND" } }],
  ["a skill", { error: { type: "skill_not_found_error", message: "Not found" } }],
];

function faultOf(status: number, body: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return decodeUpstreamError(status, {}, Buffer.from(text)).fault;
}

describe("an upstream's 404", () => {
  it.each(NO_PATH)("is no caller's fault where the path is missing (%s)", (_, body) => {
    expect(faultOf(404, body)).toBe("account");
  });

  it.each(NO_CONTENT)("is the caller's fault where kept content is missing (%s)", (_, body) => {
    expect(faultOf(404, body)).toBe("caller");
  });
});

describe("an upstream's refusal that quotes a path", () => {
  it.each(["/v1/moderations", "/v1/files not found", "https://host/safety"])(
    "says nothing of the content by it (%s)",
    (path) => {
      expect(faultOf(403, { error: { message: `Forbidden: POST ${path}` } })).toBe("account");
    },
  );

  it.each(NO_PATH)("is no caller's fault where the method is (%s)", (_, body) => {
    expect(faultOf(405, body)).toBe("account");
    expect(faultOf(405, { detail: "Method Not Allowed" })).toBe("account");
  });
});
