import { appendAll } from "../../base/append-all.ts";
import type { FieldNames } from "../../conversation/loss.ts";
import {
  type ChatRequest,
  EFFORTS,
  type ForeignField,
  type Limits,
  type ReasoningOptions,
  type ResponseFormat,
  type Sampling,
  type TextPart,
} from "../../conversation/request.ts";
import {
  type Fields,
  foreignFields,
  knownFields,
  optionalCount,
  optionalFlag,
  optionalNumber,
  optionalText,
  pathOf,
  refuse,
} from "../fields.ts";
import { asObject } from "../json.ts";
import { decodeContents } from "./decode-contents.ts";
import { CONTENT_FIELDS, decodeParts } from "./decode-parts.ts";
import { decodeSchema } from "./decode-schema.ts";
import { decodeToolConfig, decodeTools } from "./decode-tools.ts";
import { optionalWord, wordOf } from "./enums.ts";
import { generateContentFields } from "./forward.ts";
import { camelBody, camelInside, itemsOf, textsOf } from "./spelling.ts";

/** Reads a caller's generateContent body; the path, not the body, names model and stream. Throws RefusedField. */
export function decodeRequest(raw: unknown): ChatRequest {
  const body = camelBody(raw, KNOWN);
  const foreign: ForeignField[] = [...foreignFields(body, KNOWN), ...cachedContent(body)];
  const system = decodeSystem(body, foreign);
  const messages = decodeContents(body, foreign);
  const tools = decodeTools(body, foreign);
  const toolChoice = decodeToolConfig(body, tools, foreign);
  const config = camelInside(body, "generationConfig", CONFIG_FIELDS) ?? {
    value: {},
    path: "generationConfig",
  };
  appendAll(foreign, foreignFields(config, CONFIG_FIELDS, MEANING));
  appendAll(foreign, decodeModalities(config));
  const reasoning = decodeReasoning(config, foreign);
  const responseFormat = decodeFormat(config, foreign);
  const n = optionalCount(config, "candidateCount");
  return {
    protocol: "generate-content",
    model: "",
    stream: false,
    includeUsage: true,
    system,
    messages,
    tools,
    toolChoice,
    sampling: decodeSampling(config),
    limits: decodeLimits(config),
    reasoning,
    responseFormat,
    n,
    foreign,
    echo: {},
    fieldNames: { ...FIELD_NAMES, responseFormat: pathOf(config, formatField(config)) },
  };
}

/** The conversation's beginning that the vendor keeps: without it the model would not know what is spoken of. */
function cachedContent(body: Fields): readonly ForeignField[] {
  const value = optionalText(body, "cachedContent");
  return value === undefined ? [] : [{ path: "cachedContent", value, ifUnsupported: "refuse" }];
}

function decodeSystem(body: Fields, foreign: ForeignField[]): readonly TextPart[] {
  const content = camelInside(body, "systemInstruction", CONTENT_FIELDS);
  if (content === undefined) return [];
  appendAll(foreign, foreignFields(content, CONTENT_FIELDS));
  return decodeParts(content, "user", foreign).map((part) => {
    if (part.kind === "text") return part;
    return refuse(content, "parts", `\`${pathOf(content, "parts")}\` must be text.`);
  });
}

function decodeSampling(config: Fields): Sampling {
  const sampling: Record<string, number> = {};
  for (const field of SAMPLING) {
    const value = optionalNumber(config, field);
    if (value !== undefined) sampling[field] = value;
  }
  return sampling;
}

function decodeLimits(config: Fields): Limits {
  const maxOutputTokens = optionalCount(config, "maxOutputTokens");
  const stop = textsOf(config, "stopSequences");
  return {
    maxOutputTokens,
    stop,
  };
}

/** A budget of 0 forbids thinking, -1 leaves it to the model. Thoughts are shown only where asked for. */
function decodeReasoning(config: Fields, foreign: ForeignField[]): ReasoningOptions | undefined {
  const thinkingConfig = camelInside(config, "thinkingConfig", THINKING_FIELDS);
  if (thinkingConfig === undefined) return undefined;
  appendAll(foreign, foreignFields(thinkingConfig, THINKING_FIELDS));
  const budget = optionalNumber(thinkingConfig, "thinkingBudget");
  const level = optionalWord(thinkingConfig, "thinkingLevel", "thinkingLevel");
  const include = optionalFlag(thinkingConfig, "includeThoughts");
  const effort = EFFORTS.find((known) => known === level?.toLowerCase());
  if (level !== undefined && effort === undefined && !level.endsWith("_UNSPECIFIED")) {
    refuse(
      thinkingConfig,
      "thinkingLevel",
      `\`${pathOf(thinkingConfig, "thinkingLevel")}\` must be minimal, low, medium or high.`,
    );
  }
  return {
    enabled: budget !== 0,
    effort,
    budgetTokens: budget === undefined || budget <= 0 ? undefined : budget,
    adaptive: budget !== undefined && budget < 0 ? true : undefined,
    summary: include === undefined ? undefined : include ? "auto" : "none",
  };
}

