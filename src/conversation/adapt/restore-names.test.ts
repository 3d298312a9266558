import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chatEvents,
  chatResponses,
  eventsOf,
  origin,
  plan,
} from "../../../test/support/conversation-arbitraries.ts";
import type { ChatEvent } from "../event.ts";
import type { ResponsePlan } from "../lower/plan.ts";
import type { ChatResponse } from "../response.ts";
import { collectEvents } from "./collect.ts";
import { restoreEventNames, restoreNames } from "./restore-names.ts";

const finish = { unified: "tool-calls", protocol: "messages" } as const;

function called(name: string, text: string): ChatResponse {
  return { choices: [{ parts: [{ kind: "tool-call", id: "c1", name, arguments: text }], finish }] };
}

function streamed(response: ChatResponse, by: ResponsePlan, size = 3): unknown {
  const run = open(by);
  return collectEvents([...eventsOf(response, () => size).flatMap((event) => run.step(event)), ...run.end()]);
}

describe("undoing a plan", () => {
  it("gives a shortened name, a group and a custom tool's bare text back", () => {
    const tools = new Map([["code__run_ab12", { name: "run", namespace: "code", custom: true as const }]]);
    const by = { ...plan("messages"), tools };
    const undone = restoreNames(called("code__run_ab12", '{"input":"print(1)"}'), by);
    expect(undone.choices[0]?.parts).toEqual([
      { kind: "tool-call", id: "c1", name: "run", namespace: "code", custom: true, arguments: "print(1)" },
    ]);
    expect(streamed(called("code__run_ab12", '{"input":"print(1)"}'), by)).toEqual({ response: undone });
  });

  it("makes the text it stands for of a forced answer tool (rule 40)", () => {
    const by = { ...plan("messages"), responseTool: "give_answer" };
    const undone = restoreNames(called("give_answer", '{"a":1}'), by);
    expect(undone.choices).toEqual([{ parts: [{ kind: "text", text: '{"a":1}' }], finish }]);
    expect(streamed(called("give_answer", '{"a":1}'), by)).toEqual({ response: undone });
  });

  it("cuts an answer at a stop sequence that the upstream never saw, streamed as plain (rule 39)", () => {
    const stops = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " "), minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    });
    const cases = chatResponses("responses", { choices: 2 }).chain((response) =>
      fc.tuple(fc.constant(response), chatEvents(response), stops),
    );
    fc.assert(
      fc.property(cases, ([response, events, all]) => {
        const by = { ...plan("responses"), stops: all };
        const run = open(by);
        const cut = [...events.flatMap((event) => run.step(event)), ...run.end()];
        const undone = restoreNames(response, by);
        expect(collectEvents(cut)).toEqual({ response: undone });
        for (const { parts } of undone.choices) {
          for (const part of parts) {
            if (part.kind === "text") expect(all.some((stop) => part.text.includes(stop))).toBe(false);
          }
        }
        expect(everyBlockEnds(cut)).toBe(true);
      }),
    );
  });

  it("cuts at the stop sequence that is whole first, however the stream is cut (rule 39)", () => {
    const finish = (stopSequence: string) => ({ unified: "stop", protocol: "responses", stopSequence });
    const cases = [
      ["xabc", ["abc", "b"], "xa", "b"],
      ["xa b", ["a b", "a"], "x", "a"],
      ["xab", ["b", "ab"], "x", "ab"],
    ] as const;
    for (const [text, stops, kept, stop] of cases) {
      const by = { ...plan("responses"), stops };
      const said = { kind: "text", text } as const;
      const told = { parts: [{ kind: "text", text: kept }], finish: finish(stop) };
      const end = { unified: "stop", protocol: "responses" } as const;
      expect(restoreNames({ choices: [{ parts: [said], finish: end }] }, by).choices).toEqual([told]);
      for (const pieces of [[text], [...text]]) {
        const run = open(by);
        const events: readonly ChatEvent[] = [
          { type: "text-start", block: 0, choice: 0 },
          ...pieces.map((piece) => ({ type: "text-delta", block: 0, text: piece }) as const),
          { type: "text-end", block: 0 },
          { type: "finish", choice: 0, finish: end },
        ];
        expect(collectEvents(events.flatMap((event) => run.step(event)))).toEqual({
          response: { choices: [told] },
        });
      }
    }
  });

  it("leaves an answer alone that needs nothing undone", () => {
    const by = {
      origin: origin("messages"),
      seed: "",
      tools: new Map(),
      responseTool: undefined,
      copies: 1,
      stops: [],
    };
    fc.assert(fc.property(chatResponses("messages"), (response) => restoreNames(response, by) === response));
    expect(restoreEventNames(by)).toBeUndefined();
  });
});

function open(by: ResponsePlan) {
  const run = restoreEventNames(by);
  if (run === undefined) throw new Error("nothing to undo");
  return run;
}

function everyBlockEnds(events: readonly ChatEvent[]): boolean {
  const open = new Set<number>();
  for (const event of events) {
    if (event.type.endsWith("-start") && "block" in event) open.add(event.block);
    if (event.type.endsWith("-end") && "block" in event && !open.delete(event.block)) return false;
  }
  return open.size === 0;
}
