import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareRequest, chatRequests } from "../../../test/support/conversation-arbitraries.ts";
import { openLosses } from "../loss.ts";
import type { ChatRequest, Message, Part } from "../request.ts";
import { alternatingTurns, answeredMessages } from "./alternating-turns.ts";

const call = (id: string): Part => ({ kind: "tool-call", id, name: `tool_${id}`, arguments: "{}" });
const result = (callId: string): Part => ({
  kind: "tool-result",
  callId,
  parts: [{ kind: "text", text: callId }],
});
const said = (text: string): Part => ({ kind: "text", text });

function conversation(...messages: readonly Message[]): ChatRequest {
  return bareRequest({ messages });
}

describe("turns", () => {
  it("alternate from the user's on, none empty (rule 32)", () => {
    fc.assert(
      fc.property(chatRequests("chat-completions"), fc.nat(3), (request, skipped) => {
        const turns = alternatingTurns(
          { ...request, messages: request.messages.slice(skipped) },
          openLosses({}),
        );
        turns.forEach(({ role, parts }, index) => {
          expect(role).toBe(index % 2 === 0 ? "user" : "assistant");
          expect(parts.length).toBeGreaterThan(0);
        });
      }),
    );
  });

  it("answer every call, in the order of the calls, with the tool's name (rules 22 and 23)", () => {
    const messages = answeredMessages(
      conversation(
        { role: "user", parts: [said("go")] },
        { role: "assistant", parts: [call("a"), call("b"), call("c")] },
        { role: "user", parts: [result("c"), said("and"), result("a")] },
      ),
    );
    const results = messages[2]?.parts.map((part) =>
      part.kind === "tool-result" ? [part.callId, part.name, part.isError ?? false] : part,
    );
    expect(results).toEqual([
      ["a", "tool_a", false],
      ["b", "tool_b", true],
      ["c", "tool_c", false],
    ]);
    expect(messages[3]?.parts).toEqual([said("and")]);
  });

  it("sort the results of one message too", () => {
    const messages = answeredMessages(
      conversation(
        { role: "user", parts: [said("go")] },
        { role: "assistant", parts: [call("a"), call("b")] },
        { role: "user", parts: [result("b"), result("a")] },
      ),
    );
    expect(messages[2]?.parts).toMatchObject([{ callId: "a" }, { callId: "b" }]);
  });

  it("keep a turn that says nothing: whether it may is the vendor's to say", () => {
    const silent = { role: "user", parts: [] } as const;
    expect(answeredMessages(conversation(silent))).toEqual([silent]);
  });

  it("fold later instructions into the user's next turn, results first (rule 31)", () => {
    const turns = alternatingTurns(
      conversation(
        { role: "user", parts: [said("go")] },
        { role: "assistant", parts: [call("a")] },
        { role: "system", parts: [said("be brief")] },
        { role: "user", parts: [result("a")] },
        { role: "user", parts: [said("now?"), said("")] },
      ),
      openLosses({}),
    );
    expect(turns[2]?.parts.map(({ kind }) => kind)).toEqual(["tool-result", "text", "text"]);
    expect(turns).toHaveLength(3);
  });
});
