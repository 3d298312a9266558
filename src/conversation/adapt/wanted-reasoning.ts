import type { ChatEvent } from "../event.ts";
import type { ResponsePart } from "../response.ts";
import type { StreamRun } from "./machine.ts";

/** Marks the thoughts that nobody signed as wanted back: `state/place-state.ts` puts them where clients keep them. */
export function markWanted(parts: readonly ResponsePart[]): readonly ResponsePart[] {
  return parts.map((part) =>
    part.kind === "reasoning" && part.opaque === undefined ? { ...part, wanted: true } : part,
  );
}

/** The same for a stream. */
export function eventsMarkWanted(): StreamRun<ChatEvent, ChatEvent> {
  return {
    step: (event) => [
      event.type === "reasoning-end" && event.opaque === undefined ? { ...event, wanted: true } : event,
    ],
    end: () => [],
  };
}
