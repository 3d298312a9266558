import type { ChatEvent } from "../event.ts";
import type { ResponsePart } from "../response.ts";
import type { StreamRun } from "./stream-transform.ts";

/** Marks the thoughts that nobody signed as wanted back: `state/place-state.ts` puts them where clients keep them. */
export function markRequested(parts: readonly ResponsePart[]): readonly ResponsePart[] {
  return parts.map((part) =>
    part.kind === "reasoning" && part.opaque === undefined ? { ...part, requested: true } : part,
  );
}

/** The same for a stream. */
export function markRequestedEvents(): StreamRun<ChatEvent, ChatEvent> {
  return {
    step: (event) => [
      event.type === "reasoning-end" && event.opaque === undefined ? { ...event, requested: true } : event,
    ],
    end: () => [],
  };
}
