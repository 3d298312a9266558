import { describe, expect, it } from "vitest";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../table.ts";

const read = (protocol: ProtocolName, body: unknown) =>
  PROTOCOLS[protocol].usage.readBytes(Buffer.from(JSON.stringify(body)));

describe("a plain answer under a status of success", () => {
  it.each<[ProtocolName, object]>([
    ["chat-completions", {}],
    ["chat-completions", { id: "chatcmpl-1", object: "chat.completion", choices: [] }],
    ["responses", { ok: true }],
    ["messages", { id: "msg_1", content: null }],
    ["generate-content", { modelVersion: "m" }],
  ])("is a failure of the upstream where it holds no answer: %s, %j", (protocol, body) => {
    expect(read(protocol, body).error).toMatchObject({ status: 502, fault: "upstream" });
  });

  it.each<[ProtocolName, object]>([
    ["chat-completions", { choices: [], usage: { prompt_tokens: 5, completion_tokens: 0 } }],
    ["chat-completions", { choices: [{ index: 0, message: { role: "assistant", content: "" } }] }],
    ["responses", { object: "response", status: "incomplete", output: [] }],
    ["messages", { content: [], stop_reason: "end_turn" }],
    ["generate-content", { promptFeedback: { blockReason: "SAFETY" } }],
    ["generate-content", { usageMetadata: { promptTokenCount: 5 } }],
    // Vendors answer these in forms of their own, which are passed on.
    ["embeddings", { embeddings: [[0.5]] }],
    ["rerank", [{ index: 0, score: 0.5 }]],
  ])("is one where it holds a word of it, be that only its usage or its end: %s, %j", (protocol, body) => {
    expect(read(protocol, body).error).toBeUndefined();
  });
});
