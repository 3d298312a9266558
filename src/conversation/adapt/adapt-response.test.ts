import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatEvents, chatResponses, eventsOf } from "../../../test/support/conversation-arbitraries.ts";
import type { ChatEvent } from "../event.ts";
import { openLosses } from "../loss.ts";
import type { ProtocolCapabilities } from "../lower/capabilities.ts";
import type { ChatResponse } from "../response.ts";
import { adaptEvents, adaptResponse } from "./adapt-response.ts";
import { collectEvents } from "./collect.ts";

const narrow: ProtocolCapabilities = {
  protocol: "messages",
  rank: 1,
  slots: new Set(),
  toolNames: { maxLength: 64, also: "" },
  callIds: { maxLength: 64, also: "" },
  maxUserLength: 64,
  minOutputTokens: 1,
  maxStops: 0,
  customTools: false,
  namespaces: false,
  manyAnswers: false,
  prefill: "refuse",
  media: { inline: [], byUrl: [], schemes: [] },
  assistantMedia: false,
  manyChoices: true,
  responseMedia: [],
  argumentsAs: "object",
  blocksInTurn: true,
  stateSlots: ["reasoning"],
  reasoningRideOn: [],
  stateAfterWords: true,
  responseCitations: "none",
};

describe("fitting an answer to its caller", () => {
  it("does to a stream what it does to the plain answer", () => {
    const cases = chatResponses("generate-content", { state: "generate-content" }).chain((response) =>
      fc.tuple(fc.constant(withStatedCalls(response)), chatEvents(withStatedCalls(response))),
    );
    fc.assert(
      fc.property(
        cases,
        fc.constantFrom(narrow, { ...narrow, manyChoices: false }, { ...narrow, stateAfterWords: false }, {
          ...narrow,
          stateSlots: ["tool-call"],
          reasoningRideOn: ["tool-call"],
        } as const),
        ([response, events], capabilities) => {
          const plain = openLosses({});
          const streamed = openLosses({});
          const run = adaptEvents(capabilities, streamed);
          const fitted = collectEvents([...events.flatMap((event) => run.step(event)), ...run.end()]);
          expect(withoutLostState(fitted)).toEqual(
            withoutLostState({ response: adaptResponse(response, capabilities, plain) }),
          );
          expect(streamed.list()).toEqual(plain.list());
        },
      ),
    );
  });

  it("puts the state of a call before it where calls have no slot, naming its owner", () => {
    const opaque = {
      origin: { protocol: "generate-content", upstream: "u", model: "m" },
      value: "sig",
    } as const;
    const part = { kind: "tool-call", id: "c1", name: "n", arguments: "{}", opaque } as const;
    const finish = { unified: "tool-calls", protocol: "generate-content" } as const;
    const fitted = adaptResponse({ choices: [{ parts: [part], finish }] }, narrow, openLosses({}));
    expect(fitted.choices[0]?.parts).toEqual([
      { kind: "reasoning", text: "", opaque: { ...opaque, of: "c1" } },
      { kind: "tool-call", id: "c1", name: "n", arguments: "{}" },
    ]);
  });

  it("keeps the state of words only before other blocks where no answer may end in it", () => {
    const opaque = { origin: { protocol: "generate-content" }, value: "sig" } as const;
    const said = { kind: "text", text: "Rivers bend.", opaque } as const;
    const call = { kind: "tool-call", id: "c1", name: "n", arguments: "{}" } as const;
    const finish = { unified: "stop", protocol: "generate-content" } as const;
    const strict = { ...narrow, stateAfterWords: false };
    const kinds = (parts: ChatResponse["choices"][0]["parts"]): unknown => {
      const losses = openLosses({});
      const fitted = adaptResponse({ choices: [{ parts, finish }] }, strict, losses);
      return [fitted.choices[0]?.parts.map(({ kind }) => kind), losses.list().map(({ path }) => path)];
    };
    expect(kinds([said])).toEqual([["text"], ["reasoningState"]]);
    expect(kinds([said, call])).toEqual([["text", "reasoning", "tool-call"], []]);
    expect(kinds([{ ...call, opaque }])).toEqual([["reasoning", "tool-call"], []]);
  });

  it("lets one block through after the other, however they interleave (rule 13)", () => {
    const start = (block: number): ChatEvent => ({
      type: "tool-call-start",
      block,
      choice: 0,
      id: `c${block}`,
      name: "n",
    });
    const delta = (block: number): ChatEvent => ({ type: "tool-call-delta", block, arguments: "{}" });
    const end = (block: number): ChatEvent => ({ type: "tool-call-end", block });
    const run = adaptEvents(narrow, openLosses({}));
    const mixed = [start(0), start(1), delta(1), delta(0), start(2), end(1), delta(2), end(0), end(2)];
    expect(mixed.flatMap((event) => run.step(event))).toEqual([
      start(0),
      delta(0),
      end(0),
      start(1),
      delta(1),
      end(1),
      start(2),
      delta(2),
      end(2),
    ]);
  });

  it("tells where a citation of a whole text stands, plain and streamed", () => {
    const wide = { ...narrow, responseCitations: "urls" } as const;
    const cite = (protocol: "responses" | "messages", more = {}) => ({
      url: "https://example.com",
      ...more,
      source: { protocol, value: {} },
    });
    const citations = [cite("responses"), cite("responses", { start: 1, end: 2 }), cite("messages")];
    const response: ChatResponse = {
      choices: [
        {
          parts: [{ kind: "text", text: "Rivers bend.", citations }],
          finish: { unified: "stop", protocol: "responses" },
        },
      ],
    };
    const places = (response: ChatResponse): unknown =>
      response.choices[0]?.parts.flatMap((part) =>
        part.kind === "text" ? part.citations?.map(({ start, end }) => `${start} to ${end}`).sort() : [],
      );
    const wanted = ["0 to 12", "1 to 2", "undefined to undefined"];
    expect(places(adaptResponse(response, wide, openLosses({})))).toEqual(wanted);
    const run = adaptEvents(wide, openLosses({}));
    const collected = collectEvents(eventsOf(response).flatMap((event) => run.step(event)));
    expect("response" in collected && places(collected.response)).toEqual(wanted);
  });

  it("drops what has no slot and says so", () => {
    const source = { protocol: "responses", value: {} } as const;
    const response: ChatResponse = {
      choices: [
        {
          parts: [
            { kind: "text", text: "x", citations: [{ url: "https://example.com", source }] },
            { kind: "media", media: "image", source: { from: "base64", data: "AA==" } },
            { kind: "foreign", protocol: "responses", value: {}, ifUnsupported: "drop", path: "output[1]" },
          ],
          finish: { unified: "stop", protocol: "responses" },
        },
      ],
    };
    for (const streamed of [false, true]) {
      const losses = openLosses({});
      if (streamed) for (const event of eventsOf(response)) adaptEvents(narrow, losses).step(event);
      else adaptResponse(response, narrow, losses);
      expect(losses.list().map(({ path }) => path)).toEqual(["citations", "media", "output[]"]);
    }
  });
});

/** Calls with state of their own, as one vendor issues it. */
function withStatedCalls(response: ChatResponse): ChatResponse {
  const opaque = {
    origin: { protocol: "generate-content", upstream: "here", model: "model-1" },
    value: "s",
  } as const;
  return {
    ...response,
    choices: response.choices.map((choice) => ({
      ...choice,
      parts: choice.parts.map((part) => (part.kind === "tool-call" ? { ...part, opaque } : part)),
    })),
  };
}

/** A stream passes the state of thoughts on before it can know that no call follows; encoders ignore it there. */
function withoutLostState(outcome: object): unknown {
  if (!("response" in outcome)) return outcome;
  const { choices, ...head } = outcome.response as ChatResponse;
  return {
    ...head,
    choices: choices.map((choice) => {
      const calls = choice.parts.some(({ kind }) => kind === "tool-call");
      if (calls) return choice;
      return {
        ...choice,
        parts: choice.parts.map((part) =>
          part.kind === "reasoning" ? { ...part, opaque: undefined } : part,
        ),
      };
    }),
  };
}
