import { createHash } from "node:crypto";
import { appendAll } from "../../base/append-all.ts";
import type { LossList } from "../../conversation/loss.ts";
import { answeredMessages, withoutLoneReasoning } from "../../conversation/lower/alternating-turns.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import type {
  ChatRequest,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../conversation/request.ts";
import type { JsonObject } from "../json.ts";
import { encodeImageCall, encodePart } from "./encode-parts.ts";
import { encodeReasoningInput, itemId } from "./reasoning-item.ts";

/** The conversation as items, every call answered. */
export function encodeInput(
  request: ChatRequest,
  target: EncodeTarget,
  losses: LossList,
): readonly JsonObject[] {
  const opening: readonly Message[] = opensInput(request, target)
    ? [{ role: "system", parts: request.system }]
    : [];
  return [...opening, ...answeredMessages(request)].flatMap((message) =>
    message.role === "assistant" ? encodeAssistant(message, losses) : encodeOther(message, target, losses),
  );
}

/**
 * True if the instructions are the first message: those of a model that takes none elsewhere, those with a cache mark,
 * which the `instructions` field has no room for, and those that are all there is, since `input` may not be empty.
 */
export function opensInput({ system, messages }: ChatRequest, { quirks }: EncodeTarget): boolean {
  if (system.length === 0) return false;
  return (
    messages.length === 0 || quirks.systemRole === "user" || system.some(({ cache }) => cache !== undefined)
  );
}

/** Instructions and the user's words are messages; results between them are items of their own. */
function encodeOther(message: Message, target: EncodeTarget, losses: LossList): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] = [];
  const role = message.role === "user" ? "user" : (target.quirks.systemRole ?? "system");
  const close = (): void => {
    const said = content.length === 1 ? content[0] : undefined;
    const plain = said?.["type"] === "input_text" && Object.keys(said).length === PLAIN_KEYS;
    if (content.length > 0) items.push({ type: "message", role, content: plain ? said["text"] : content });
    content = [];
  };
  for (const part of message.parts) {
    if (part.kind === "tool-result") {
      close();
      items.push(encodeResult(part, losses));
    } else if (part.kind === "foreign" && isItem(part.path)) {
      close();
      items.push(part.value);
    } else if (part.kind === "text" || part.kind === "media" || part.kind === "foreign") {
      appendAll(content, encodePart(part, losses));
    }
  }
  close();
  // Instructions alone may be the whole prompt: the vendor takes an empty word of the user.
  return items.length === 0 ? [{ type: "message", role, content: "" }] : items;
}

/** A turn of the assistant, in the order in which it was made. */
function encodeAssistant(message: Message, losses: LossList): readonly JsonObject[] {
  // A thought with nothing after it is refused by the vendor, in every turn (rule 36).
  const parts = withoutLoneReasoning(message.parts);
  if (parts.length < message.parts.length) losses.field("reasoningState");
  return parts.flatMap((part) => encodeAssistantPart(part, losses));
}

function encodeAssistantPart(part: Part, losses: LossList): readonly JsonObject[] {
  switch (part.kind) {
    case "reasoning":
      return [encodeReasoningInput(part)];
    case "tool-call":
      return [encodeCall(part, losses)];
    case "text":
      return part.text === "" ? [] : [encodeSaid(part, losses)];
    case "media":
      return encodeImageCall(part, mediaId(part)) ?? losses.refuse("media", MEDIA_BY_ASSISTANT);
    case "foreign":
      return isItem(part.path) ? [part.value] : [];
    case "tool-result":
      return [encodeResult(part, losses)];
  }
}

/** Only whole messages of the assistant's, with an id, may hold parts; a string needs neither. */
function encodeSaid(part: TextPart, losses: LossList): JsonObject {
  if (part.cache !== undefined) losses.field("cache");
  if (part.refusal !== true) return { type: "message", role: "assistant", content: part.text };
  return {
    type: "message",
    id: itemId("msg", hash(part.text)),
    role: "assistant",
    status: "completed",
    content: [{ type: "refusal", refusal: part.text }],
  };
}

function encodeCall(part: ToolCallPart, losses: LossList): JsonObject {
  if (part.cache !== undefined) losses.field("cache");
  const called = {
    call_id: part.id,
    name: part.name,
    namespace: part.namespace,
  };
  if (part.custom === true) return { type: "custom_tool_call", ...called, input: part.arguments };
  return { type: "function_call", ...called, arguments: part.arguments === "" ? "{}" : part.arguments };
}

/** The protocol has no word for a failed tool: an incomplete result is the nearest, and its text says the rest. */
function encodeResult(part: ToolResultPart, losses: LossList): JsonObject {
  if (part.isError) losses.field("isError", "weakened");
  const parts = markedLast(part);
  const [only, ...others] = parts;
  const plain =
    only === undefined || (only.kind === "text" && only.cache === undefined && others.length === 0);
  const text = only?.kind === "text" ? only.text : "";
  return {
    type: part.custom === true ? "custom_tool_call_output" : "function_call_output",
    call_id: part.callId,
    output: plain ? text : parts.flatMap((inner) => encodePart(inner, losses)),
    status: part.isError === true && part.custom !== true ? "incomplete" : undefined,
  };
}

/** A mark on the whole result stands on its last part, where the result ends: items have no room for marks. */
function markedLast({ parts, cache }: ToolResultPart): ToolResultPart["parts"] {
  const last = parts.at(-1);
  if (cache === undefined || last === undefined || last.kind === "foreign") return parts;
  return [...parts.slice(0, -1), { ...last, cache }];
}

function isItem(path: string): boolean {
  return /^(in|out)put\[\d+\]$/.test(path);
}

function mediaId(part: Extract<Part, { kind: "media" }>): string {
  return itemId("ig", hash(JSON.stringify(part.source)));
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, ID_LETTERS);
}

const MEDIA_BY_ASSISTANT =
  "This model's upstream doesn't support this media in assistant messages. Remove it.";

/** `type` and `text`: what else a text carries needs the long form. */
const PLAIN_KEYS = 2;
const ID_LETTERS = 24;
