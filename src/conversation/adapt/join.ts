import { type MeteredUsage, sumUsage } from "../../usage/usage.ts";
import type { ChatEvent } from "../event.ts";
import type { ChatResponse } from "../response.ts";

/** Several answers to one request as one with several choices, in order; their usage is the sum. */
export function joinResponses(responses: readonly ChatResponse[]): ChatResponse {
  const usages = responses.flatMap(({ usage }) => usage ?? []);
  return {
    ...responses[0],
    choices: responses.flatMap(({ choices }) => choices.slice(0, 1)),
    usage: usages.length === 0 ? undefined : sumUsage(usages),
  };
}

/** Joins the streams of several responses. */
export interface Join {
  /** An event of the response of this number, as events of the joined answer. */
  step(response: number, event: ChatEvent): readonly ChatEvent[];
}

/**
 * The same for streams: each response becomes a choice, its blocks get numbers that no other's have. What
 * is said of the whole comes once: the first head, and at the end the summed usage before all finishes.
 */
export function openJoin(responses: number): Join {
  const blocks = Array.from({ length: responses }, () => new Map<number, number>());
  const usages: (MeteredUsage | undefined)[] = Array.from({ length: responses });
  const finishes: (ChatEvent | undefined)[] = Array.from({ length: responses });
  let begun = false;
  let nextBlock = 0;

  return {
    step(response, event) {
      // A response beyond the one that was asked for is nobody's.
      if ("choice" in event && event.choice !== 0) return [];
      switch (event.type) {
        case "response-start":
          if (begun) return [];
          begun = true;
          return [event];
        case "usage":
          usages[response] = event.usage;
          return [];
        case "finish":
          finishes[response] = { ...event, choice: response };
          return finishes.includes(undefined) ? [] : ending();
        case "error":
          return [event];
        default: {
          const block = numberOf(response, event);
          if (block === undefined) return [];
          return ["choice" in event ? { ...event, block, choice: response } : { ...event, block }];
        }
      }
    },
  };

  function numberOf(response: number, event: Extract<ChatEvent, { block: number }>): number | undefined {
    const numbers = blocks[response];
    if ("choice" in event) {
      numbers?.set(event.block, nextBlock);
      nextBlock += 1;
    }
    return numbers?.get(event.block);
  }

  function ending(): readonly ChatEvent[] {
    const known = usages.flatMap((usage) => usage ?? []);
    const usage: readonly ChatEvent[] = known.length === 0 ? [] : [{ type: "usage", usage: sumUsage(known) }];
    return [...usage, ...finishes.flatMap((finish) => finish ?? [])];
  }
}
