import type { LossList } from "../../conversation/loss.ts";
import { answeredMessages } from "../../conversation/lower/alternating-turns.ts";
import type { EncodeTarget } from "../../conversation/lower/plan.ts";
import { joinedUserMessages } from "../../conversation/lower/user-turns.ts";
import type {
  CacheMark,
  ChatRequest,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../conversation/request.ts";
import { asObject, type JsonObject, parseWhole } from "../json.ts";
import { encodeMedia, type Writing } from "./encode-media.ts";

/** The system's instructions and the conversation as chat messages. Throws RefusedField. */
export function encodeMessages(
  request: ChatRequest,
  target: EncodeTarget,
  losses: LossList,
): readonly JsonObject[] {
  const role = target.quirks.systemRole ?? "system";
  const writing = { losses, own: request.protocol === "chat-completions" };
  const said = joinedUserMessages(answeredMessages(request));
  const written = said.flatMap((message) => encodeMessage(message, role, writing));
  const { reasoningReplay, reasoningField = "reasoning_content" } = target.quirks;
  const thoughtful = reasoningReplay === true ? written.map(withThought) : written;
  const messages =
    reasoningField === "reasoning_content"
      ? thoughtful
      : thoughtful.map((message) => inField(message, reasoningField));
  const system = request.system.filter(({ text }) => text !== "");
  if (system.length === 0) return messages;
  return [{ role, content: encodeTexts(system, "\n\n") }, ...messages];
}

function encodeMessage(message: Message, systemRole: string, writing: Writing): readonly JsonObject[] {
  const named = message.name === undefined ? {} : { name: message.name };
  switch (message.role) {
    case "system":
      return [{ role: systemRole, ...named, content: encodeTexts(textsOf(message.parts), "\n\n") }];
    case "user":
      return encodeUser(message.parts, named, writing);
    case "assistant":
      return [{ role: "assistant", ...named, ...encodeAssistant(message.parts) }];
  }
}

/** Results are messages of their own and text alone: what they show follows in the user's (rule 25). */
function encodeUser(parts: readonly Part[], named: JsonObject, writing: Writing): readonly JsonObject[] {
  const results = parts.filter((part) => part.kind === "tool-result");
  const shown = results.flatMap((result) => {
    const media = result.parts.filter((part) => part.kind === "media");
    return media.length === 0
      ? []
      : [{ kind: "text", text: `Shown by ${result.callId}:` } as const, ...media];
  });
  const said = parts.filter((part) => part.kind !== "tool-result");
  const content = [...shown, ...said].flatMap((part) => encodePart(part, writing));
  const tools = results.map((result) => encodeResult(result, writing));
  if (content.length === 0 && tools.length > 0) return tools;
  return [...tools, { role: "user", ...named, content: simplestContent(content) }];
}

function encodeResult(result: ToolResultPart, writing: Writing): JsonObject {
  if (result.isError) writing.losses.field("isError");
  const texts = textsOf(result.parts);
  const foreign = result.parts.flatMap((part) => (part.kind === "foreign" ? [part.value] : []));
  const content =
    foreign.length > 0
      ? [...texts.map((part) => encodeText(part)), ...foreign]
      : texts.length === 0 && result.parts.length > 0
        ? NO_TEXT
        : encodeTexts(texts, "\n");
  return { role: "tool", tool_call_id: result.callId, content, ...encodeMark(result.cache) };
}

function encodeAssistant(parts: readonly Part[]): JsonObject {
  const calls = parts.filter((part) => part.kind === "tool-call");
  const refusals = parts.filter((part) => part.kind === "text" && part.refusal);
  const texts = textsOf(parts).filter((part) => !part.refusal);
  const foreign = parts.flatMap((part) => (part.kind === "foreign" ? [part.value] : []));
  const content = foreign.length > 0 ? [...texts.map(encodeText), ...foreign] : encodeTexts(texts, "");
  return {
    content: content === "" && (calls.length > 0 || refusals.length > 0) ? null : content,
    ...encodeThoughts(parts.filter((part) => part.kind === "reasoning")),
    refusal:
      refusals.length === 0
        ? undefined
        : textsOf(refusals)
            .map(({ text }) => text)
            .join(""),
    tool_calls: calls.length === 0 ? undefined : calls.map(encodeCall),
  };
}

function encodeThoughts(thoughts: readonly ReasoningPart[]): JsonObject {
  const text = thoughts.map((thought) => thought.text).join("");
  const details = thoughts.flatMap(({ opaque }) => {
    const parsed = opaque === undefined ? undefined : parseWhole(opaque.value);
    return Array.isArray(parsed) ? parsed : [];
  });
  // The details hold the text as well.
  if (details.length > 0) return { reasoning_details: details };
  return text === "" ? {} : { reasoning_content: text };
}

/** The same message with its thoughts in the field that the upstream has for them. */
function inField({ reasoning_content: thought, ...message }: JsonObject, field: string): JsonObject {
  return thought === undefined ? message : { ...message, [field]: thought };
}

/** Upstreams that take reasoning back want it in every turn of the assistant, but not every caller keeps it. */
function withThought(message: JsonObject): JsonObject {
  const isThought = "reasoning_content" in message || "reasoning_details" in message;
  return message["role"] !== "assistant" || isThought
    ? message
    : { ...message, reasoning_content: NO_THOUGHT };
}

function encodeCall(call: ToolCallPart): JsonObject {
  // It passed as the target's own, so it goes back as that vendor wrote it.
  const extra = call.opaque && asObject(parseWhole(call.opaque.value));
  return {
    id: call.id,
    type: call.custom ? "custom" : "function",
    custom: call.custom ? { name: call.name, input: call.arguments } : undefined,
    function: call.custom ? undefined : { name: call.name, arguments: call.arguments || "{}" },
    extra_content: extra,
    ...encodeMark(call.cache),
  };
}

function encodePart(part: Part, writing: Writing): readonly JsonObject[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [encodeText(part)];
    case "media":
      return [{ ...encodeMedia(part, writing), ...encodeMark(part.cache) }];
    case "foreign":
      return [part.value];
    default:
      return [];
  }
}

function encodeText(part: TextPart): JsonObject {
  return { type: "text", text: part.text, ...encodeMark(part.cache) };
}

/** A string where that says all, since not every vendor takes parts everywhere. */
function encodeTexts(parts: readonly TextPart[], joint: string): string | readonly JsonObject[] {
  if (parts.some(({ cache }) => cache !== undefined)) return parts.map(encodeText);
  return parts.map(({ text }) => text).join(joint);
}

function simplestContent(content: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only, ...others] = content;
  if (only === undefined) return "";
  const bare = others.length === 0 && only["type"] === "text" && only["cache_control"] === undefined;
  return bare && typeof only["text"] === "string" ? only["text"] : content;
}

function encodeMark(cache: CacheMark | undefined): JsonObject {
  if (cache === undefined) return {};
  return { cache_control: cache.ttl === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" } };
}

function textsOf(parts: readonly Part[]): readonly TextPart[] {
  return parts.filter((part) => part.kind === "text");
}

/** An empty one is none to some: https://github.com/charmbracelet/crush/issues/2696. */
const NO_THOUGHT = " ";

/** A message must say something; the media itself follows. */
const NO_TEXT = "The result is shown below.";
