import type { StreamRun } from "../adapt/stream-transform.ts";
import type { ChatEvent } from "../event.ts";
import type { LossList } from "../loss.ts";
import type { ResponsePart } from "../response.ts";
import type { Opaque } from "./opaque.ts";

/**
 * State that was taken off a response's last words would stand behind them as a thought. Callers whose protocol
 * never ends a response so take its last block for the response, and find nothing in it. There it is lost: to its
 * vendor it is a hint, unlike the state of calls, which stays.
 */
export function dropTrailingState(parts: readonly ResponsePart[], losses: LossList): readonly ResponsePart[] {
  const last = parts.at(-1);
  if (last?.kind !== "reasoning" || !isOfWords(last.opaque)) return parts;
  losses.field("reasoningState");
  return parts.slice(0, -1);
}

/** The same for a stream whose blocks come one after the other: such state waits for what follows it. */
export function dropTrailingStateEvents(losses: LossList): StreamRun<ChatEvent, ChatEvent> {
  /** The start of a thought that holds nothing but state: its end, which says whose, comes next. */
  let opening: Extract<ChatEvent, { readonly type: "reasoning-start" }> | undefined;
  /** Thoughts that hold the state of words, by choice. */
  const held = new Map<number, readonly ChatEvent[]>();
  const release = (choice: number): readonly ChatEvent[] => {
    const events = held.get(choice) ?? [];
    held.delete(choice);
    return events;
  };
  return {
    step(event) {
      switch (event.type) {
        case "reasoning-start":
          if (!isBeside(event.block)) return [...release(event.choice), event];
          opening = event;
          return release(event.choice);
        case "reasoning-end": {
          if (opening === undefined) return [event];
          const reasoning = [opening, event];
          const { choice } = opening;
          opening = undefined;
          if (!isOfWords(event.opaque)) return reasoning;
          held.set(choice, reasoning);
          return [];
        }
        case "text-start":
        case "tool-call-start":
        case "media":
        case "foreign":
          return [...release(event.choice), event];
        case "finish":
          if (release(event.choice).length > 0) losses.field("reasoningState");
          return [event];
        default:
          return [event];
      }
    },
    end: () => [],
  };
}

/** Thoughts that `adapt-response.ts` makes for state have numbers that no block of the stream has. */
function isBeside(block: number): boolean {
  return block < 0;
}

function isOfWords(opaque: Opaque | undefined): boolean {
  return opaque?.of === "";
}
