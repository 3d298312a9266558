import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatResponses, eventsOf } from "../../../test/support/conversation-arbitraries.ts";
import type { ChatEvent } from "../event.ts";
import type { ChatResponse } from "../response.ts";
import { collectEvents } from "./collect.ts";
import { joinResponses, openJoin } from "./join.ts";

const several = fc.array(chatResponses("messages"), { minLength: 1, maxLength: 4 });

/** All events of all responses, each response's in order, interleaved as `draw` says. */
function interleave(
  responses: readonly ChatResponse[],
  draw: (below: number) => number,
): readonly [answer: number, event: ChatEvent][] {
  const queues = responses.map((response, answer) => ({ response: answer, events: [...eventsOf(response)] }));
  const mixed: [number, ChatEvent][] = [];
  for (;;) {
    const left = queues.filter(({ events }) => events.length > 0);
    const queue = left[draw(left.length)];
    const event = queue?.events.shift();
    if (queue === undefined || event === undefined) return mixed;
    mixed.push([queue.response, event]);
  }
}

function joined(mixed: readonly [number, ChatEvent][], responses: number): readonly ChatEvent[] {
  const join = openJoin(responses);
  return mixed.flatMap(([response, event]) => join.step(response, event));
}

describe("joining answers", () => {
  it("collects from interleaved streams what the plain answers amount to", () => {
    fc.assert(
      fc.property(several, fc.array(fc.nat(), { minLength: 1 }), (responses, draws) => {
        let turn = 0;
        const draw = (below: number): number => (draws[turn++ % draws.length] ?? 0) % Math.max(1, below);
        const mixed = interleave(responses, draw);
        const plain = joinResponses(responses);
        const [, first] = mixed[0] ?? [];
        const head = first?.type === "response-start" ? (({ type: _, ...rest }) => rest)(first) : {};
        const collected = collectEvents(joined(mixed, responses.length));
        const { choices, usage } = plain;
        expect(collected).toEqual({
          response: { ...head, choices, ...(usage === undefined ? {} : { usage }) },
        });
      }),
    );
  });

  it("keeps the grammar: one head, fresh numbers of blocks, summed usage before the finishes", () => {
    fc.assert(
      fc.property(several, (responses) => {
        const mixed = interleave(responses, (below) => below - 1);
        const events = joined(mixed, responses.length);
        expect(events.filter(({ type }) => type === "response-start")).toHaveLength(1);
        expect(events[0]?.type).toBe("response-start");
        const starts = events.flatMap((event) =>
          "block" in event && "choice" in event ? [event.block] : [],
        );
        expect(starts).toEqual(starts.map((_, index) => index));
        const tail = events.slice(-responses.length);
        expect(tail.map((event) => (event.type === "finish" ? event.choice : undefined))).toEqual(
          responses.map((_, response) => response),
        );
        const reported = responses.some(({ usage }) => usage !== undefined);
        expect(events.filter(({ type }) => type === "usage")).toHaveLength(reported ? 1 : 0);
        if (reported) expect(events.at(-responses.length - 1)?.type).toBe("usage");
      }),
    );
  });

  it("sums every bucket of usage and takes none for zero that nobody reported", () => {
    const finish = { unified: "stop", protocol: "messages" } as const;
    const response = (tokens: object): ChatResponse => ({
      choices: [{ parts: [], finish }],
      usage: { tokens, raw: tokens, hostile: [] },
    });
    const { usage } = joinResponses([
      response({ inputUncached: 1, cacheRead: 10, cacheWrite1h: 100, outputVisible: 5 }),
      response({ inputUncached: 2, cacheRead: 20, cacheWrite5m: 7, outputVisible: 0 }),
    ]);
    expect(usage?.tokens).toEqual({
      inputUncached: 3,
      cacheRead: 30,
      cacheWrite1h: 100,
      cacheWrite5m: 7,
      outputVisible: 5,
    });
    expect(usage?.raw).toHaveLength(2);
  });

  it("drops an answer that nobody asked for, streamed as plain", () => {
    const join = openJoin(2);
    expect(join.step(0, { type: "text-start", block: 3, choice: 1 })).toEqual([]);
    expect(join.step(0, { type: "text-delta", block: 3, text: "more" })).toEqual([]);
  });
});
