import { createHash } from "node:crypto";
import { arrayOr, canonical, isObject, type Json, type JsonObject, parseJson } from "./json.ts";
import type { CacheTtl, Part, Prompt, Tool } from "./prompt.ts";
import { countTokens } from "./tokens.ts";

/**
 * A prompt as a flat list of counted pieces, in the order in which prefixes are cached: tools,
 * system, conversation. Nothing here depends on the protocol or on how turns are grouped: this is
 * what makes one logical prompt cost the same number of tokens in all four protocols.
 */
export interface Segment {
  /** Role, kind and content: two segments are the same for a cache if their keys are equal. */
  key: string;
  text: string;
  tokens: number;
  cache: CacheTtl | undefined;
}

/** Every prompt costs this much beyond its content, so that no prompt is free. */
export const BASE_TOKENS = 3;
/** An image or document, whatever its size: no vendor's rule fits all four protocols. */
const MEDIA_TOKENS = 258;

export function segmentsOf(prompt: Prompt): Segment[] {
  const tools = prompt.tools.map(toolSegment);
  const parts = prompt.turns.flatMap((turn) => turn.parts.flatMap((part) => partSegment(turn.role, part)));
  const system = parts.filter((segment) => segment.key.startsWith("system|"));
  const conversation = parts.filter((segment) => !segment.key.startsWith("system|"));
  return [...tools, ...system, ...conversation];
}

export function tokensOfSegments(segments: readonly Segment[]): number {
  return segments.reduce((total, segment) => total + segment.tokens, BASE_TOKENS);
}

/** A short fingerprint of everything the prompt says; the response is seeded with it. */
export function digestOf(segments: readonly Segment[]): string {
  const hash = createHash("sha1");
  for (const segment of segments) if (!segment.key.startsWith("tool|")) hash.update(segment.key).update("\0");
  return hash.digest("hex");
}

function toolSegment(tool: Tool): Segment {
  const text = canonical({
    name: tool.name,
    description: tool.description,
    parameters: normalSchema(tool.schema),
  });
  return { key: `tool|${text}`, text, tokens: countTokens(text), cache: tool.cache };
}

function partSegment(role: string, part: Part): Segment[] {
  const segment = (text: string, tokens = countTokens(text)): Segment[] => [
    { key: `${role}|${part.kind}|${text}`, text, tokens, cache: "cache" in part ? part.cache : undefined },
  ];
  switch (part.kind) {
    case "text":
      return segment(part.text);
    case "media":
      return segment(part.digest, MEDIA_TOKENS);
    case "call":
      return segment(`${part.name}${canonical(part.args)}`);
    case "result":
      return segment(resultText(part.text));
    case "thinking":
      // Vendors drop the thoughts of earlier turns from the prompt: they cost nothing.
      return [];
  }
}

/**
 * A tool result in one spelling: JSON text in canonical order, and the `{ output }` or `{ result }`
 * object that generateContent needs around plain text taken off.
 */
export function resultText(text: string): string {
  const value = parseJson(text);
  if (isObject(value)) {
    const [only, ...others] = Object.keys(value);
    if (others.length === 0 && (only === "output" || only === "result")) {
      const inner = value[only];
      return typeof inner === "string" ? resultText(inner) : canonical(inner);
    }
  }
  return isObject(value) || Array.isArray(value) ? canonical(value) : text;
}

const DROPPED_FROM_SCHEMAS = new Set([
  "$schema",
  "additionalProperties",
  "strict",
  "propertyOrdering",
  "title",
]);

/**
 * A tool's schema in one spelling, since generateContent spells the same schema differently
 * (upper-case types, `nullable`, one-value `enum` for `const`).
 */
function normalSchema(schema: Json | undefined): Json {
  if (Array.isArray(schema)) return schema.map(normalSchema);
  if (!isObject(schema)) return schema ?? null;
  const normal: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED_FROM_SCHEMAS.has(key) || key === "nullable") continue;
    if (key === "const") normal["enum"] = [value ?? null];
    else if (key === "properties" && isObject(value)) normal[key] = normalProperties(value);
    else if (key === "type") normal[key] = normalType(value, schema["nullable"] === true);
    else normal[key] = normalSchema(value);
  }
  return normal;
}

function normalProperties(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, normalSchema(value)]));
}

function normalType(type: Json | undefined, nullable: boolean): Json {
  const types = (Array.isArray(type) ? arrayOr(type) : [type ?? "object"]).map((one) =>
    String(one).toLowerCase(),
  );
  if (nullable && !types.includes("null")) types.push("null");
  return types.length === 1 ? (types[0] ?? "object") : types.sort();
}
