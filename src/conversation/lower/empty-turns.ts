import type { LossList } from "../loss.ts";
import type { ChatRequest, Part, TextPart } from "../request.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";

/** Stands where a turn must say something and says nothing. */
export const EMPTY_TEXT: TextPart = { kind: "text", text: "(no content)" };

/**
 * The request with something in each turn. Where there is nothing to answer it is refused, as every vendor does; a
 * turn without words inside the conversation keeps its place, since without it the turns around it would be one, and
 * is told as a loss. Vendors of the caller's own protocol get silence as it came. Throws RefusedField.
 */
export function withText(
  request: ChatRequest,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): ChatRequest {
  const own = request.protocol === capabilities.protocol;
  if (own && capabilities.silence === true) return request;
  // A field that brings the content in place of words is refused by its own name.
  if (!own && request.foreign.some(({ ifUnsupported }) => ifUnsupported === "refuse")) return request;
  const last = request.messages.at(-1);
  if (last?.role === "user" && last.parts.length === 0) losses.refuse("messages", EMPTY_TURN_TEXT);
  if (own) return request;
  if (request.messages.every(({ parts }) => isEmptyTurn(parts)))
    return withSystemText(request, capabilities, losses);
  const messages = request.messages.flatMap((message, index) => {
    if (!isEmptyTurn(message.parts)) return [message];
    // Instructions of no words are none, and clients put an empty turn where the response will come.
    const isResponse = message.role === "assistant" && index === request.messages.length - 1;
    if (message.role === "system" || isResponse) return [];
    losses.field("messages", "weakened");
    return [{ ...message, parts: [EMPTY_TEXT] }];
  });
  return { ...request, messages };
}

/**
 * Instructions are all there is. Vendors whose instructions are no part of the conversation get the last of them as
 * the user's: it is what the caller wants answered.
 */
function withSystemText(
  request: ChatRequest,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): ChatRequest {
  const spoken = request.system.filter((part) => !isEmptyTurn([part]));
  const last = spoken.at(-1);
  const silent = request.messages.at(-1)?.role === "user" ? request.messages.slice(-1) : [];
  if (last === undefined && silent.length === 0) losses.refuse("messages", EMPTY_TURN_TEXT);
  if (silent.length > 0) {
    losses.field("messages", "weakened");
    return { ...request, messages: [{ role: "user", parts: [EMPTY_TEXT] }] };
  }
  if (capabilities.silence === true || last === undefined) return { ...request, messages: [] };
  losses.field("system", "weakened");
  return {
    ...request,
    system: request.system.filter((part) => part !== last),
    messages: [{ role: "user", parts: [last] }],
  };
}

/** True if a turn holds no part but texts without words. */
function isEmptyTurn(parts: readonly Part[]): boolean {
  return parts.every((part) => part.kind === "text" && part.text.trim() === "" && part.opaque === undefined);
}

const EMPTY_TURN_TEXT = "The last turn has no content: there is nothing to respond to.";
