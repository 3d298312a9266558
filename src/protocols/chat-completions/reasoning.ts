import { asArray, asObject, asObjects, asText, type JsonObject } from "../json.ts";

/** The fields for thoughts in use, of a message and of a delta; a vendor that fills several says the same in each. */
export const THOUGHT_FIELDS = [
  // DeepSeek, and most who came after
  "reasoning_content",
  // OpenRouter, Groq and vLLM; some nest the text once more
  "reasoning",
  // GitHub's models
  "reasoning_text",
  // Servers that pass Ollama's own word on
  "thinking",
];

/** Thoughts of a plain message. */
export function decodeThoughts(message: JsonObject): string {
  return spelledThoughts(message) || textOfDetails(asArray(message["reasoning_details"]));
}

export interface ThoughtState {
  /** All thoughts of the choice so far. */
  readonly told: string;
  /** The reasoning details that the vendor wants back, unchanged; later deltas continue them. */
  readonly details: unknown[];
}

/** The thoughts after one more delta. `isNew`: it holds a thought, or state of one. */
export function readThoughts(
  { told, details }: ThoughtState,
  delta: JsonObject,
): ThoughtState & { readonly thought: string; readonly isNew: boolean } {
  const reasoningDetails = asArray(delta["reasoning_details"]);
  const stated = textOfDetails(reasoningDetails);
  const isRestated = restates(stated, told);
  if (!isRestated) for (const detail of reasoningDetails) details.push(detail);
  const thought = spelledThoughts(delta) || (isRestated ? stated.slice(told.length) : stated);
  return {
    thought,
    told: told + thought,
    details: isRestated ? [...reasoningDetails] : details,
    isNew: thought !== "" || (reasoningDetails.length > 0 && !isRestated),
  };
}

/** Thoughts among a content's parts: Mistral's, the plain text of some proxies, and Databricks'. */
function thoughtsInPart(part: JsonObject): string {
  const stated = [...asObjects(part["thinking"]), ...asObjects(part["summary"])];
  return asText(part["thinking"]) + stated.map((thought) => asText(thought["text"])).join("");
}

/** The words of `reasoning_details`, which MiniMax may send alone; encrypted ones have none. */
export function textOfDetails(details: readonly unknown[]): string {
  return asObjects(details)
    .map((detail) => asText(detail["text"] ?? detail["summary"]))
    .join("");
}

function spelledThoughts(message: JsonObject): string {
  for (const field of THOUGHT_FIELDS) {
    const text = asText(asObject(message[field])?.["content"] ?? message[field]);
    if (text !== "") return text;
  }
  return asObjects(message["content"]).map(thoughtsInPart).join("");
}

/**
 * True if the details of a delta begin with everything told before: MiniMax documents them so, and often sends
 * them in pieces all the same. A short piece may be the one before it once more.
 */
function restates(stated: string, told: string): boolean {
  // Their lengths first: to compare joins all pieces so far.
  if (told === "" || stated.length < told.length || !stated.startsWith(told)) return false;
  return stated.length > told.length || told.length >= NO_CHANCE_LETTERS;
}

const NO_CHANCE_LETTERS = 16;
