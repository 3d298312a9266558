import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatRequests, target } from "../../../test/support/conversation-arbitraries.ts";
import { asArray, asObject, asObjects, type JsonObject } from "../../protocols/json.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { ChatProtocol } from "../protocol-name.ts";
import type { ChatRequest, Message } from "../request.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

describe("messages of the user's toward chats", () => {
  it("hold what a tool shows and what is said next, from messages", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
    const result = { type: "tool_result", tool_use_id: "c1", content: [image] };
    const call = { type: "tool_use", id: "c1", name: "look", input: {} };
    const start = [
      { role: "user", content: "Look." },
      { role: "assistant", content: [call] },
    ];
    const said = { type: "text", text: "What is it?" };
    for (const end of [
      [{ role: "user", content: [result, said] }],
      [
        { role: "user", content: [result] },
        { role: "user", content: [said] },
      ],
    ]) {
      const written = toChat("messages", { max_tokens: 9, messages: [...start, ...end] });
      expect(written.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
      expect(kindsOf(written[3])).toEqual(["text", "image_url", "text"]);
    }
  });

  it("hold what a tool shows and what is said next, from responses", () => {
    const image = { type: "input_image", image_url: `data:image/png;base64,${PNG}` };
    const written = toChat("responses", {
      input: [
        { role: "user", content: "Look." },
        { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: [image] },
        { role: "user", content: "What is it?" },
        { role: "user", content: "Quickly." },
      ],
    });
    expect(written.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "user"]);
    expect(kindsOf(written[3])).toEqual(["text", "image_url", "text"]);
    expect(written[4]?.["content"]).toBe("Quickly.");
  });

  it("hold what the assistant made and what is said next, from generateContent", () => {
    const written = toChat("generate-content", {
      contents: [
        { role: "user", parts: [{ text: "Draw." }] },
        { role: "model", parts: [{ text: "Here." }, { inlineData: { mimeType: "image/png", data: PNG } }] },
        { role: "user", parts: [{ text: "Larger." }] },
      ],
    });
    expect(written.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(kindsOf(written[2])).toEqual(["text", "image_url", "text"]);
  });

  it.each(["chat-completions", "responses", "messages", "generate-content"] as const)(
    "never stand in a row where the caller's own do not, from %s",
    (protocol) => {
      fc.assert(
        fc.property(chatRequests(protocol), fc.nat(3), (request, skipped) => {
          const asked = { ...request, messages: request.messages.slice(skipped) };
          const written = encode(asked) ?? [];
          const rows = written.filter(
            ({ role }, at) => role === "user" && written[at - 1]?.["role"] === "user",
          );
          expect(rows.length).toBeLessThanOrEqual(neighbours(asked.messages));
        }),
      );
    },
  );
});

function toChat(from: ChatProtocol, body: object): readonly JsonObject[] {
  const decoded = PROTOCOLS[from].translation?.decodeRequest({ model: "m", ...body });
  if (decoded === undefined || "refused" in decoded) throw decoded?.refused;
  return encode(decoded.value) ?? [];
}

/** The messages of a chat; undefined = the request is refused. */
function encode(request: ChatRequest): readonly JsonObject[] | undefined {
  const encoded = PROTOCOLS["chat-completions"].translation?.encodeRequest(
    request,
    target("chat-completions"),
  );
  if (encoded === undefined || "refused" in encoded) return undefined;
  return asObjects(encoded.value.body["messages"]);
}

function kindsOf(message: JsonObject | undefined): readonly unknown[] {
  return asArray(message?.["content"]).map((part) => asObject(part)?.["type"]);
}

/** The number of times that the caller's own messages of the user stand in a row; results of tools are none. */
function neighbours(messages: readonly Message[]): number {
  const said = messages.map(
    ({ role, parts }) =>
      role === "user" && (parts.length === 0 || parts.some(({ kind }) => kind !== "tool-result")),
  );
  return said.filter((isSaid, at) => isSaid && said[at - 1]).length;
}
