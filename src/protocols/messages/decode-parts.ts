import { appendAll } from "../../base/append-all.ts";
import { writeExact } from "../../base/json/exact-json.ts";
import { mimeTypeOfUrl, sourceOfUrl } from "../../conversation/media.ts";
import type {
  CacheMark,
  ForeignField,
  ForeignPart,
  MediaPart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../conversation/request.ts";
import { opaqueIn } from "../../conversation/state/opaque.ts";
import { isOwnSignature, summaryWords } from "../compaction.ts";
import {
  type Fields,
  foreignFields,
  listOf,
  optionalFields,
  optionalFlag,
  optionalText,
  pathOf,
  refuse,
  requiredFields,
  requiredText,
} from "../fields.ts";
import { asObject, asObjects, asText } from "../json.ts";
import { decodeCitation } from "./citations.ts";
import { decodeSignature, isHidden } from "./signature.ts";

export function decodeSystem(body: Fields, foreign: ForeignField[]): readonly TextPart[] {
  return textsOf(body, "system", foreign).map(withAttribution);
}

/**
 * The first line of Claude Code's instructions is for its vendor's books and different in each request: no other
 * vendor's cache would ever find what follows it.
 */
function withAttribution(part: TextPart): TextPart {
  if (!part.text.startsWith(ATTRIBUTION)) return part;
  const end = part.text.indexOf("\n");
  return { ...part, vendorsOwn: { path: "system[]", letters: end === -1 ? part.text.length : end + 1 } };
}

const ATTRIBUTION = "x-anthropic-billing-header:";

/** Instructions in mid-conversation are messages of their own, whichever of their two forms they come in. */
export function decodeMessages(body: Fields, foreign: ForeignField[]): readonly Message[] {
  if (body.value["messages"] === undefined) refuse(body, "messages", "`messages` is missing.");
  return listOf(body, "messages").flatMap((message) => {
    appendAll(foreign, foreignFields(message, KNOWN_MESSAGE));
    const role = requiredText(message, "role");
    switch (role) {
      case "system":
        // One that changes only how the model answers has no words.
        return isAbsent(message, "content") && optionalFields(message, "output_config") !== undefined
          ? []
          : [{ role, parts: decodeContent(message, "user", foreign) }];
      case "user":
      case "assistant":
        return splitInstructions(message, role, foreign);
      default:
        return refuse(
          message,
          "role",
          `\`${pathOf(message, "role")}\` must be user or assistant; instructions go into \`system\`.`,
        );
    }
  });
}

function splitInstructions(
  message: Fields,
  role: "user" | "assistant",
  foreign: ForeignField[],
): readonly Message[] {
  const messages: { role: Message["role"]; parts: Part[] }[] = [{ role, parts: [] }];
  const plain = plainText(message, "content");
  if (plain !== undefined) return [{ role, parts: plain }];
  for (const block of contentBlocks(message)) {
    const instructs = block.value["type"] === "mid_conv_system";
    const speaker = instructs ? "system" : isOwnSummary(block) ? "user" : role;
    const parts = instructs ? decodeContent(block, "user", foreign) : [decodePart(block, role, foreign)];
    const last = messages.at(-1);
    if (last?.role === speaker) appendAll(last.parts, parts);
    else messages.push({ role: speaker, parts: [...parts] });
  }
  return messages.filter(({ parts }, index) => parts.length > 0 || messages.length === 1 || index > 0);
}

function decodeContent(fields: Fields, role: "user" | "assistant", foreign: ForeignField[]): readonly Part[] {
  return (
    plainText(fields, "content") ?? contentBlocks(fields).map((block) => decodePart(block, role, foreign))
  );
}

/** A string stands for one block of text. */
function plainText(fields: Fields, key: string): readonly TextPart[] | undefined {
  const text = fields.value[key];
  if (typeof text !== "string") return undefined;
  return [{ kind: "text", text }];
}

function isAbsent({ value }: Fields, key: string): boolean {
  return (value[key] ?? undefined) === undefined;
}

function contentBlocks(fields: Fields): readonly Fields[] {
  if (fields.value["content"] === undefined)
    refuse(fields, "content", `\`${pathOf(fields, "content")}\` is missing.`);
  return listOf(fields, "content");
}

function textsOf(fields: Fields, key: string, foreign: ForeignField[]): readonly TextPart[] {
  const plain = plainText(fields, key);
  if (plain !== undefined) return plain.filter(({ text }) => text !== "");
  return listOf(fields, key).map((block) => {
    if (requiredText(block, "type") === "text") return decodeText(block, foreign);
    return refuse(block, "type", `\`${pathOf(block, "type")}\` must be text.`);
  });
}

function decodePart(block: Fields, role: "user" | "assistant", foreign: ForeignField[]): Part {
  const type = requiredText(block, "type");
  const known = KNOWN_BLOCKS.get(type);
  if (type === "tool_reference") return toolReference(block);
  if (type === "search_result") return inWords(block, optionalText(block, "source"), block);
  if (type === "compaction") return compacted(block);
  if (known === undefined) return foreignPart(block, role === "user" ? "refuse" : "drop");
  switch (type) {
    case "text":
      return decodeText(block, foreign);
    case "image":
    case "document":
      return decodeMedia(block, type, foreign);
    case "thinking": {
      appendAll(foreign, foreignFields(block, known));
      const opaque = decodeSignature(optionalText(block, "signature") ?? "");
      const text = requiredText(block, "thinking");
      return { kind: "reasoning", text, opaque };
    }
    case "redacted_thinking": {
      appendAll(foreign, foreignFields(block, known));
      const data = requiredText(block, "data");
      const hidden = isHidden(data) ? { redacted: true as const } : {};
      return { kind: "reasoning", text: "", ...hidden, opaque: opaqueIn(data, "messages") };
    }
    case "tool_use":
      return decodeCall(block, foreign);
    default:
      return decodeResult(block, foreign);
  }
}

function decodeText(block: Fields, foreign: ForeignField[]): TextPart {
  appendAll(foreign, foreignFields(block, KNOWN_BLOCKS.get("text") ?? NONE));
  const citations = listOf(block, "citations").map(({ value }) => decodeCitation(value));
  return {
    kind: "text",
    text: requiredText(block, "text"),
    citations: citations.length === 0 ? undefined : citations,
    ...markOf(block),
  };
}

function decodeMedia(
  block: Fields,
  type: "image" | "document",
  foreign: ForeignField[],
): MediaPart | ForeignPart {
  const from = requiredFields(block, "source");
  const decoded = decodeSource(from);
  // Documents made of blocks, and kinds of sources that are not known here.
  if (decoded === undefined) return inWords(block, undefined, from);
  const { source, mimeType } = decoded;
  appendAll(foreign, foreignFields(block, KNOWN_BLOCKS.get(type) ?? NONE));
  const name = optionalText(block, "title");
  const extra = Object.fromEntries(
    ["citations", "context"]
      .map((key) => [key, block.value[key]])
      .filter(([, value]) => (value ?? undefined) !== undefined),
  );
  return {
    kind: "media",
    media: type,
    source,
    mimeType,
    name,
    extra: Object.keys(extra).length === 0 ? undefined : extra,
    ...markOf(block),
  };
}

function decodeSource(from: Fields): Pick<MediaPart, "source" | "mimeType"> | undefined {
  const mimeType = optionalText(from, "media_type");
  switch (requiredText(from, "type")) {
    case "base64":
      return { source: { from: "base64", data: requiredText(from, "data") }, mimeType };
    case "url": {
      const url = requiredText(from, "url");
      return { mimeType: mimeTypeOfUrl(url), ...sourceOfUrl(url) };
    }
    case "text":
      return { source: { from: "text", text: requiredText(from, "data") }, mimeType };
    case "file":
      return {
        source: { from: "file", protocol: "messages", fileId: requiredText(from, "file_id") },
        mimeType,
      };
    default:
      return undefined;
  }
}

function decodeCall(block: Fields, foreign: ForeignField[]): ToolCallPart {
  const direct = asObject(block.value["caller"])?.["type"] === "direct";
  const unknown = foreignFields(block, KNOWN_BLOCKS.get("tool_use") ?? NONE);
  appendAll(
    foreign,
    unknown.filter(({ path }) => !(direct && path === pathOf(block, "caller"))),
  );
  return {
    kind: "tool-call",
    id: requiredText(block, "id"),
    name: requiredText(block, "name"),
    arguments: writeExact(optionalFields(block, "input")?.value ?? {}),
    ...markOf(block),
  };
}

function decodeResult(block: Fields, foreign: ForeignField[]): ToolResultPart {
  appendAll(foreign, foreignFields(block, KNOWN_BLOCKS.get("tool_result") ?? NONE));
  const parts = isAbsent(block, "content") ? [] : decodeContent(block, "user", foreign);
  return {
    kind: "tool-result",
    callId: requiredText(block, "tool_use_id"),
    parts: parts.map((part) =>
      part.kind === "text" || part.kind === "media" || part.kind === "foreign"
        ? part
        : refuse(
            block,
            "content",
            `\`${pathOf(block, "content")}\` contains a block that isn't allowed in a result.`,
          ),
    ),
    isError: optionalFlag(block, "is_error") === true ? true : undefined,
    ...markOf(block),
  };
}

/** A tool that a search of the caller's own found: to other vendors it was declared all along. */
function toolReference(block: Fields): ForeignPart {
  const words = `The tool ${requiredText(block, "tool_name")} can be called now.`;
  return { ...foreignPart(block, "drop"), words };
}

/** The vendor's summary is plain words, which stand for all that came before: other models are told them. */
function compacted(block: Fields): ForeignPart | TextPart {
  const summary = optionalText(block, "content") ?? "";
  if (isOwnSummary(block)) return { kind: "text", text: summaryWords(summary), ...markOf(block) };
  const part = foreignPart(block, "drop");
  return summary === "" ? part : { ...part, words: summaryWords(summary) };
}

/** One that was made here stands for the conversation at every vendor, and is told as its user tells it. */
function isOwnSummary({ value }: Fields): boolean {
  return value["type"] === "compaction" && isOwnSignature(asText(value["signature"]));
}

/**
 * The caller's search results, in the blocks of `holder`. If they are all texts, other vendors can be sent all of them
 * as words.
 */
function inWords(block: Fields, address: string | undefined, holder: Fields): ForeignPart {
  const part = foreignPart(block, "refuse");
  const { content } = holder.value;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content);
  const texts = blocks.map(({ text }) => text).filter((text) => typeof text === "string");
  if (texts.length === 0 || texts.length < blocks.length) return part;
  const head = [optionalText(block, "title"), address].filter((line) => (line ?? "") !== "").join("\n");
  return { ...part, words: [head, ...texts].filter((text) => text !== "").join("\n\n") };
}

