import { setField } from "../../base/json/record.ts";
import { bodyFields, type Fields, optionalTexts, pathOf, refuse } from "../fields.ts";
import { asObject, type JsonObject } from "../json.ts";

/**
 * The vendor reads every field in camelCase and in snake_case alike, and SDKs write both. These readers
 * give the fields that a decoder knows in camelCase; unknown ones keep their spelling. Where a body has
 * both, camelCase wins.
 */
export function camelBody(body: unknown, known: ReadonlySet<string>): Fields {
  return camelFields(bodyFields(body), known);
}

function camelFields(fields: Fields, known: ReadonlySet<string>): Fields {
  const value: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(fields.value)) {
    const camel = camelCase(key);
    if (camel === key || !known.has(camel)) setField(value, key, inner);
    else value[camel] ??= fields.value[camel] ?? inner;
  }
  return { value, path: fields.path };
}

/** An object inside; undefined where it is absent. */
export function camelInside(fields: Fields, key: string, known: ReadonlySet<string>): Fields | undefined {
  const value = fields.value[key] ?? undefined;
  if (value === undefined) return undefined;
  const object = asObject(value) ?? refuse(fields, key, `\`${pathOf(fields, key)}\` must be an object.`);
  return camelFields({ value: object, path: pathOf(fields, key) }, known);
}

/** The items of a list, or the single value in place of a list of one (rule 42). */
export function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** The strings of a list; undefined where it is absent. */
export function textsOf(fields: Fields, key: string): readonly string[] | undefined {
  const value = fields.value[key];
  return optionalTexts(typeof value === "string" ? { ...fields, value: { [key]: [value] } } : fields, key);
}

/** The objects of a list. */
export function camelList(fields: Fields, key: string, known: ReadonlySet<string>): readonly Fields[] {
  const path = pathOf(fields, key);
  return itemsOf(fields.value[key]).map((item, index) => {
    const object = asObject(item);
    if (object === undefined) return refuse(fields, key, `\`${path}[${index}]\` must be an object.`);
    return camelFields({ value: object, path: `${path}[${index}]` }, known);
  });
}

/** The fields of an object that hold objects, or lists of them, with fields of their own that are the protocol's. */
interface Inside {
  readonly [field: string]: Inside;
}

const LEAF: Inside = {};

/** Arguments, results and what else has names of its own are not the protocol's. */
const RESPONSE: Inside = {
  candidates: {
    content: {
      parts: {
        functionCall: { partialArgs: LEAF },
        inlineData: LEAF,
        fileData: LEAF,
        executableCode: LEAF,
        codeExecutionResult: LEAF,
      },
    },
    groundingMetadata: {
      groundingChunks: { web: LEAF, maps: LEAF, retrievedContext: LEAF },
      groundingSupports: { segment: LEAF },
      searchEntryPoint: LEAF,
    },
    urlContextMetadata: { urlMetadata: LEAF },
    citationMetadata: { citations: LEAF, citationSources: LEAF },
  },
  promptFeedback: LEAF,
  usageMetadata: {
    promptTokensDetails: LEAF,
    cacheTokensDetails: LEAF,
    candidatesTokensDetails: LEAF,
    toolUsePromptTokensDetails: LEAF,
  },
};

/**
 * A response, or an event of one, with the protocol's fields in camelCase: the one door of meter and decoder, so that both read
 * the same of it. The same object where it is so already, as of the vendor's own.
 */
export function camelResponse(body: JsonObject): JsonObject {
  return camelObject(body, RESPONSE);
}

function camelObject(object: JsonObject, inside: Inside): JsonObject {
  let read = camelKeys(object);
  for (const field of Object.keys(inside)) {
    const value = read[field];
    if (typeof value !== "object" || value === null) continue;
    const inner = camelValue(value, inside[field] ?? LEAF);
    if (inner === value) continue;
    if (read === object) read = { ...object };
    (read as Record<string, unknown>)[field] = inner;
  }
  return read;
}

function camelValue(value: object, inside: Inside): unknown {
  if (!Array.isArray(value)) return camelObject(value as JsonObject, inside);
  const items: readonly unknown[] = value;
  const read = items.map((item) => {
    const object = asObject(item);
    return object === undefined ? item : camelObject(object, inside);
  });
  return read.some((item, at) => item !== items[at]) ? read : items;
}

/** Renames keys to camelCase, which wins if an object has both spellings. */
export function camelKeys(object: JsonObject): JsonObject {
  const keys = Object.keys(object);
  if (!keys.some((key) => key.includes("_"))) return object;
  const fields = keys.map((key): [string, unknown] => {
    const camel = camelCase(key);
    return [camel, (Object.hasOwn(object, camel) ? object[camel] : undefined) ?? object[key]];
  });
  return Object.fromEntries(fields);
}

/** The name of a field in the vendor's protocol buffers. */
export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
