import { describe, expect, it } from "vitest";
import { plan } from "../../../test/support/conversation-arbitraries.ts";
import { PROTOCOLS } from "../table.ts";

const HELLO = { type: "message", content: [{ type: "output_text", text: "Hello" }] };

/** The least content of a response of each protocol. */
const RESPONSES: Readonly<Record<keyof typeof PROTOCOLS, object>> = {
  "chat-completions": { choices: [{ index: 0, message: { content: "Hello" }, finish_reason: "stop" }] },
  responses: { object: "response", status: "completed", output: [HELLO] },
  messages: { type: "message", content: [{ type: "text", text: "Hello" }] },
  "generate-content": { candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }] },
  embeddings: { data: [{ index: 0, embedding: [1] }] },
  rerank: { results: [{ index: 0, relevance_score: 1 }] },
};

describe.each(Object.values(PROTOCOLS))("a plain answer on $name", ({ name, usage, translation }) => {
  it.each([
    { code: 500, msg: "404 NOT_FOUND", success: false },
    { code: "InternalError", message: "404 NOT_FOUND", request_id: "r" },
    { detail: "404 NOT_FOUND" },
  ])("that is an error and bare is a failure: %j", (error) => {
    expect(usage.readPlain(error).error).toMatchObject({ message: "404 NOT_FOUND" });
    expect(translation?.decodeResponse(error, plan(name as "messages")) ?? error).not.toHaveProperty(
      "response",
    );
  });

  it("is one also where a vendor tells its outcome beside it, or a code of its own", () => {
    for (const outcome of [
      { code: 200, msg: "ok" },
      { code: 20_000, message: "told beside it" },
    ]) {
      expect(usage.readPlain({ ...RESPONSES[name], ...outcome })).toMatchObject({
        error: undefined,
        hasOutput: true,
      });
    }
  });
});
