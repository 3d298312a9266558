import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "./json.ts";
import { schemaValue } from "./json-schema-value.ts";
import { createSeeded } from "./seeded.ts";

const SCHEMAS: Record<string, JsonObject> = {
  "every type": {
    type: "object",
    properties: {
      text: { type: "string" },
      whole: { type: "integer" },
      part: { type: "number" },
      flag: { type: "boolean" },
      nothing: { type: "null" },
      list: { type: "array", items: { type: "string" } },
    },
    required: ["text", "whole", "part", "flag", "nothing", "list"],
    additionalProperties: false,
  },
  "enum and const": {
    type: "object",
    properties: { one: { enum: ["x", "y", 3] }, fixed: { const: "z" } },
    required: ["one", "fixed"],
  },
  "bounds of numbers": {
    type: "object",
    properties: {
      a: { type: "integer", minimum: 7, maximum: 8 },
      b: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
      c: { type: "integer", maximum: -5 },
      d: { type: "number", multipleOf: 0.1, minimum: 0.25 },
      e: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
      f: { type: "integer", minimum: 100, multipleOf: 7 },
    },
    required: ["a", "b", "c", "d", "e", "f"],
  },
  "bounds of texts and lists": {
    type: "object",
    properties: {
      long: { type: "string", minLength: 40 },
      short: { type: "string", maxLength: 2 },
      exact: { type: "string", minLength: 3, maxLength: 3 },
      three: { type: "array", items: { type: "integer" }, minItems: 3, maxItems: 4 },
      none: { type: "array", items: { type: "integer" }, maxItems: 0 },
    },
    required: ["long", "short", "exact", "three", "none"],
  },
  "patterns and formats": {
    type: "object",
    properties: {
      code: { type: "string", pattern: "^[A-Z]{3}$" },
      digits: { type: "string", pattern: "^\\d{5}$" },
      when: { type: "string", format: "date-time" },
      who: { type: "string", format: "email" },
      id: { type: "string", format: "uuid" },
    },
    required: ["code", "digits", "when", "who", "id"],
  },
  "references, also to itself": {
    type: "object",
    properties: { root: { $ref: "#/$defs/node" } },
    required: ["root"],
    $defs: {
      node: {
        type: "object",
        properties: {
          name: { type: "string" },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
          next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
        },
        required: ["name", "children", "next"],
      },
    },
  },
  "branches, nullables and type lists": {
    type: "object",
    properties: {
      either: { anyOf: [{ type: "null" }, { type: "integer", minimum: 3 }] },
      or: { oneOf: [{ type: "string", const: "a" }, { type: "number" }] },
      both: {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
        ],
      },
      listed: { type: ["string", "null"] },
    },
    required: ["either", "or", "both", "listed"],
  },
  "a tuple": { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
};

describe("a value made from a schema", () => {
  for (const [what, schema] of Object.entries(SCHEMAS)) {
    it(`is valid against it: ${what}`, () => {
      const validator = z.fromJSONSchema(schema as never);
      for (let seed = 0; seed < 40; seed += 1) {
        const value = schemaValue(schema, createSeeded(seed));
        const verdict = validator.safeParse(value);
        expect(verdict.success, `${JSON.stringify(value)} ${JSON.stringify(verdict.error?.issues)}`).toBe(
          true,
        );
      }
    });
  }

  it("understands the spelling of generateContent", () => {
    const schema = {
      type: "OBJECT",
      properties: {
        n: { type: "INTEGER", minimum: 5 },
        s: { type: "STRING", nullable: true },
        l: { type: "ARRAY", items: { type: "BOOLEAN" } },
      },
    };
    const value = schemaValue(schema, createSeeded(1)) as { [key: string]: Json };
    expect(value["n"]).toBeGreaterThanOrEqual(5);
    expect(value["s"]).toEqual(expect.any(String));
    expect(value["l"]).toEqual([expect.any(Boolean)]);
  });

  it("keeps hostile property names as plain data", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}}',
    );
    const text = JSON.stringify(schemaValue(schema, createSeeded(1)));
    expect(Object.keys(JSON.parse(text))).toEqual(["__proto__", "constructor"]);
  });
});
