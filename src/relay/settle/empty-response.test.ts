import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import type { ChatProtocol } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { watchOf } from "../admit/watch.ts";
import type { TextRequest } from "../text-request.ts";
import { isEmpty } from "./empty-response.ts";

/** Responses without output, with so many of 1,000 input tokens read from a cache, or written to it. */
const EMPTY: Readonly<Record<ChatProtocol, (read: number, written: number) => object>> = {
  "chat-completions": (cached_tokens, cache_write_tokens) => ({
    choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: 1_000,
      completion_tokens: 0,
      prompt_tokens_details: { cached_tokens, cache_write_tokens },
    },
  }),
  responses: (cached_tokens, cache_write_tokens) => ({
    object: "response",
    status: "completed",
    output: [],
    usage: {
      input_tokens: 1_000,
      output_tokens: 0,
      input_tokens_details: { cached_tokens, cache_write_tokens },
    },
  }),
  messages: (cache_read_input_tokens, cache_creation_input_tokens) => ({
    type: "message",
    content: [],
    stop_reason: "end_turn",
    usage: { input_tokens: 1_000, output_tokens: 0, cache_read_input_tokens, cache_creation_input_tokens },
  }),
  "generate-content": (cachedContentTokenCount) => ({
    candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1_000, totalTokenCount: 1_000, cachedContentTokenCount },
  }),
};

function isFree(name: ChatProtocol, response: object): boolean {
  const scanner = createBodyScan(watchOf(name));
  scanner.write(Buffer.from("{}"));
  const request = { protocol: PROTOCOLS[name], scan: scanner.end() } as unknown as TextRequest;
  return isEmpty(request, PROTOCOLS[name].usage.readPlain(response));
}

describe("a response without output", () => {
  it.each(Object.entries(EMPTY) as [ChatProtocol, (typeof EMPTY)[ChatProtocol]][])(
    "is free only where the request neither read nor wrote a cache, of %s",
    (name, empty) => {
      expect(isFree(name, empty(0, 0))).toBe(true);
      expect(isFree(name, empty(900, 0))).toBe(false);
      // Native responses tell of no writes.
      if (name !== "generate-content") expect(isFree(name, empty(0, 900))).toBe(false);
    },
  );
});
