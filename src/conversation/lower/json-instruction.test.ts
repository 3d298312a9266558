import { describe, expect, it } from "vitest";
import { target } from "../../../test/support/conversation-arbitraries.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { ChatProtocol } from "../protocol-name.ts";
import type { Quirks } from "./quirks.ts";

/** The request that an upstream gets for a chat or a native request, and its losses. */
function sent(body: object, to: ChatProtocol, quirks: Quirks = {}) {
  const from = "contents" in body ? "generate-content" : "chat-completions";
  const decoded = PROTOCOLS[from].translation?.decodeRequest({ model: "m", ...body });
  if (decoded === undefined || !("value" in decoded)) throw new Error(JSON.stringify(decoded));
  const encoded = PROTOCOLS[to].translation?.encodeRequest(decoded.value, target(to, { quirks }));
  if (encoded === undefined || !("value" in encoded)) throw new Error(JSON.stringify(encoded));
  return { ...encoded.value.body, losses: encoded.value.losses };
}

const ANY = { response_format: { type: "json_object" } };
const user = { role: "user", content: "A user." };
const words = "Answer with nothing but JSON.";

describe("a wish for JSON", () => {
  it("goes in words with its schema to models that take no schema, so that they know it", () => {
    const schema = { type: "object", properties: { age: { type: "integer" } } };
    const format = { type: "json_schema", json_schema: { name: "user", schema } };
    const told = `Answer with nothing but JSON of this JSON Schema: ${JSON.stringify(schema)}`;
    const asked = { messages: [{ role: "system", content: "Be kind." }, user], response_format: format };
    expect(sent(asked, "chat-completions", { structuredOutput: "json" })).toMatchObject({
      messages: [{ role: "system", content: `Be kind.\n\n${told}` }, user],
      response_format: { type: "json_object" },
      losses: [{ path: "response_format", reason: "weakened" }],
    });
    expect(sent(asked, "responses", { structuredOutput: "json" })).toMatchObject({
      instructions: "Be kind.",
      input: [
        { role: "system", content: told },
        { role: "user", content: "A user." },
      ],
    });
  });

  it("has the word for it where vendors want it, and not twice", () => {
    const native = (text: string) => ({
      contents: [{ parts: [{ text }] }],
      generationConfig: { responseMimeType: "application/json" },
    });
    expect(sent(native("A user."), "chat-completions")).toMatchObject({
      messages: [{ role: "system", content: words }, user],
    });
    expect(sent(native("A user as Json."), "chat-completions")).toMatchObject({
      messages: [{ role: "user" }],
    });
    // `instructions` are not looked into there.
    const instructed = { messages: [{ role: "system", content: "Write JSON." }, user], ...ANY };
    expect(sent(instructed, "responses")).toMatchObject({
      instructions: "Write JSON.",
      input: [{ role: "system", content: words }, { role: "user" }],
    });
    const said = { messages: [{ ...user, content: "As JSON." }], ...ANY };
    expect(sent(said, "responses")).toMatchObject({ input: [{ role: "user" }] });
  });

  it("is told in words alone where no field takes it", () => {
    expect(sent({ messages: [user], ...ANY }, "messages")).toMatchObject({
      system: words,
      losses: [{ path: "response_format", reason: "weakened" }],
    });
  });

  it("stays as it is where the field says it all, and where the caller speaks the vendor's protocol", () => {
    expect(sent({ messages: [user], ...ANY }, "generate-content")).not.toHaveProperty("systemInstruction");
    expect(sent({ messages: [user], ...ANY }, "chat-completions")).toMatchObject({ messages: [user] });
  });
});
