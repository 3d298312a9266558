import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answeredMessages } from "./lower/alternating-turns.ts";
import { joinedUserMessages } from "./lower/user-turns.ts";
import { MessageRun } from "./message-run.ts";
import type { ChatRequest, Message, Part } from "./request.ts";

/** Parts that count how often anything is read of them. */
function counted(parts: readonly Part[]): { readonly parts: readonly Part[]; readonly reads: () => number } {
  let reads = 0;
  const handler: ProxyHandler<Part> = {
    get(part, name) {
      reads += 1;
      return Reflect.get(part, name);
    },
  };
  return { parts: parts.map((part) => new Proxy(part, handler)), reads: () => reads };
}

/** One message that makes so many calls, then each result in a message of its own. */
function resultsOf(count: number): readonly Part[] {
  return Array.from({ length: count }, (_, at) => ({ kind: "tool-result", callId: `call_${at}`, parts: [] }));
}

const conversation = (results: readonly Part[]): readonly Message[] => {
  const calls = results.map(
    (_, at) => ({ kind: "tool-call", id: `call_${at}`, name: "look", arguments: "{}" }) as const,
  );
  return [
    { role: "user", parts: [{ kind: "text", text: "Look." }] },
    { role: "assistant", parts: calls },
    ...results.map((part) => ({ role: "user" as const, parts: [part] })),
  ];
};

/** The functions that join messages into one, by name. */
const JOINED: readonly (readonly [name: string, join: (messages: readonly Message[]) => unknown])[] = [
  ["neighbours of the user's", joinedUserMessages],
  ["answers of calls", (messages) => answeredMessages({ messages } as ChatRequest)],
];

describe("messages that become one", () => {
  it("hold every part in its order, and know whether all are results", () => {
    const part = fc.constantFrom<Part>(
      { kind: "text", text: "Hi" },
      { kind: "tool-result", callId: "call_1", parts: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.array(part), { minLength: 1 }), (lists) => {
        const run = new MessageRun();
        const [first = [], ...others] = lists;
        run.push({ role: "user", parts: first });
        for (const parts of others) run.grow(parts);
        expect(run.messages.map(({ parts }) => parts)).toEqual([lists.flat()]);
        expect(run.endsInResults).toBe(lists.flat().every(({ kind }) => kind === "tool-result"));
        // The input stays unchanged.
        expect(first).toEqual(lists[0]);
      }),
    );
  });

  it.each(JOINED)("cost twice the work for twice the parts: %s", (_, join) => {
    const work = (count: number): number => {
      const { parts, reads } = counted(resultsOf(count));
      join(conversation(parts));
      return reads();
    };
    // Sorting takes a little more than twice.
    expect(work(1_600)).toBeLessThan(3 * work(800));
  });
});
