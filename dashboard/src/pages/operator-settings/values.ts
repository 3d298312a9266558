import type { SettingsResponse } from "../../../../src/console/settings/contract.ts";

export type SettingField = SettingsResponse["fields"][number];
export type Shape = "number" | "numbers" | "switch" | "text" | "lines" | "json";

interface Schema {
  readonly type?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** How a setting is typed, read off its schema; what is nested is typed as JSON. */
export function shapeOf(schema: Schema): Shape {
  if (isText(schema)) return "text";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean") return "switch";
  const parts = Object.values(schema.properties ?? {});
  if (parts.length > 0 && parts.every((part) => shapeOf(part) === "number")) return "numbers";
  return schema.type === "array" && schema.items && isText(schema.items) ? "lines" : "json";
}

function isText({ type, anyOf }: Schema): boolean {
  return type === "string" || (anyOf?.every((each) => each.type === "null" || isText(each)) ?? false);
}

/** The names of the numbers of which a setting consists. */
export function partsOf({ properties = {} }: Schema): string[] {
  return Object.keys(properties);
}

/** The numbers as they are typed, which the page keeps as JSON. */
export function typedParts(typed: string): Readonly<Record<string, number | string>> {
  return typed === "" ? {} : (JSON.parse(typed) as Record<string, number | string>);
}

/** With one of them typed anew; "" = none is set any more. What is no number is left to the gateway to refuse. */
export function withPart(typed: string, name: string, text: string): string {
  const { [name]: _, ...others } = typedParts(typed);
  const parts =
    text.trim() === "" ? others : { ...others, [name]: Number.isNaN(Number(text)) ? text : Number(text) };
  return Object.keys(parts).length === 0 ? "" : JSON.stringify(parts);
}

/** A value as it is typed; "" = not set. */
export function typedOf(shape: Shape, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (shape === "lines" && Array.isArray(value)) return value.join("\n");
  return shape === "json" || shape === "numbers" ? JSON.stringify(value, null, 2) : String(value);
}

/** The value of what was typed; undefined = not set. Throws where JSON is none. */
export function readTyped(shape: Shape, typed: string): unknown {
  const text = typed.trim();
  if (text === "") return undefined;
  switch (shape) {
    case "number":
      return Number(text);
    case "switch":
      return text === "true";
    case "lines":
      return text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    case "json":
    case "numbers":
      return JSON.parse(text) as unknown;
    case "text":
      return text;
  }
}

export function isSound(shape: Shape, typed: string): boolean {
  try {
    readTyped(shape, typed);
    return true;
  } catch {
    return false;
  }
}
