import type { SettingsResponse } from "../../../../src/console/settings/contract.ts";

export type SettingField = SettingsResponse["fields"][number];
type Shape = "number" | "switch" | "choice" | "text" | "lines" | "group" | "list" | "variants";

/** The part of JSON Schema that settings are declared in. */
export interface Schema {
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

export type Group = Readonly<Record<string, unknown>>;

/** The control that a setting is edited with, read off its schema. Throws where there is none. */
export function shapeOf(schema: Schema): Shape {
  if (schema.enum !== undefined) return "choice";
  if (isText(schema)) return "text";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean") return "switch";
  if (schema.oneOf?.every(({ properties }) => properties?.["kind"] !== undefined)) return "variants";
  if (schema.properties !== undefined) return "group";
  if (schema.type === "array" && schema.items !== undefined) return isText(schema.items) ? "lines" : "list";
  throw new Error("The settings page has no control for this schema.");
}

function isText({ type, anyOf }: Schema): boolean {
  return type === "string" || (anyOf?.every((each) => each.type === "null" || isText(each)) ?? false);
}

/** The parts of a group by name. */
export function partsOf({ properties = {} }: Schema): [name: string, schema: Schema][] {
  return Object.entries(properties);
}

/** The kinds that a setting with variants may have. */
export function kindsOf({ oneOf = [] }: Schema): string[] {
  return oneOf.flatMap(({ properties }) => {
    const kind = properties?.["kind"];
    return kind?.enum ?? (kind?.const === undefined ? [] : [kind.const]);
  });
}

/** The further parts of the variant of that kind. */
export function variantParts({ oneOf = [] }: Schema, kind: unknown): [name: string, schema: Schema][] {
  const variant = oneOf.find((each) => kindsOf({ oneOf: [each] }).includes(String(kind)));
  return partsOf(variant ?? {}).filter(([name]) => name !== "kind");
}

/** A group with one part changed; undefined = the part is no longer set. */
export function withPart(group: unknown, name: string, part: unknown): Group | undefined {
  const { [name]: _, ...others } = groupOf(group);
  const parts = part === undefined ? others : { ...others, [name]: part };
  return Object.keys(parts).length === 0 ? undefined : parts;
}

export function groupOf(value: unknown): Group {
  return typeof value === "object" && value !== null ? (value as Group) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A number as typed. The gateway refuses what is not a number. */
export function typedNumber(text: string): number | string | undefined {
  if (text.trim() === "") return undefined;
  return Number.isNaN(Number(text)) ? text : Number(text);
}

/** The value to send: without blank lines and empty parts; undefined = not set. */
export function cleaned(value: unknown): unknown {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  if (Array.isArray(value)) {
    const items = value.map((item) => (typeof item === "object" ? (cleaned(item) ?? {}) : cleaned(item)));
    const given = items.filter((item) => item !== undefined);
    return given.length === 0 ? undefined : given;
  }
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const parts = Object.entries(value).map(([name, part]) => [name, cleaned(part)] as const);
  const given = parts.filter(([, part]) => part !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
