import { readFileSync } from "node:fs";
import { fixture } from "./fixtures.ts";

/** The vendor's published schema. */
const FILE = "specs/google-generativelanguage-discovery.json";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}

/** Judges a value by a named type of the discovery document: what is wrong with it, path by path. */
export function discoveryJudge(): (type: string, value: unknown) => string[] {
  const { schemas } = JSON.parse(readFileSync(fixture(FILE), "utf8")) as {
    schemas: Readonly<Record<string, Schema>>;
  };
  function judge(schema: Schema | undefined, value: unknown, path: string): string[] {
    if (schema === undefined) return [`${path}: unknown type`];
    if (schema.$ref !== undefined) return judge(schemas[schema.$ref], value, path);
    switch (schema.type) {
      case "any":
        return [];
      case "object":
        return judgeObject(schema, value, path);
      case "array":
        if (!Array.isArray(value)) return [`${path}: no array`];
        return value.flatMap((item, index) => judge(schema.items, item, `${path}[${index}]`));
      case "string":
        if (schema.format === "int64" && Number.isSafeInteger(value)) return [];
        if (typeof value !== "string") return [`${path}: no string`];
        if (schema.enum !== undefined && !schema.enum.includes(value))
          return [`${path}: ${value} is no choice`];
        return schema.format === "byte" && !BASE64.test(value) ? [`${path}: no base64`] : [];
      case "integer":
        return Number.isSafeInteger(value) ? [] : [`${path}: no integer`];
      default:
        return typeof value === schema.type ? [] : [`${path}: no ${schema.type ?? "value"}`];
    }
  }
  function judgeObject(schema: Schema, value: unknown, path: string): string[] {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path}: no object`];
    return Object.entries(value).flatMap(([key, inner]) => {
      const property = schema.properties?.[key] ?? schema.additionalProperties;
      return property === undefined ? [`${path}.${key}: unknown`] : judge(property, inner, `${path}.${key}`);
    });
  }
  return (type, value) => judge(schemas[type], value, type);
}

const BASE64 = /^[A-Za-z0-9+/_-]*=*$/;
