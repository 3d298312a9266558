import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../../test/support/conversation-arbitraries.ts";
import type { ChatResponse, ResponsePart } from "../response.ts";
import { collectEvents } from "./collect.ts";
import { splitThinkTagEvents, splitThinkTags } from "./think-tags.ts";

const words = fc.string({
  unit: fc.constantFrom(..."ab \n<>/", "<think>", "</think>", "think"),
  maxLength: 12,
});

describe("thoughts in tags", () => {
  it.each([
    ["<think>Hm.</think>Yes.", "Hm.", "Yes."],
    ["\n<think>\nHm.\n</think>\n\nYes.\n", "Hm.", "Yes.\n"],
    ["<think></think>Yes.", undefined, "Yes."],
    ["<think>Hm.", "Hm.", undefined],
    ["<think>a </thin b</think> c </think>", "a </thin b", "c </think>"],
    ["Say <think>Hm.</think>", undefined, "Say <think>Hm.</think>"],
    ["<thinking>Hm.</thinking>", undefined, "<thinking>Hm.</thinking>"],
    ["<thi", undefined, "<thi"],
    ["", undefined, undefined],
  ])("are thoughts at the answer's beginning alone: %j", (text, reasoning, said) => {
    const parts = splitThinkTags([{ kind: "text", text }]);
    const found = (kind: string) =>
      parts.flatMap((part) => (part.kind === kind && "text" in part ? part.text : []));
    expect([found("reasoning")[0], found("text")[0] || undefined]).toEqual([reasoning, said]);
  });

  it("are told the same in a stream, wherever it is cut", () => {
    fc.assert(
      fc.property(
        fc.tuple(
          fc.constantFrom("", "\n ", "<think>", " <think>\n", "<thi"),
          words,
          fc.constantFrom("", "</think>"),
          words,
        ),
        fc.integer({ min: 1, max: 9 }),
        (pieces, size) => {
          const parts: ResponsePart[] = [
            { kind: "text", text: pieces.join("") },
            { kind: "text", text: "<think>no</think>" },
          ];
          const response: ChatResponse = {
            choices: [{ parts, finish: { unified: "stop", protocol: "chat-completions" } }],
          };
          const run = splitThinkTagEvents();
          const streamed = collectEvents(eventsOf(response, () => size).flatMap((event) => run.step(event)));
          expect("response" in streamed && withoutBlank(streamed.response.choices[0]?.parts)).toEqual(
            withoutBlank(splitThinkTags(parts)),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("are words behind thoughts that the vendor tells apart, and behind a call", () => {
    const said = { kind: "text", text: "<think>Hm.</think>Yes." } as const;
    for (const before of [
      { kind: "reasoning", text: "Hm." },
      { kind: "tool-call", id: "c1", name: "f", arguments: "{}" },
    ] as const) {
      expect(splitThinkTags([before, said])).toEqual([before, said]);
    }
  });
});

function withoutBlank(parts: readonly ResponsePart[] = []): readonly ResponsePart[] {
  return parts.filter((part) => part.kind !== "text" || part.text !== "");
}
