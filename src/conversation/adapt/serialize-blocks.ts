import type { ChatEvent } from "../event.ts";
import type { StreamRun } from "./machine.ts";

/**
 * Lets blocks through strictly one after the other, in the order of their starts: what comes for a later
 * block waits until the earlier ones have ended (rule 13; parallel calls of chat streams interleave).
 */
export function serializeBlocks(): StreamRun<ChatEvent, ChatEvent> {
  let current: number | undefined;
  /** Events of blocks that wait, by block; Map keeps the order of their starts. */
  const waiting = new Map<number, ChatEvent[]>();

  function release(out: ChatEvent[]): void {
    while (current === undefined) {
      const first = waiting.entries().next();
      if (first.done === true) return;
      const [block, events] = first.value;
      waiting.delete(block);
      for (const event of events) out.push(event);
      if (!events.some(isEnd)) current = block;
    }
  }

  return {
    step(event) {
      if (!("block" in event)) {
        if (event.type !== "error" || waiting.size === 0) return [event];
        waiting.clear();
        return [event];
      }
      const { block } = event;
      if (current === undefined || current === block) {
        const out: ChatEvent[] = [event];
        current = isEnd(event) ? undefined : block;
        release(out);
        return out;
      }
      const before = waiting.get(block);
      if (before === undefined) waiting.set(block, [event]);
      else before.push(event);
      return [];
    },
    end: () => [],
  };
}

/** Media and foreign parts are whole: their one event ends them. */
function isEnd(event: ChatEvent): boolean {
  return event.type.endsWith("-end") || event.type === "media" || event.type === "foreign";
}