/** A schema counts whichever of its fields it stands in; the type of a response without one decides. */
function decodeFormat(config: Fields, foreign: ForeignField[]): ResponseFormat | undefined {
  const type = optionalText(config, "responseMimeType");
  const whole = config.value["responseJsonSchema"] ?? config.value["_responseJsonSchema"] ?? undefined;
  const native = camelInside(config, "responseSchema", NO_FIELDS)?.value;
  if (type !== undefined && type !== "text/plain" && type !== "application/json") {
    // A bare word of an enumeration, or a language of its own: no other protocol has that.
    const value = { responseMimeType: type, responseSchema: native ?? whole };
    for (const [key, each] of Object.entries(value)) {
      if (each !== undefined)
        foreign.push({ path: pathOf(config, key), value: each, ifUnsupported: "refuse" });
    }
    return undefined;
  }
  if (whole !== undefined) return { kind: "schema", schema: asSchema(config, whole) };
  if (native !== undefined) return { kind: "schema", schema: decodeSchema(native) };
  if (type === undefined) return undefined;
  return type === "application/json" ? { kind: "json" } : { kind: "text" };
}

/** The path of the requested format. A type alone is named as a type. */
function formatField({ value }: Fields): string {
  return FORMAT_FIELDS.find((field) => (value[field] ?? undefined) !== undefined) ?? "responseMimeType";
}

const FORMAT_FIELDS = ["responseJsonSchema", "_responseJsonSchema", "responseSchema"];

function asSchema(config: Fields, value: unknown): Readonly<Record<string, unknown>> {
  const schema = asObject(value);
  if (schema !== undefined) return schema;
  return refuse(
    config,
    "responseJsonSchema",
    `\`${pathOf(config, "responseJsonSchema")}\` must be an object.`,
  );
}

/** Text is what every response is; images and sound cannot be had elsewhere. */
function decodeModalities(config: Fields): readonly ForeignField[] {
  const value = config.value["responseModalities"] ?? undefined;
  if (value === undefined) return [];
  if (itemsOf(value).every((kind) => isText(wordOf("modality", kind)))) return [];
  return [{ path: pathOf(config, "responseModalities"), value, ifUnsupported: "refuse" }];
}

function isText(word: unknown): boolean {
  return typeof word === "string" && word.toUpperCase() === "TEXT";
}

const SAMPLING = [
  "temperature",
  "topP",
  "topK",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
] as const satisfies readonly (keyof Sampling)[];

const FIELD_NAMES: FieldNames = {
  system: "systemInstruction",
  messages: "contents",
  media: "contents[].parts[]",
  mediaName: "contents[].parts[].inlineData.displayName",
  detail: "contents[].parts[].mediaResolution",
  reasoningState: "contents[].parts[].thoughtSignature",
  thoughts: "contents[].parts[].thought",
  isError: "contents[].parts[].functionResponse.response.error",
  tools: "tools",
  toolChoice: "toolConfig",
  temperature: "generationConfig.temperature",
  topP: "generationConfig.topP",
  topK: "generationConfig.topK",
  seed: "generationConfig.seed",
  presencePenalty: "generationConfig.presencePenalty",
  frequencyPenalty: "generationConfig.frequencyPenalty",
  maxOutputTokens: "generationConfig.maxOutputTokens",
  stop: "generationConfig.stopSequences",
  reasoning: "generationConfig.thinkingConfig",
  n: "generationConfig.candidateCount",
};

const KNOWN = knownFields(generateContentFields);

const CONFIG_FIELDS: ReadonlySet<string> = new Set([
  ...SAMPLING,
  "maxOutputTokens",
  "stopSequences",
  "candidateCount",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "_responseJsonSchema",
  "responseModalities",
  "thinkingConfig",
]);

const THINKING_FIELDS: ReadonlySet<string> = new Set(["includeThoughts", "thinkingBudget", "thinkingLevel"]);

/** Forms of responses that only this vendor gives. */
const MEANING: ReadonlySet<string> = new Set(["responseFormat", "translationConfig", "translation_config"]);

const NO_FIELDS: ReadonlySet<string> = new Set();
