import type { ErrorStatement } from "../../errors.ts";
import type { MeteredUsage } from "../../usage/usage.ts";
import type { ChatEvent } from "../event.ts";
import type { Citation } from "../request.ts";
import type { ChatResponse, Finish, ResponsePart } from "../response.ts";

/** The plain response that a stream amounts to, or how it broke. A stream without a finish has no response. */
export type Collected =
  | { readonly response: ChatResponse }
  | { readonly error: ErrorStatement }
  | { readonly unfinished: true };

export function collectEvents(events: Iterable<ChatEvent>): Collected {
  let head: { id?: string | undefined; model?: string | undefined; created?: number | undefined } = {};
  let usage: MeteredUsage | undefined;
  const blocks = new Map<number, { readonly choice: number; part: ResponsePart }>();
  const cited = new Map<number, Citation[]>();
  const finishes = new Map<number, Finish>();

  for (const event of events) {
    switch (event.type) {
      case "response-start": {
        const { type: _, ...rest } = event;
        head = rest;
        break;
      }
      case "usage":
        usage = event.usage;
        break;
      case "finish":
        finishes.set(event.choice, event.finish);
        break;
      case "error":
        return { error: event.error };
      case "citation":
        if (cited.get(event.block)?.push(event.citation) === undefined)
          cited.set(event.block, [event.citation]);
        break;
      case "media":
      case "foreign":
        blocks.set(event.block, { choice: event.choice, part: event.part });
        break;
      default: {
        const started = startedPart(event);
        if (started !== undefined) {
          blocks.set(event.block, started);
          break;
        }
        const block = blocks.get(event.block);
        if (block !== undefined) block.part = grown(block.part, event);
      }
    }
  }
  if (finishes.size === 0) return { unfinished: true };
  for (const [number, citations] of cited) {
    const block = blocks.get(number);
    if (block?.part.kind === "text") block.part = { ...block.part, citations };
  }
  const choices = [...finishes]
    .sort(([a], [b]) => a - b)
    .map(([choice, finish]) => ({
      parts: [...blocks.values()].filter((block) => block.choice === choice).map((block) => block.part),
      finish,
    }));
  return { response: { ...head, choices, usage } };
}

function startedPart(event: ChatEvent): { readonly choice: number; part: ResponsePart } | undefined {
  switch (event.type) {
    case "text-start":
      return {
        choice: event.choice,
        part: { kind: "text", text: "", refusal: event.refusal },
      };
    case "reasoning-start":
      return { choice: event.choice, part: { kind: "reasoning", text: "" } };
    case "tool-call-start": {
      const { type: _, block: __, choice, ...call } = event;
      return { choice, part: { kind: "tool-call", ...call, arguments: "" } };
    }
    default:
      return undefined;
  }
}

/** The part after one more event of its block. */
function grown(part: ResponsePart, event: ChatEvent): ResponsePart {
  switch (event.type) {
    case "text-delta":
      return part.kind === "text" ? { ...part, text: part.text + event.text } : part;
    case "reasoning-delta":
      return part.kind === "reasoning" ? { ...part, text: part.text + event.text } : part;
    case "reasoning-end":
      return part.kind === "reasoning"
        ? {
            ...part,
            redacted: event.redacted ? true : part.redacted,
            opaque: event.opaque ?? part.opaque,
          }
        : part;
    case "tool-call-delta":
      return part.kind === "tool-call" ? { ...part, arguments: part.arguments + event.arguments } : part;
    case "tool-call-end":
      return part.kind === "tool-call"
        ? {
            ...part,
            defect: event.defect ?? part.defect,
            opaque: event.opaque ?? part.opaque,
          }
        : part;
    case "text-end":
      return event.opaque === undefined || part.kind === "foreign" ? part : { ...part, opaque: event.opaque };
    default:
      return part;
  }
}
