import type { ChatEvent } from "../event.ts";
import type { ResponsePlan } from "../lower/plan.ts";
import type { Choice, Finish, ResponsePart } from "../response.ts";
import type { StreamRun } from "./stream-transform.ts";

/** The response up to the first stop sequence that the upstream was not told (rule 39). */
export function cutAtStops(choice: Choice, plan: ResponsePlan): Choice {
  const parts: ResponsePart[] = [];
  for (const part of choice.parts) {
    const hit = part.kind === "text" ? firstStop(part.text, plan.stops) : undefined;
    if (part.kind !== "text" || hit === undefined) {
      parts.push(part);
      continue;
    }
    const { citations: _, ...uncited } = part;
    parts.push({ ...uncited, text: part.text.slice(0, hit.at) });
    return { parts, finish: stoppedAt(hit.stop, plan) };
  }
  return choice;
}

/**
 * The same for a stream. Text that may be the beginning of a stop sequence is held back until it is
 * known. After the cut nothing of that choice passes but its finish, which waits for the upstream's: the
 * usage that precedes it is billed.
 */
export function openStopCutter(plan: ResponsePlan): StreamRun<ChatEvent, ChatEvent> {
  /** Open blocks; of text what is held back. */
  const open = new Map<number, { readonly choice: number; readonly end: ChatEvent; held: string }>();
  const cuts = new Map<number, Finish>();
  const finished = new Set<number>();

  function grow(block: number, added: string): readonly ChatEvent[] {
    const entry = open.get(block);
    if (entry === undefined) return [];
    const text = entry.held + added;
    const hit = firstStop(text, plan.stops);
    if (hit === undefined) {
      const kept = heldLength(text, plan.stops);
      entry.held = text.slice(text.length - kept);
      return piece(block, text.slice(0, text.length - kept));
    }
    cuts.set(entry.choice, stoppedAt(hit.stop, plan));
    const closing = [...open].filter(([, { choice }]) => choice === entry.choice);
    for (const [closed] of closing) open.delete(closed);
    return [...piece(block, text.slice(0, hit.at)), ...closing.map(([, { end }]) => end)];
  }

  function start(block: number, choice: number, end: ChatEvent, event: ChatEvent): readonly ChatEvent[] {
    if (cuts.has(choice)) return [];
    open.set(block, { choice, end, held: "" });
    return [event];
  }

  return {
    step(event) {
      switch (event.type) {
        case "text-start":
          return start(event.block, event.choice, { type: "text-end", block: event.block }, event);
        case "reasoning-start":
          return start(event.block, event.choice, { type: "reasoning-end", block: event.block }, event);
        case "tool-call-start":
          return start(event.block, event.choice, { type: "tool-call-end", block: event.block }, event);
        case "text-delta":
          return grow(event.block, event.text);
        case "reasoning-delta":
        case "tool-call-delta":
        case "citation":
          return open.has(event.block) ? [event] : [];
        case "text-end":
        case "reasoning-end":
        case "tool-call-end": {
          const entry = open.get(event.block);
          open.delete(event.block);
          return entry === undefined ? [] : [...piece(event.block, entry.held), event];
        }
        case "media":
        case "foreign":
          return cuts.has(event.choice) ? [] : [event];
        case "finish":
          finished.add(event.choice);
          return [{ ...event, finish: cuts.get(event.choice) ?? event.finish }];
        case "error": {
          // A choice that was cut is whole: what broke after it is nothing to its caller.
          const whole = [...cuts].filter(([choice]) => !finished.has(choice));
          if (whole.length === 0 || open.size > 0) return [event];
          return whole.map(([choice, finish]) => ({ type: "finish", choice, finish }));
        }
        default:
          return [event];
      }
    },
    end: () => [],
  };
}

function piece(block: number, text: string): readonly ChatEvent[] {
  return text === "" ? [] : [{ type: "text-delta", block, text }];
}

function stoppedAt(stopSequence: string, plan: ResponsePlan): Finish {
  return { unified: "stop", protocol: plan.origin.protocol, stopSequence };
}

/** The stop sequence that is whole first, where vendors stop; of several at once the longest. */
function firstStop(
  text: string,
  stops: readonly string[],
): { readonly at: number; readonly stop: string } | undefined {
  let first: { at: number; stop: string } | undefined;
  let end = Number.POSITIVE_INFINITY;
  for (const stop of stops) {
    const at = stop === "" ? -1 : text.indexOf(stop);
    const ends = at + stop.length;
    if (at === -1 || ends > end || (first !== undefined && ends === end && at >= first.at)) continue;
    first = { at, stop };
    end = ends;
  }
  return first;
}

/** The length of the text's end that could begin a stop sequence. */
function heldLength(text: string, stops: readonly string[]): number {
  const longest = stops.reduce((most, stop) => Math.max(most, stop.length - 1), 0);
  for (let length = Math.min(longest, text.length); length > 0; length -= 1) {
    const tail = text.slice(text.length - length);
    if (stops.some((stop) => stop.length > length && stop.startsWith(tail))) return length;
  }
  return 0;
}
