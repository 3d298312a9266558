import { isObject, type Json, type JsonObject, objectOr } from "../../json.ts";
import { refuse } from "../../refusal.ts";

/**
 * The vendor reads protobuf JSON: every field may be written in camelCase or snake_case, and a
 * field that no message has is refused.
 */
export function field(object: JsonObject, camel: string): Json | undefined {
  return object[camel] ?? object[snake(camel)] ?? undefined;
}

function snake(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelOf(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const REQUEST = fieldSet(
  "model contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent serviceTier store labels",
);
const GENERATION_CONFIG = fieldSet(
  "stopSequences responseMimeType responseSchema responseJsonSchema _responseJsonSchema responseModalities candidateCount " +
    "maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseLogprobs logprobs " +
    "enableEnhancedCivicAnswers speechConfig thinkingConfig imageConfig mediaResolution responseFormat " +
    "enableAffectiveDialog translationConfig routingConfig audioTimestamp modelSelectionConfig",
);
const THINKING_CONFIG = fieldSet("includeThoughts thinkingBudget thinkingLevel");
const SCHEMA = fieldSet(
  "type format title description nullable default items minItems maxItems enum properties propertyOrdering required " +
    "minProperties maxProperties minimum maximum minLength maxLength pattern example anyOf",
);

function fieldSet(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

export function checkRequestFields(body: JsonObject): void {
  checkNames(body, REQUEST, "");
  const config = objectOr(field(body, "generationConfig"));
  checkNames(config, GENERATION_CONFIG, "generation_config");
  checkNames(objectOr(field(config, "thinkingConfig")), THINKING_CONFIG, "generation_config.thinking_config");
}

function checkNames(object: JsonObject, known: ReadonlySet<string>, path: string): void {
  const unknown = Object.keys(object).find((name) => !known.has(name) && !known.has(camelOf(name)));
  if (unknown === undefined) return;
  const at = path === "" ? "" : ` at '${path}'`;
  refuse(
    `Invalid JSON payload received. Unknown name "${unknown}"${at}: Cannot find field.`,
    path || undefined,
  );
}

/** A `parameters` or `responseSchema` value: the vendor's small subset of JSON Schema. */
export function checkSchemaFields(value: Json | undefined, path: string): void {
  if (!isObject(value)) return;
  checkNames(value, SCHEMA, path);
  if (Array.isArray(value["type"])) {
    refuse(
      `Invalid value at '${path}.type': Proto field is not repeating, cannot start list.`,
      `${path}.type`,
    );
  }
  checkSchemaFields(value["items"], `${path}.items`);
  for (const [index, [, property]] of Object.entries(objectOr(value["properties"])).entries()) {
    checkSchemaFields(property, `${path}.properties[${index}].value`);
  }
  const branches = field(value, "anyOf");
  for (const [index, branch] of (Array.isArray(branches) ? branches : []).entries()) {
    checkSchemaFields(branch, `${path}.any_of[${index}]`);
  }
}
