import { describe, expect, it } from "vitest";
import { target } from "../../../test/support/conversation-arbitraries.ts";
import { PROTOCOLS } from "../table.ts";

const text = (words: string) => ({ type: "text", text: words });
const found = {
  type: "search_result",
  source: "https://docs.example/rome",
  title: "Rome",
  content: [text("It is old."), text("It is large.")],
  citations: { enabled: true },
};
const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
const document = (content: unknown) => ({
  type: "document",
  title: "Notes",
  source: { type: "content", content },
});

function sent(content: readonly object[]) {
  const called = { type: "tool_use", id: "call_1", name: "search", input: {} };
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: [called] },
    { role: "user", content },
  ];
  const decoded = PROTOCOLS.messages.translation?.decodeRequest({ model: "m", max_tokens: 9, messages });
  if (decoded === undefined || !("value" in decoded)) throw new Error("malformed");
  const encoded = PROTOCOLS["chat-completions"].translation?.encodeRequest(
    decoded.value,
    target("chat-completions"),
  );
  if (encoded === undefined) throw new Error("no translation");
  if ("refused" in encoded) return { refused: encoded.refused.path };
  const { body, losses } = encoded.value;
  return { told: (body["messages"] as readonly unknown[]).slice(2), losses };
}

const RESULT = { type: "tool_result", tool_use_id: "call_1" };

describe("texts that a caller of messages found", () => {
  it("reach other vendors in words, with where they are from, in results and beside them", () => {
    const words = "Rome\nhttps://docs.example/rome\n\nIt is old.\n\nIt is large.";
    expect(sent([{ ...RESULT, content: [found] }, document([text("a"), text("b")]), document("c")])).toEqual({
      told: [
        { role: "tool", tool_call_id: "call_1", content: words },
        { role: "user", content: [text("Notes\n\na\n\nb"), text("Notes\n\nc")] },
      ],
      losses: [
        { path: "messages[].content[].content[]", reason: "weakened" },
        { path: "messages[].content[]", reason: "weakened" },
      ],
    });
  });

  it("reach other vendors where a summary stands for what came before", () => {
    const summary = { type: "compaction", content: "We spoke of Rome." };
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [summary, text("Yes.")] },
      { role: "user", content: "Go on." },
    ];
    const decoded = PROTOCOLS.messages.translation?.decodeRequest({ model: "m", max_tokens: 9, messages });
    if (decoded === undefined || !("value" in decoded)) throw new Error("malformed");
    for (const name of ["chat-completions", "responses", "generate-content"] as const) {
      const encoded = PROTOCOLS[name].translation?.encodeRequest(decoded.value, target(name));
      expect(JSON.stringify(encoded), name).toContain("We spoke of Rome.");
    }
    const own = PROTOCOLS.messages.translation?.encodeRequest(decoded.value, target("messages"));
    expect(JSON.stringify(own)).toContain(JSON.stringify(summary));
  });

  it("are refused where they hold more than texts, which would be lost", () => {
    expect(sent([{ ...RESULT, content: "1" }, document([text("a"), image])])).toEqual({
      refused: "messages[2].content[1]",
    });
  });
});
