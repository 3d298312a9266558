import { definedFields } from "../../base/defined-fields.ts";
import { isNoArguments } from "../../conversation/adapt/whole-calls.ts";
import type { LossList } from "../../conversation/loss.ts";
import { alternatingTurns, type Turn } from "../../conversation/lower/alternating-turns.ts";
import type {
  CacheMark,
  ChatRequest,
  JsonObject,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../conversation/request.ts";
import { asObject, parseWhole } from "../json.ts";
import { isReplayable } from "./citations.ts";
import { encodeMedia } from "./encode-media.ts";

export function encodeSystem(system: readonly TextPart[]): string | readonly JsonObject[] | undefined {
  const blocks = system.filter(hasWords).map((part) => textBlock(part));
  return blocks.length === 0 ? undefined : shortest(blocks);
}

/** Strictly alternating turns, the user's first, none empty, results before everything else. */
export function encodeMessages(request: ChatRequest, losses: LossList): readonly JsonObject[] {
  const own = request.protocol === "messages";
  const messages = request.messages.map((message) => spoken(message, own, losses));
  const turns = alternatingTurns({ ...request, messages }, losses);
  return (own ? turns : withPlainEnd(turns, losses)).map(({ role, parts }) => ({
    role,
    content: shortest(parts.map((part) => encodePart(part, losses))),
  }));
}

/** Words to go on from are refused where they end in white space (rule 34). */
function withPlainEnd(turns: readonly Turn[], losses: LossList): readonly Turn[] {
  const last = turns.at(-1);
  const end = last?.parts.at(-1);
  if (last?.role !== "assistant" || end?.kind !== "text") return turns;
  const text = end.text.trimEnd();
  if (text === end.text) return turns;
  losses.field("messages", "weakened");
  return [...turns.slice(0, -1), { ...last, parts: [...last.parts.slice(0, -1), { ...end, text }] }];
}

/**
 * Blank texts are refused like empty ones (rule 33). Later instructions stand in the user's turn (rule
 * 31); a caller of this protocol gets the block that its vendor has for them.
 */
function spoken(message: Message, own: boolean, losses: LossList): Message {
  const parts = message.parts.filter((part) => {
    if (part.kind !== "reasoning" || part.opaque !== undefined) return part.kind !== "text" || hasWords(part);
    // Every vendor of this protocol refuses a thought that it did not sign (rule 36).
    losses.field("thoughts");
    return false;
  });
  if (message.role !== "system" || !own) return { ...message, parts };
  const content = parts.map((part) => encodePart(part, losses));
  const value = { type: "mid_conv_system", content };
  return {
    role: "user",
    parts:
      content.length === 0
        ? []
        : [{ kind: "foreign", protocol: "messages", value, ifUnsupported: "refuse", path: "messages" }],
  };
}

function hasWords(part: TextPart): boolean {
  return part.text.trim() !== "";
}

/** One plain text is a string: not every vendor of this protocol reads blocks everywhere. */
function shortest(blocks: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only] = blocks;
  if (blocks.length !== 1 || only?.["type"] !== "text" || Object.keys(only).length > 2) return blocks;
  return String(only["text"]);
}

function encodePart(part: Part, losses: LossList): JsonObject {
  switch (part.kind) {
    case "text":
      return textBlock(part, losses);
    case "media":
      return { ...encodeMedia(part, losses), ...encodeMark(part.cache) };
    case "reasoning":
      // Signed blocks go back whole, also those whose text was never shown (rule 36).
      return part.redacted === true
        ? { type: "redacted_thinking", data: part.opaque?.value ?? "" }
        : { type: "thinking", thinking: part.text, signature: part.opaque?.value ?? "" };
    case "tool-call":
      return encodeCall(part, losses);
    case "tool-result":
      return encodeResult(part, losses);
    case "foreign":
      return part.value;
  }
}

function textBlock({ text, citations = [], cache }: TextPart, losses?: LossList): JsonObject {
  const kept = citations.filter(isReplayable);
  if (kept.length < citations.length) losses?.field("citations", "other-issuer");
  return definedFields({
    type: "text",
    text,
    citations: kept.length === 0 ? undefined : kept.map(({ source }) => source.value),
    ...encodeMark(cache),
  });
}

function encodeCall(part: ToolCallPart, losses: LossList): JsonObject {
  const input = readInput(part.arguments);
  if (input === undefined) losses.field("messages", "weakened");
  return { type: "tool_use", id: part.id, name: part.name, input: input ?? {}, ...encodeMark(part.cache) };
}

/** Arguments as the object they must be here; undefined where the text is none. */
export function readInput(text: string): JsonObject | undefined {
  return isNoArguments(text) ? {} : asObject(parseWhole(text));
}

function encodeResult(part: ToolResultPart, losses: LossList): JsonObject {
  const said = part.parts.filter((inner) => inner.kind !== "text" || hasWords(inner));
  // Failures are told in text only.
  const parts = part.isError === true ? said.filter((inner) => inner.kind !== "media") : said;
  if (parts.length < said.length) losses.field("media");
  const content = shortest(parts.map((inner) => encodePart(unmarked(inner), losses)));
  // The protocol can mark a block for the cache, but nothing inside of one.
  const marked = part.parts.findLast((inner) => inner.kind !== "foreign" && inner.cache !== undefined);
  const inner = marked?.kind === "foreign" ? undefined : marked?.cache;
  return {
    type: "tool_result",
    tool_use_id: part.callId,
    content: content.length === 0 ? undefined : content,
    is_error: part.isError === true ? true : undefined,
    ...encodeMark(part.cache ?? inner),
  };
}

function unmarked(part: ToolResultPart["parts"][number]): ToolResultPart["parts"][number] {
  if (part.kind === "foreign" || part.cache === undefined) return part;
  const { cache: _, ...plain } = part;
  return plain;
}

/** Five minutes is what a mark means that says no more. */
export function encodeMark(cache: CacheMark | undefined): JsonObject {
  if (cache === undefined) return {};
  return { cache_control: cache.ttl === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" } };
}
