import type { LossList } from "../loss.ts";
import type { ChatRequest, Message, Part, ToolResultPart } from "../request.ts";
import type { ProtocolCapabilities } from "./capabilities.ts";

/**
 * The request without results that answer no call, which every vendor refuses: their calls were cut off with the
 * conversation's beginning, are answered already, or are of a tool that the caller's vendor runs and that is lost on
 * the way. The result of a lost call is lost with it; what any other says stays, as words of the user's. Within its
 * own protocol a request keeps them, as there may be calls that only the vendor holds.
 */
export function withoutOrphans(
  request: ChatRequest,
  capabilities: ProtocolCapabilities,
  losses: LossList,
): ChatRequest {
  const { messages, protocol } = request;
  if (protocol === capabilities.protocol || !messages.some(holdsResult)) return request;
  const lost = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => idOfLost(part, capabilities))),
  );
  let open = new Set<string>();
  let responses = false;
  const kept = messages.flatMap((message, index): readonly Message[] => {
    if (message.role === "assistant") {
      // Calls of two messages in a row are one turn's.
      if (responses) open = new Set();
      responses = false;
      for (const part of message.parts) {
        if (part.kind === "tool-call") open.add(part.id);
      }
      return [message];
    }
    if (message.role === "user") responses = true;
    const parts = message.parts.flatMap((part): readonly Part[] => {
      if (part.kind !== "tool-result" || open.delete(part.callId)) return [part];
      const isLast = index === messages.length - 1;
      losses.field("messages", isLast || !lost.has(part.callId) ? "weakened" : "no-slot");
      return isLast || !lost.has(part.callId) ? inWords(part) : [];
    });
    return parts.length === 0 && message.parts.length > 0 ? [] : [{ ...message, parts }];
  });
  return { ...request, messages: kept };
}

function holdsResult({ parts }: Message): boolean {
  return parts.some(({ kind }) => kind === "tool-result");
}

/** The id of a call that only the caller's vendor knows, which is dropped on the way. */
function idOfLost(part: Part, { protocol }: ProtocolCapabilities): readonly string[] {
  if (part.kind !== "foreign" || part.protocol === protocol) return [];
  const id = part.value["call_id"] ?? part.value["id"];
  return typeof id === "string" ? [id] : [];
}

function inWords({ name, callId, parts }: ToolResultPart): readonly Part[] {
  return [{ kind: "text", text: `Result of ${name ?? callId}:` }, ...parts];
}
