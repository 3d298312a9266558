import { ARGUMENT_LEVELS, isWithinDepth } from "../../base/json/exact-json.ts";
import type { ChatEvent } from "../event.ts";
import type { ChatRequest, Message, ToolCallPart } from "../request.ts";
import type { ChatResponse } from "../response.ts";
import type { Opaque } from "../state/opaque.ts";
import type { StreamRun } from "./stream-transform.ts";

/** A call with all that its client should send back of its state. */
export type CallWithState = Pick<ToolCallPart, "id" | "name" | "arguments"> & { readonly opaque: Opaque };

/** The calls of a response that carry state. */
export function callsWithState({ choices }: ChatResponse): readonly CallWithState[] {
  return choices.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.kind === "tool-call" && part.opaque !== undefined ? [{ ...part, opaque: part.opaque }] : [],
    ),
  );
}

/** Tells of the same calls in a stream, each at its end; the events pass. */
export function watchCalls(report: (call: CallWithState) => void): StreamRun<ChatEvent, ChatEvent> {
  const open = new Map<
    number,
    { id: string; name: string; arguments: string; opaque?: Opaque | undefined }
  >();
  return {
    step(event) {
      switch (event.type) {
        case "tool-call-start": {
          const { id, name, opaque } = event;
          open.set(event.block, { id, name, arguments: "", opaque });
          break;
        }
        case "tool-call-delta": {
          const call = open.get(event.block);
          if (call !== undefined) call.arguments += event.arguments;
          break;
        }
        case "tool-call-end": {
          const call = open.get(event.block);
          const opaque = event.opaque ?? call?.opaque;
          open.delete(event.block);
          if (call !== undefined && opaque !== undefined) report({ ...call, opaque });
          break;
        }
        default:
      }
      return [event];
    },
    end: () => [],
  };
}

/**
 * Identifies a call. The id alone is not enough, because some vendors count calls anew in each conversation. Arguments
 * are compared by their values, since clients write them anew.
 */
export function callKey({ id, name, arguments: text }: Omit<CallWithState, "opaque">): string {
  return JSON.stringify([id, name, sorted(readJson(text))]);
}

/** The latest calls of turns that came back without any state. */
export function callsWithoutState({ messages }: ChatRequest, most: number): readonly ToolCallPart[] {
  return messages.filter(lacksState).flatMap(callsOf).slice(-most);
}

/** The request with state on these calls, by their names. */
export function withCallStates(request: ChatRequest, states: ReadonlyMap<string, Opaque>): ChatRequest {
  if (states.size === 0) return request;
  const restored = (message: Message): Message => ({
    ...message,
    parts: message.parts.map((part) => {
      const opaque = part.kind === "tool-call" ? states.get(callKey(part)) : undefined;
      return part.kind === "tool-call" && opaque !== undefined ? { ...part, opaque } : part;
    }),
  });
  return {
    ...request,
    messages: request.messages.map((message) => (lacksState(message) ? restored(message) : message)),
  };
}

function lacksState(message: Message): boolean {
  return (
    message.role === "assistant" &&
    callsOf(message).length > 0 &&
    message.parts.every(
      (part) => part.kind === "foreign" || part.kind === "tool-result" || part.opaque === undefined,
    )
  );
}

function callsOf({ parts }: Message): readonly ToolCallPart[] {
  return parts.filter((part) => part.kind === "tool-call");
}

function readJson(text: string): unknown {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return isWithinDepth(value, ARGUMENT_LEVELS) ? value : text;
  } catch {
    return text;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
