import { expect, it } from "vitest";
import { responseSchema } from "./response-schema.ts";

it("keeps the formats that the vendor takes and drops the others, whatever wrote them", () => {
  const of = (count: object, word: object, link: object) => ({
    type: "object",
    properties: { count, word, link, format: { type: "string" } },
    required: ["count", "word", "link", "format"],
    additionalProperties: false,
  });
  const integer = { type: "integer" };
  const word = { type: "string", enum: ["a", "b"] };
  const link = { type: "string", format: "uri" };
  const native = of({ ...integer, format: "int32" }, { ...word, format: "enum" }, link);
  expect(responseSchema(native)).toEqual({ schema: of(integer, word, link), lossy: true });
  expect(responseSchema(of(integer, word, link))).toEqual({ schema: of(integer, word, link), lossy: false });
});