/** Work of the vendor's own tools is a hint to the next turn; content that the caller adds is meant to be read. */
function foreignPart({ value, path }: Fields, ifUnsupported: ForeignPart["ifUnsupported"]): ForeignPart {
  return { kind: "foreign", protocol: "messages", value, ifUnsupported, path };
}

export function markOf(fields: Fields): { readonly cache?: CacheMark | undefined } {
  const mark = optionalFields(fields, "cache_control");
  if (mark === undefined) return {};
  const ttl = optionalText(mark, "ttl") ?? "5m";
  if (requiredText(mark, "type") !== "ephemeral") {
    return refuse(mark, "type", `\`${pathOf(mark, "type")}\` must be ephemeral.`);
  }
  if (ttl === "5m" || ttl === "1h") return { cache: { ttl } };
  return refuse(mark, "ttl", `\`${pathOf(mark, "ttl")}\` must be 5m or 1h.`);
}

const NONE: ReadonlySet<string> = new Set();
const KNOWN_MESSAGE: ReadonlySet<string> = new Set(["role", "content", "output_config"]);

/** The blocks that have a neutral form. */
const KNOWN_BLOCKS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["text", new Set(["type", "text", "citations", "cache_control"])],
  ["image", new Set(["type", "source", "cache_control"])],
  ["document", new Set(["type", "source", "title", "context", "citations", "cache_control"])],
  ["thinking", new Set(["type", "thinking", "signature"])],
  ["redacted_thinking", new Set(["type", "data"])],
  ["tool_use", new Set(["type", "id", "name", "input", "cache_control"])],
  ["tool_result", new Set(["type", "tool_use_id", "content", "is_error", "cache_control"])],
]);
