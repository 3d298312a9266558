import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codecOf } from "../../../test/support/codec-of.ts";
import { bareRequest, target } from "../../../test/support/conversation-arbitraries.ts";
import { openLosses } from "../loss.ts";
import type { JsonObject, Message, Part } from "../request.ts";
import { withoutOrphans } from "./orphan-results.ts";

const call = (id: string): Part => ({ kind: "tool-call", id, name: `tool_${id}`, arguments: "{}" });
const result = (callId: string): Part => ({
  kind: "tool-result",
  callId,
  parts: [{ kind: "text", text: `result of ${callId}` }],
});
const said = (text: string): Part => ({ kind: "text", text });

/** Ids of calls and results of a body for chats, responses or messages. */
function idsIn(body: JsonObject): { readonly calls: string[]; readonly results: string[] } {
  const text = JSON.stringify(body);
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => String(match[1]));
  return {
    calls: all(/(?:"id"|"function_call","call_id"):"(\w+)"/g),
    results: all(/(?:"tool_use_id"|"function_call_output","call_id"|"tool_call_id"):"(\w+)"/g),
  };
}

describe("results that answer no call", () => {
  it("reach no vendor, whatever the conversation, and what they say does", () => {
    const step = fc.record({ kind: fc.constantFrom("call", "result", "said", "ok"), of: fc.nat(3) });
    const upstream = fc.constantFrom("responses", "messages", "chat-completions");
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), upstream, (steps, protocol) => {
        const turns = steps.map(({ kind, of }, at): Message => {
          if (kind === "call") return { role: "assistant", parts: [call(`c${at}`)] };
          if (kind === "result") return { role: "user", parts: [result(`c${of}`)] };
          return { role: kind === "ok" ? "assistant" : "user", parts: [said(kind)] };
        });
        const messages: Message[] = [{ role: "user", parts: [said("go")] }, ...turns];
        const request = bareRequest({
          protocol: protocol === "chat-completions" ? "messages" : "chat-completions",
          messages: [...messages, { role: "user", parts: [said("and?")] }],
        });
        const encoded = codecOf(protocol).encodeRequest(request, target(protocol));
        if ("refused" in encoded) throw encoded.refused;
        const { body, losses } = encoded.value;
        const { calls, results } = idsIn(body);
        // Each call has one result, which the gateway makes up where there is none.
        expect(results.toSorted()).toEqual(calls.toSorted());
        const orphans = turns.flatMap(({ parts }) => parts).filter((part) => part.kind === "tool-result");
        for (const orphan of orphans) {
          if (orphan.kind === "tool-result")
            expect(JSON.stringify(body)).toContain(`result of ${orphan.callId}`);
        }
        if (results.length < orphans.length) expect(losses.map(({ path }) => path)).toContain("messages");
      }),
    );
  });

  it("go with a call that only the caller's vendor knows", () => {
    const input = [
      { role: "user", content: "Which tool finds flights?" },
      { type: "tool_search_call", call_id: "ts_1", execution: "client", arguments: { query: "flights" } },
      { type: "function_call_output", call_id: "ts_1", output: "flights" },
      { role: "user", content: "Use it." },
    ];
    const read = codecOf("responses").decodeRequest({ model: "m", input });
    if ("refused" in read) throw read.refused;
    for (const protocol of ["chat-completions", "messages", "generate-content"] as const) {
      const encoded = codecOf(protocol).encodeRequest(read.value, target(protocol));
      if ("refused" in encoded) throw encoded.refused;
      expect(JSON.stringify(encoded.value.body), protocol).not.toMatch(/ts_1|"flights"/);
      expect(encoded.value.losses.map(({ path }) => path)).toEqual(["input", "input[]"]);
    }
    const own = codecOf("responses").encodeRequest(read.value, target("responses"));
    expect("value" in own && JSON.stringify(own.value.body)).toMatch(/ts_1/);
  });

  it("are words of the user's where the conversation's beginning was cut off with the call", () => {
    const losses = openLosses({});
    const request = bareRequest({
      protocol: "messages",
      messages: [
        { role: "user", parts: [result("a"), said("What now?")] },
        { role: "assistant", parts: [call("b")] },
        { role: "user", parts: [result("b")] },
      ],
    });
    const capabilities = codecOf("chat-completions").capabilities;
    expect(withoutOrphans(request, capabilities, losses).messages[0]?.parts).toEqual([
      said("Result of a:"),
      said("result of a"),
      said("What now?"),
    ]);
    expect(losses.list()).toEqual([{ path: "messages", reason: "weakened" }]);
  });
});
