import { describe, expect, it } from "vitest";
import { openLosses } from "../loss.ts";
import { describedSchema } from "./described-schema.ts";

describe("a schema with a description beside it", () => {
  it("takes the description in, or loses it by name where it has another", () => {
    const losses = openLosses({ responseFormat: "text.format" });
    const schema = { type: "object" };
    expect(describedSchema({ kind: "schema", schema }, losses)).toBe(schema);
    expect(describedSchema({ kind: "schema", schema, description: "A." }, losses)).toEqual({
      type: "object",
      description: "A.",
    });
    expect(losses.list()).toEqual([]);
    const own = { ...schema, description: "B." };
    expect(describedSchema({ kind: "schema", schema: own, description: "A." }, losses)).toBe(own);
    expect(losses.list()).toEqual([{ path: "text.format.description", reason: "no-slot" }]);
  });
});
