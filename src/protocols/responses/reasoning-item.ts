import { createHash } from "node:crypto";
import type { ReasoningPart } from "../../conversation/request.ts";
import {
  type Opaque,
  type Origin,
  opaqueFor,
  opaqueIn,
  wrapOpaque,
} from "../../conversation/state/opaque.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json.ts";

/**
 * A reasoning item as a thought; none where it holds nothing. State that others issued came wrapped in
 * `encrypted_content`; an item of the vendor's own is its id and encrypted content together. Given an
 * `origin`, the item is a response's, and its state that origin's.
 */
export function decodeReasoningItem(item: JsonObject, origin?: Origin): readonly ReasoningPart[] {
  const [, words] = asText(item["encrypted_content"]).split(WORDS);
  const text = words === undefined ? thoughtText(item) : Buffer.from(words, "base64url").toString();
  const opaque = origin === undefined ? stateIn(item) : issuedState(item, origin);
  if (text === "" && opaque === undefined) return [];
  const redacted = asText(item["encrypted_content"]).endsWith(HIDDEN) ? { redacted: true as const } : {};
  return [{ kind: "reasoning", text, ...redacted, opaque }];
}

/** The state of a response's item. Its id alone is worth nothing: the gateway asks vendors to store nothing. */
export function issuedState(item: JsonObject, origin: Origin): Opaque | undefined {
  const encrypted = asText(item["encrypted_content"]);
  if (encrypted === "" || encrypted.startsWith(UNSIGNED)) return undefined;
  return { origin, value: stateValue(item, encrypted) };
}

/** The state of a caller's item, maybe no more than the vendor's id for what it stored. */
function stateIn(item: JsonObject): Opaque | undefined {
  const slot = asText(item["encrypted_content"]);
  if (slot.startsWith(UNSIGNED)) return undefined;
  const found = opaqueIn(slot, "responses");
  if (slot !== "" && found.value !== slot) return found;
  const id = asText(item["id"]);
  if (slot === "" && (id === "" || isOwnId(id))) return undefined;
  return { origin: { protocol: "responses" }, value: stateValue(item, slot) };
}

function stateValue(item: JsonObject, encrypted: string): string {
  return JSON.stringify({
    id: asText(item["id"]),
    encrypted_content: encrypted === "" ? undefined : encrypted,
  });
}

/** A thought as an item for the vendor that issued its state. Bare thoughts are content: they were never encrypted. */
export function encodeReasoningInput(part: ReasoningPart): JsonObject {
  const texts = part.text === "" ? [] : [part.text];
  if (part.opaque === undefined) {
    const id = itemId("rs", createHash("sha256").update(part.text).digest("hex").slice(0, ID_LETTERS));
    const content = texts.map((text) => ({ type: "reasoning_text", text }));
    return { type: "reasoning", id, summary: [], content };
  }
  const summary = texts.map((text) => ({ type: "summary_text", text }));
  return { type: "reasoning", ...readState(part.opaque.value), summary };
}

/**
 * A thought as an item of a response. Behind state of another protocol stands whether its text was hidden, else
 * the text: clients may leave summaries out, and some vendors sign the words.
 */
export function encodeReasoningOutput(
  id: string,
  { text, opaque, redacted }: Pick<ReasoningPart, "text" | "opaque" | "redacted">,
): JsonObject {
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  const item = { type: "reasoning", id, summary };
  // Some clients send back only items that have this, and some models want their thoughts back though nobody signed them.
  if (opaque === undefined)
    return text === "" ? item : { ...item, encrypted_content: UNSIGNED + behindOf(text) };
  const slot = opaqueFor("responses", opaque);
  if (slot === opaque.value) return { ...item, ...readState(slot), id };
  const behind = redacted ? HIDDEN : text === "" ? "" : behindOf(text);
  return { ...item, encrypted_content: `${slot}${behind}` };
}

function behindOf(text: string): string {
  return `${WORDS}${Buffer.from(text).toString("base64url")}`;
}

function readState(value: string): { readonly id: string; readonly encrypted_content?: string | undefined } {
  try {
    const state = asObject(JSON.parse(value));
    const encrypted = asText(state?.["encrypted_content"]);
    return { id: asText(state?.["id"]), encrypted_content: encrypted === "" ? undefined : encrypted };
  } catch {
    return { id: "", encrypted_content: value };
  }
}

/** Summaries and, of models that show them, the thoughts themselves. */
function thoughtText(item: JsonObject): string {
  return [...asObjects(item["summary"]), ...asObjects(item["content"])]
    .map((part) => asText(part["text"]))
    .filter((text) => text !== "")
    .join(BETWEEN_THOUGHTS);
}

/** The id of an item that the gateway makes. The mark tells it from the vendors', who would be asked for it in vain. */
export function itemId(prefix: string, unique: string): string {
  return `${prefix}_${OWN_MARK}${unique}`;
}

function isOwnId(id: string): boolean {
  return id.startsWith(`rs_${OWN_MARK}`);
}

/** Summaries are paragraphs. */
export const BETWEEN_THOUGHTS = "\n\n";

/** Stand behind a wrapped word; no vendor's own state has them. */
const HIDDEN = ".hidden";
const WORDS = ".words.";
const UNSIGNED = wrapOpaque({ origin: { protocol: "responses" }, value: "" });
const OWN_MARK = "gw";
const ID_LETTERS = 24;
