import { type Fields, optionalText } from "../fields.ts";
import { asObject, type JsonObject } from "../json.ts";

/**
 * Enumerations by their numbers in the vendor's protocol buffers: Google's Python clients over REST, and servers
 * asked with `$alt=json;enum-encoding=int`, write numbers where JSON mostly has words. Only what is read here is
 * listed. Source: https://github.com/googleapis/googleapis, google/ai/generativelanguage/v1beta and, where it adds
 * numbers, google/cloud/aiplatform/v1beta1.
 */
export const ENUMS = {
  schemaType: words("TYPE", ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"]),
  // Vertex AI has VALIDATED at 5.
  callingMode: words("MODE", ["AUTO", "ANY", "NONE", "VALIDATED", "VALIDATED"]),
  modality: words("MODALITY", ["TEXT", "IMAGE", "AUDIO"]),
  thinkingLevel: words("THINKING_LEVEL", ["LOW", "MEDIUM", "HIGH", "MINIMAL"]),
  finishReason: words("FINISH_REASON", [
    "STOP",
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "OTHER",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "IMAGE_SAFETY",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_OTHER",
    "NO_IMAGE",
    "IMAGE_RECITATION",
  ]),
  // Vertex AI's own from 6 on; answers tell whose they are (`finishWord`).
  vertexFinishReason: words("FINISH_REASON", [
    "STOP",
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "OTHER",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "MODEL_ARMOR",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_OTHER",
    "UNEXPECTED_TOOL_CALL",
    "NO_IMAGE",
  ]),
  blockReason: words("BLOCK_REASON", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY"]),
} as const satisfies Readonly<Record<string, EnumWords>>;

interface EnumWords {
  /** The word for 0, which states nothing. */
  readonly unspecified: string;
  /** From 1 on. */
  readonly words: readonly string[];
}

function words(name: string, listed: readonly string[]): EnumWords {
  return { unspecified: `${name}_UNSPECIFIED`, words: listed };
}

/** The word of an enumeration's value; other values, and numbers that are not known, as they are. */
export function wordOf(kind: keyof typeof ENUMS, value: unknown): unknown {
  if (typeof value !== "number") return value;
  const { unspecified, words }: EnumWords = ENUMS[kind];
  return value === 0 ? unspecified : (words[value - 1] ?? value);
}

/** The same of a caller's field, which must be text or a number that is known. Throws RefusedField. */
export function optionalWord(fields: Fields, key: string, kind: keyof typeof ENUMS): string | undefined {
  return optionalText({ ...fields, value: { [key]: wordOf(kind, fields.value[key]) } }, key);
}

/**
 * Why a candidate of this response ended. Only Vertex AI states when a request was made and by which kind of traffic it came:
 * https://github.com/googleapis/js-genai, `createTime` and `trafficType`. Any other answer is the Gemini API's.
 */
export function finishWord(response: JsonObject, candidate: JsonObject): string {
  const isVertex =
    response["createTime"] !== undefined ||
    asObject(response["usageMetadata"])?.["trafficType"] !== undefined;
  return responseWord(isVertex ? "vertexFinishReason" : "finishReason", candidate["finishReason"]);
}

/** True if a candidate's finish is stated, and stated to be unspecified. */
export function hasUnspecifiedFinish({ finishReason }: JsonObject): boolean {
  return wordOf("finishReason", finishReason) === ENUMS.finishReason.unspecified;
}

/** The same for a response, "" where nothing is said; a number that is not known is a word that nobody knows. */
export function responseWord(kind: keyof typeof ENUMS, value: unknown): string {
  const word = wordOf(kind, value);
  if (typeof word === "number") return String(word);
  return typeof word === "string" && word !== ENUMS[kind].unspecified ? word : "";
}
