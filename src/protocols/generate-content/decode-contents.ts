import { appendAll } from "../../base/append-all.ts";
import { makeCallId } from "../../conversation/lower/names.ts";
import { MessageRun } from "../../conversation/message-run.ts";
import type { ForeignField, Message, Part, ReasoningPart, ToolCallPart } from "../../conversation/request.ts";
import { type Fields, foreignFields, optionalText, pathOf, refuse } from "../fields.ts";
import { CONTENT_FIELDS, decodeParts } from "./decode-parts.ts";
import { camelList } from "./spelling.ts";

/** The conversation. A content without a role is the user's, as at the vendor. */
export function decodeContents(body: Fields, foreign: ForeignField[]): readonly Message[] {
  if ((body.value["contents"] ?? undefined) === undefined) refuse(body, "contents", "`contents` is missing.");
  const calls = openCallIds();
  const contents = camelList(body, "contents", CONTENT_FIELDS).map((content) => {
    appendAll(foreign, foreignFields(content, CONTENT_FIELDS));
    const role = roleOf(content);
    return { role, parts: decodeParts(content, role, foreign) };
  });
  const turns = wholeTurns(contents).map(({ role, parts }) => ({
    role,
    parts: role === "assistant" ? calls.name(parts) : calls.response(parts),
  }));
  return joinThoughts(turns);
}

/**
 * Joins consecutive contents of the model into one turn: the vendor's clients keep each chunk of a stream as a content
 * of its own.
 */
function wholeTurns(contents: readonly Message[]): readonly Message[] {
  const run = new MessageRun();
  for (const content of contents) {
    if (content.role === "assistant" && run.last?.role === "assistant") run.grow(content.parts);
    else run.push(content);
  }
  return run.messages;
}

function roleOf(content: Fields): "user" | "assistant" {
  const role = optionalText(content, "role") ?? "";
  if (role === "model") return "assistant";
  // Results once had a role of their own.
  if (role === "user" || role === "function" || role === "tool" || role === "") return "user";
  return refuse(content, "role", `\`${pathOf(content, "role")}\` must be user or model.`);
}

/**
 * Ids for calls and results that have none, which is nearly all of them (380 of 427, rule 22). They depend
 * on the calls before them alone, so that a conversation that goes on keeps its prefix. A result without
 * an id answers the first unanswered call of its name.
 */
function openCallIds(): CallIds {
  let count = 0;
  let unanswered: readonly ToolCallPart[] = [];
  return {
    name(parts) {
      const named = parts.map((part) => {
        if (part.kind !== "tool-call") return part;
        count += 1;
        return part.id === "" ? { ...part, id: makeCallId(SEED, count) } : part;
      });
      const calls = named.filter((part) => part.kind === "tool-call");
      if (calls.length > 0) unanswered = calls;
      return named;
    },
    response(parts) {
      return parts.map((part) => {
        if (part.kind !== "tool-result") return part;
        const call =
          unanswered.find(({ id }) => id === part.callId) ??
          unanswered.find(({ name }) => name === part.name);
        unanswered = unanswered.filter((each) => each !== call);
        if (call !== undefined) return { ...part, callId: call.id };
        count += 1;
        return part.callId === "" ? { ...part, callId: makeCallId(SEED, count) } : part;
      });
    },
  };
}

interface CallIds {
  name(parts: readonly Part[]): readonly Part[];
  response(parts: readonly Part[]): readonly Part[];
}

/** Not unique to a request: the same conversation must give the same ids in every turn. */
const SEED = "generate-content";

/**
 * Thoughts that were streamed come back as the pieces in which they were sent, often each a content of
 * its own, and the state that vouches for them follows on an empty piece. State binds the whole text, so
 * the pieces before it are one thought again. Pieces without state stay as they are.
 */
export function joinThoughts(messages: readonly Message[]): readonly Message[] {
  let pieces: ReasoningPart[] = [];
  const joined = new Set<Part>();
  const whole = messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      if (message.role !== "assistant" || part.kind !== "reasoning") {
        pieces = [];
        return part;
      }
      if (part.opaque === undefined) {
        pieces.push(part);
        return part;
      }
      const before = part.text === "" ? pieces : [];
      pieces = [];
      for (const piece of before) joined.add(piece);
      return { ...part, text: before.map(({ text }) => text).join("") };
    }),
  }));
  if (joined.size === 0) return messages;
  return whole
    .map((message) => ({ ...message, parts: message.parts.filter((part) => !joined.has(part)) }))
    .filter(({ parts }, index) => parts.length > 0 || messages[index]?.parts.length === 0);
}
