import { describe, expect, it } from "vitest";
import { openLosses } from "../loss.ts";
import { describedSchema, objectSchema, subsetSchema } from "./schema-subset.ts";

describe("the schema subset (rule 28)", () => {
  it("inlines local references and survives recursive ones", () => {
    const tree = {
      type: "object",
      properties: { next: { $ref: "#/$defs/node" } },
      $defs: {
        node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, value: { type: "string" } } },
      },
    };
    expect(subsetSchema(tree)).toEqual({
      schema: {
        type: "object",
        properties: {
          next: { type: "object", properties: { next: { type: "object" }, value: { type: "string" } } },
        },
      },
      lossy: true,
    });
  });

  it("says null by `nullable`, one value by an enumeration", () => {
    const schema = {
      type: "object",
      additionalProperties: false,
      required: ["a", "gone"],
      properties: {
        a: { type: ["string", "null"] },
        b: { anyOf: [{ type: "integer" }, { type: "null" }] },
        c: { const: "x" },
      },
    };
    expect(subsetSchema(schema)).toEqual({
      schema: {
        type: "object",
        required: ["a"],
        properties: {
          a: { type: "string", nullable: true },
          b: { type: "integer", nullable: true },
          c: { type: "string", enum: ["x"] },
        },
      },
      lossy: false,
    });
  });

  it("tells when a constraint is gone", () => {
    expect(subsetSchema({ type: "string", format: "email" })).toEqual({
      schema: { type: "string" },
      lossy: true,
    });
    expect(subsetSchema({ type: "object", patternProperties: {} }).lossy).toBe(true);
    expect(subsetSchema({ $ref: "https://example.com/schema" }).lossy).toBe(true);
  });

  it("ends on schemas of any depth", () => {
    let deep: Record<string, unknown> = { type: "string" };
    for (let level = 0; level < 200; level += 1) deep = { type: "array", items: deep };
    expect(subsetSchema(deep).lossy).toBe(true);
  });

  it("names the type that messages wants of every tool", () => {
    expect(objectSchema(undefined)).toEqual({ type: "object", properties: {} });
    expect(objectSchema({ properties: {} })).toEqual({ type: "object", properties: {} });
  });
});

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
