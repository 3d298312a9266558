import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codecOf } from "../../../test/support/codec-of.ts";
import { target } from "../../../test/support/conversation-arbitraries.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../../../test/support/text-caller.ts";
import type { JsonObject } from "../request.ts";

type Wire = { readonly body: JsonObject; readonly losses: readonly { path: string }[] };

/** One turn as its caller writes it: words, an empty text, or nothing at all. */
interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string | undefined;
}

const CALLERS: Readonly<Record<TextProtocol, (turns: readonly Turn[]) => JsonObject>> = {
  "chat-completions": (turns) => ({ model: "m", messages: turns.map(spoken) }),
  responses: (turns) => ({ model: "m", input: turns.map(spoken) }),
  messages: (turns) => ({
    model: "m",
    max_tokens: 9,
    messages: turns.map(({ role, text }) => ({ role, content: text ?? [] })),
  }),
  "generate-content": (turns) => ({
    contents: turns.map(({ role, text }) => ({
      role: role === "user" ? "user" : "model",
      ...(text === undefined ? {} : { parts: [{ text }] }),
    })),
  }),
};

function spoken({ role, text }: Turn): JsonObject {
  return { role, ...(text === undefined ? {} : { content: text }) };
}

/** The request as sent to an upstream, or the field for which it is refused. */
function sent(client: TextProtocol, upstream: TextProtocol, body: JsonObject): Wire | string {
  const read = codecOf(client).decodeRequest(body);
  if ("refused" in read) return read.refused.path;
  const encoded = codecOf(upstream).encodeRequest(read.value, target(upstream));
  return "refused" in encoded ? encoded.refused.path : encoded.value;
}

function pairs(): (readonly [TextProtocol, TextProtocol])[] {
  return TEXT_PROTOCOLS.flatMap((client) =>
    TEXT_PROTOCOLS.filter((upstream) => upstream !== client).map((upstream) => [client, upstream] as const),
  );
}

const FIELD: Readonly<Record<TextProtocol, string>> = {
  "chat-completions": "messages",
  responses: "input",
  messages: "messages",
  "generate-content": "contents",
};

const user = (text?: string): Turn => ({ role: "user", text });
const assistant = (text?: string): Turn => ({ role: "assistant", text });

/** Roles and words of what was sent, whatever the protocol; instructions apart. */
function turnsOf({ body }: Wire): (readonly [string, string])[] {
  const listed = (body["messages"] ?? body["input"] ?? body["contents"]) as JsonObject[];
  return listed.map((each) => [
    each["role"] === "model" ? "assistant" : String(each["role"]),
    wordsIn(each["content"] ?? each["parts"]),
  ]);
}

function wordsIn(content: unknown): string {
  if (typeof content === "string") return content;
  return ((content ?? []) as { text?: string }[]).map(({ text }) => text ?? "").join("");
}

describe("turns without words", () => {
  it("leave nothing to answer: the request is refused by the name of its own field", () => {
    for (const [client, upstream] of pairs()) {
      for (const turns of [[], [user()], [user("a"), assistant("b"), user()], [assistant("")]]) {
        expect(sent(client, upstream, CALLERS[client](turns)), `${client} at ${upstream}`).toBe(
          FIELD[client],
        );
      }
    }
  });

  it("keep their place inside a conversation, and are named", () => {
    for (const [client, upstream] of pairs()) {
      const said = sent(client, upstream, CALLERS[client]([user("a"), assistant(""), user("c")]));
      if (typeof said === "string") throw new Error(said);
      expect(turnsOf(said), `${client} at ${upstream}`).toEqual([
        ["user", "a"],
        ["assistant", "(no content)"],
        ["user", "c"],
      ]);
      expect(said.losses).toContainEqual({ path: FIELD[client], reason: "weakened" });
      const last = sent(client, upstream, CALLERS[client]([user("a"), assistant("b"), user("")]));
      if (typeof last === "string") throw new Error(last);
      expect(turnsOf(last).at(-1)).toEqual(["user", "(no content)"]);
      expect(last.losses).toContainEqual({ path: FIELD[client], reason: "weakened" });
    }
  });

  it("are never answered as an answer to go on from, whatever the conversation", () => {
    const text = fc.constantFrom("a", "b c", "", undefined);
    const role = fc.constantFrom("user", "assistant");
    const turn: fc.Arbitrary<Turn> = fc.record({ role, text });
    const talk = fc.array(turn, { maxLength: 6 }).map((turns) => [...turns, user("last"), user("")]);
    fc.assert(
      fc.property(talk, fc.constantFrom(...pairs()), (turns, [client, upstream]) => {
        const said = sent(client, upstream, CALLERS[client](turns));
        if (typeof said === "string") throw new Error(said);
        const told = turnsOf(said);
        expect(told.at(-1)?.[0]).toBe("user");
        expect(told.every(([, words]) => words.trim() !== "")).toBe(true);
        const speakers = (roles: readonly string[]) => roles.filter((each, at) => each !== roles[at - 1]);
        const mine = speakers(turns.map((each) => each.role));
        // Protocols that must begin with the user get a turn of the user first.
        const theirs = speakers(told.map(([each]) => each));
        expect(theirs).toEqual(theirs.length > mine.length ? ["user", ...mine] : mine);
      }),
    );
  });

  it("are what an empty result and a turn of calls alone are not", () => {
    const body = {
      model: "m",
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "f" } }] },
        { role: "tool", tool_call_id: "a", content: "" },
      ],
    };
    for (const upstream of ["responses", "messages", "generate-content"] as const) {
      const said = sent("chat-completions", upstream, body);
      expect(typeof said === "object" && said.losses, upstream).toEqual([]);
    }
  });

  it("are all that follows instructions: those are answered", () => {
    const body = { model: "m", messages: [{ role: "developer", content: "Say hello." }] };
    for (const upstream of ["messages", "generate-content"] as const) {
      const said = sent("chat-completions", upstream, body);
      if (typeof said === "string") throw new Error(said);
      expect(turnsOf(said)).toEqual([["user", "Say hello."]]);
      expect(said.body).not.toHaveProperty(upstream === "messages" ? "system" : "systemInstruction");
    }
    const atResponses = sent("chat-completions", "responses", body);
    expect(typeof atResponses === "object" && turnsOf(atResponses)).toEqual([["system", "Say hello."]]);
    const input = { model: "m", input: [{ role: "developer", content: "Say hello." }] };
    const atChat = sent("responses", "chat-completions", input);
    expect(typeof atChat === "object" && turnsOf(atChat)).toEqual([["system", "Say hello."]]);
  });

  it("are the opening that some vendors want of the user, which is named", () => {
    for (const upstream of ["messages", "generate-content"] as const) {
      const turns = [assistant("How can I help?"), user("Sing.")];
      const said = sent("chat-completions", upstream, CALLERS["chat-completions"](turns));
      if (typeof said === "string") throw new Error(said);
      expect(turnsOf(said)[0]).toEqual(["user", "(no content)"]);
      expect(said.losses).toContainEqual({ path: "messages", reason: "weakened" });
    }
  });
});
