import { describe, expect, it } from "vitest";
import { target } from "../../../test/support/conversation-arbitraries.ts";
import { PROTOCOLS } from "../table.ts";

/** The tools of a chat that stay strict at an upstream of messages, and if a loss says that some do not. */
function kept(schemas: readonly object[], more: object = {}) {
  const tools = schemas.map((parameters, at) => ({
    type: "function",
    function: { name: `f${at}`, strict: true, parameters },
  }));
  const body = { model: "m", messages: [{ role: "user", content: "hi" }], tools, ...more };
  const decoded = PROTOCOLS["chat-completions"].translation?.decodeRequest(body);
  if (decoded === undefined || !("value" in decoded)) throw new Error("refused");
  const encoded = PROTOCOLS.messages.translation?.encodeRequest(decoded.value, target("messages"));
  if (encoded === undefined || !("value" in encoded)) throw new Error("refused");
  const sent = encoded.value.body["tools"] as readonly { name: string; strict?: true }[];
  expect(sent.map(({ name }) => name)).toEqual(tools.map((tool) => tool.function.name));
  const lost = encoded.value.losses.some(({ path }) => path === "tools[].function.strict");
  return { strict: sent.filter(({ strict }) => strict).map(({ name }) => name), lost };
}

/** A closed object whose properties are all of this schema. */
function closed(properties: number, of: object, required = true): object {
  const names = Array.from({ length: properties }, (_, at) => `p${at}`);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, of])),
    required: required ? names : [],
    additionalProperties: false,
  };
}

const text = { type: "string" };
const maybe = { type: ["string", "null"] };

describe("strict tools at messages upstreams", () => {
  it("are no more than the vendor compiles; the others are ordinary tools, with a loss", () => {
    const many = kept(Array.from({ length: 22 }, () => closed(1, text)));
    expect(many).toMatchObject({ lost: true });
    expect(many.strict).toHaveLength(20);
    expect(kept([closed(10, maybe), closed(7, maybe), closed(6, maybe)])).toEqual({
      strict: ["f0", "f2"],
      lost: true,
    });
    expect(kept([closed(25, text, false), closed(24, text, false)])).toEqual({ strict: ["f1"], lost: true });
  });

  it("count what is nested, and the answer's schema with them", () => {
    const nested = { type: "array", items: closed(17, { anyOf: [text, { type: "null" }] }) };
    expect(kept([closed(1, nested)])).toEqual({ strict: [], lost: true });
    const format = { type: "json_schema", json_schema: { name: "a", schema: closed(10, maybe) } };
    expect(kept([closed(7, maybe)], { response_format: format })).toEqual({ strict: [], lost: true });
  });

  it("are none of those whose schemas have no end: recursive ones, and objects of any names", () => {
    const next = (reference: string) => ({ anyOf: [{ $ref: reference }, { type: "null" }] });
    const defs = { node: closed(1, next("#/$defs/node")), leaf: closed(1, text) };
    const numbers = { type: "object", additionalProperties: { type: "number" } };
    const some = { ...closed(1, text), additionalProperties: true };
    const schemas = [
      closed(1, next("#")),
      { ...closed(1, { $ref: "#/$defs/node" }), $defs: defs },
      closed(1, { $ref: "https://example.com/schema.json" }),
      closed(1, numbers),
      closed(1, { type: "object", additionalProperties: true }),
      { ...closed(2, { $ref: "#/$defs/leaf" }), $defs: { leaf: defs.leaf } },
      some,
    ];
    expect(kept(schemas)).toEqual({ strict: ["f5", "f6"], lost: true });
  });

  it("all stay strict where they are few", () => {
    expect(kept([closed(8, maybe), closed(8, maybe)])).toEqual({ strict: ["f0", "f1"], lost: false });
  });
});
