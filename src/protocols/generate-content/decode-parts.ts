import { appendAll } from "../../base/append-all.ts";
import { writeExact } from "../../base/json/exact-json.ts";
import { mimeTypeOfBase64 } from "../../base/media-signatures.ts";
import { normalizedUrl } from "../../base/text.ts";
import { mediaOfType, mimeTypeOfUrl, sourceOfUrl } from "../../conversation/media.ts";
import type {
  ForeignField,
  ForeignPart,
  MediaPart,
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "../../conversation/request.ts";
import { type Fields, foreignFields, optionalFields, optionalText, requiredText } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { camelInside, camelList } from "./spelling.ts";
import { decodeState, isHidden } from "./state.ts";
import { decodeResult } from "./tool-results.ts";

/** The parts of one content. */
export function decodeParts(
  content: Fields,
  role: Message["role"],
  foreign: ForeignField[],
): readonly Part[] {
  return camelList(content, "parts", PART_FIELDS).flatMap((part) => decodePart(part, role, foreign));
}

function decodePart(part: Fields, role: Message["role"], foreign: ForeignField[]): readonly Part[] {
  const blob = camelInside(part, "inlineData", BLOB_FIELDS);
  if (blob !== undefined) return [decodeInline(part, blob, foreign)];
  const file = camelInside(part, "fileData", BLOB_FIELDS);
  if (file !== undefined) return [decodeFile(part, file, foreign)];
  const unknown = foreignFields(part, PART_FIELDS);
  const call = camelInside(part, "functionCall", CALL_FIELDS);
  const result = camelInside(part, "functionResponse", CALL_FIELDS);
  const text = optionalText(part, "text");
  if (call === undefined && result === undefined && text === undefined && unknown.length > 0) {
    return [foreignPart(part, role)];
  }
  appendAll(foreign, unknown);
  if (call !== undefined) return [decodeCall(part, call, foreign)];
  if (result !== undefined) return [decodeToolResult(result, foreign)];
  const opaque = stateOf(part);
  if (part.value["thought"] === true) {
    const hidden = isHidden(optionalText(part, "thoughtSignature") ?? "");
    return [{ kind: "reasoning", text: text ?? "", redacted: hidden ? true : undefined, ...opaque }];
  }
  return text === undefined && opaque.opaque === undefined
    ? []
    : [{ kind: "text", text: text ?? "", ...opaque }];
}

/**
 * Results of the vendor's own tools in earlier turns are a hint; an unknown part of the user's matters, so it is
 * refused.
 */
function foreignPart(part: Fields, role: Message["role"]): ForeignPart {
  return {
    kind: "foreign",
    protocol: "generate-content",
    value: part.value,
    ifUnsupported: role === "assistant" ? "drop" : "refuse",
    path: part.path,
  };
}

function decodeInline(part: Fields, blob: Fields, foreign: ForeignField[]): MediaPart {
  appendAll(foreign, foreignFields(blob, BLOB_FIELDS));
  const data = requiredText(blob, "data");
  const mimeType = optionalText(blob, "mimeType") ?? mimeTypeOfBase64(data);
  return {
    kind: "media",
    media: mediaOfType(mimeType),
    source: { from: "base64", data },
    mimeType,
    ...besideMedia(part, blob),
  };
}

/** A file of the vendor's own store is known to nobody else. */
function decodeFile(part: Fields, file: Fields, foreign: ForeignField[]): MediaPart {
  appendAll(foreign, foreignFields(file, BLOB_FIELDS));
  const uri = normalizedUrl(requiredText(file, "fileUri"));
  const stored = OWN_STORE.test(uri);
  const { source, mimeType: inUrl } = stored
    ? { source: { from: "file", protocol: "generate-content", fileId: uri } as const }
    : sourceOfUrl(uri);
  const mimeType = optionalText(file, "mimeType") ?? inUrl ?? mimeTypeOfUrl(uri);
  return {
    kind: "media",
    media: mediaOfType(mimeType),
    source,
    mimeType,
    ...besideMedia(part, file),
  };
}

function besideMedia(part: Fields, blob: Fields): Pick<MediaPart, "name" | "opaque" | "extra"> {
  const name = optionalText(blob, "displayName");
  const beside = Object.entries(part.value).filter(([key, value]) => !PART_FIELDS.has(key) && value !== null);
  return {
    name,
    ...stateOf(part),
    extra: beside.length === 0 ? undefined : Object.fromEntries(beside),
  };
}

function decodeCall(part: Fields, call: Fields, foreign: ForeignField[]): ToolCallPart {
  appendAll(foreign, foreignFields(call, CALL_FIELDS));
  return {
    kind: "tool-call",
    id: optionalText(call, "id") ?? "",
    name: requiredText(call, "name"),
    arguments: writeExact(optionalFields(call, "args")?.value ?? {}),
    ...stateOf(part),
  };
}

function decodeToolResult(result: Fields, foreign: ForeignField[]): ToolResultPart {
  appendAll(foreign, foreignFields(result, CALL_FIELDS));
  const response: JsonObject = optionalFields(result, "response")?.value ?? {};
  const shown = camelList(result, "parts", PART_FIELDS).flatMap((part) =>
    decodePart(part, "user", foreign).filter((inner) => inner.kind === "media"),
  );
  const { text, isError } = decodeResult(response);
  return {
    kind: "tool-result",
    callId: optionalText(result, "id") ?? "",
    name: requiredText(result, "name"),
    parts: [{ kind: "text", text }, ...shown],
    isError,
  };
}

function stateOf(part: Fields): Pick<ToolCallPart, "opaque"> {
  const slot = optionalText(part, "thoughtSignature") ?? "";
  // The word that asks for no check is nobody's state; the encoder writes it again where it is needed.
  return slot === "" || slot === NO_STATE ? {} : { opaque: decodeState(slot) };
}

/** Stands in for a thought signature that no one has (rule 37). */
export const NO_STATE = "skip_thought_signature_validator";

const OWN_STORE = /^(gs:|https:\/\/generativelanguage\.googleapis\.com\/)/;

export const CONTENT_FIELDS: ReadonlySet<string> = new Set(["role", "parts"]);

const PART_FIELDS: ReadonlySet<string> = new Set([
  "text",
  "thought",
  "thoughtSignature",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
]);

const BLOB_FIELDS: ReadonlySet<string> = new Set(["mimeType", "data", "fileUri", "displayName"]);

const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "name", "args", "response", "parts"]);
