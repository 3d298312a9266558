import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { type CalledResponse, type CalledTold, relayCalls } from "../support/called-answers.ts";

/** A response's end in each protocol's words. */
const WORDS: Readonly<Record<ChatProtocol, Readonly<Record<"stop" | "calls" | "limit" | "filter", string>>>> =
  {
    "chat-completions": { stop: "stop", calls: "tool_calls", limit: "length", filter: "content_filter" },
    responses: {
      stop: "completed",
      calls: "completed",
      limit: "max_output_tokens",
      filter: "content_filter",
    },
    messages: { stop: "end_turn", calls: "tool_use", limit: "max_tokens", filter: "refusal" },
    "generate-content": { stop: "STOP", calls: "STOP", limit: "MAX_TOKENS", filter: "SAFETY" },
  };

const WHOLE = ["{}", '{"city":"Rome"}', ' {"a":["}","\\"{"]} '];
const NONE = ["", " ", "null", " null "];
const CUT = ['{"paths":["/srv/a", "/sr', '{"a":', "{", '{"a":{"b":1}', '{"a":"\\', '[{"a":1}'];
/** JSON in the place of arguments, and the text that it amounts to. */
const OBJECT_VALUES = ['{"a":[1,"}"]}', '"{\\"city\\":\\"Rome\\"}"', '" {} "', "null", '""', '" null "'];
const OTHER_VALUES = ["[1]", '[{"a":1}]', "7", "false", '"rome"', '"[1]"', '"{\\"a\\":1}}"', '"7"'];
const MALFORMED = ['{"a":1}}', "[1]", "7", '{"a" 1}', "rome", "nul"];

describe.each(CHAT_PROTOCOLS)("calls of an upstream that speaks %s", (upstream) => {
  const { stop, calls: calling, limit, filter } = WORDS[upstream];
  // A stream of generateContent without a word for its end has broken off.
  const ends = fc.constantFrom(stop, calling, limit, filter, upstream === "generate-content" ? stop : "");
  const written = fc.constantFrom(...WHOLE, ...(writesText(upstream) ? NONE : []));

  it.each(CHAT_PROTOCOLS)(
    "reach callers of %s, whose finish says so if and only if there are some",
    (client) => {
      const responses = fc.record({ calls: fc.array(written, { maxLength: 3 }), finish: ends });
      each(
        responses,
        (response, told) => {
          expect(said(told.calls)).toEqual(said(response.calls));
          expect(told.losses).toEqual([]);
          const words = WORDS[client];
          const usual = response.calls.length > 0 ? words.calls : words.stop;
          expect(told.finish).toBe(
            response.finish === limit ? words.limit : response.finish === filter ? words.filter : usual,
          );
        },
        client,
      );
    },
  );

  it.each(CHAT_PROTOCOLS)(
    "reach callers of %s whether their arguments come as an object or as its text",
    (client) => {
      const responses = fc.record({
        calls: fc.array(fc.constantFrom(...OBJECT_VALUES), { minLength: 1, maxLength: 3 }),
        finish: fc.constant(calling),
        asValues: fc.constant(true as const),
      });
      each(
        responses,
        (response, told) => {
          expect(said(told.calls)).toEqual(said(response.calls.map(textOf)));
          expect(told.losses).toEqual([]);
          expect(told.finish).toBe(WORDS[client].calls);
        },
        client,
      );
    },
  );

  it.each(CHAT_PROTOCOLS)(
    "whose arguments are another value reach callers of %s as its text, or not at all",
    (client) => {
      const responses = fc.record({
        calls: fc.tuple(fc.constantFrom(...OTHER_VALUES)),
        finish: fc.constant(calling),
        asValues: fc.constant(true as const),
      });
      each(
        responses,
        (response, told, streamed) => expectMalformed(response.calls.map(textOf), told, streamed, client),
        client,
      );
    },
  );

  if (!writesText(upstream)) return;

  it.each(CHAT_PROTOCOLS)("that were cut short reach callers of %s as a limit that struck", (client) => {
    const cut = fc.tuple(fc.array(written, { maxLength: 2 }), fc.constantFrom(...CUT), ends);
    const responses = cut.map(([calls, last, finish]) => ({ calls: [...calls, last], finish }));
    each(
      responses,
      (response, told, streamed) => {
        const whole = response.calls.slice(0, -1);
        expect(said(told.calls.slice(0, whole.length))).toEqual(said(whole));
        expect(told.losses).toEqual(["toolCalls"]);
        expect(told.finish).toBe(response.finish === filter ? WORDS[client].filter : WORDS[client].limit);
        // Pieces of arguments have passed when a stream ends, and stay what the upstream wrote.
        const rest = streamed && client !== "generate-content" ? response.calls.slice(-1) : [];
        expect(told.calls.slice(whole.length)).toEqual(rest);
      },
      client,
    );
  });

  it.each(CHAT_PROTOCOLS)(
    "whose arguments are no object reach callers of %s as written, or not at all",
    (client) => {
      const responses = fc.record({ calls: fc.tuple(fc.constantFrom(...MALFORMED)), finish: ends });
      each(
        responses,
        (response, told, streamed) => expectMalformed(response.calls, told, streamed, client),
        client,
      );
    },
  );

  function each(
    responses: fc.Arbitrary<CalledResponse>,
    expects: (response: CalledResponse, told: CalledTold, streamed: boolean) => void,
    client: ChatProtocol,
  ): void {
    fc.assert(
      fc.property(responses, fc.boolean(), (response, streamed) =>
        expects(response, relayCalls(upstream, client, response, streamed), streamed),
      ),
    );
  }
});

/** Whether arguments are told as text, which may be anything. */
function writesText(protocol: ChatProtocol): boolean {
  return protocol === "chat-completions" || protocol === "responses";
}

/** Text is its caller's to read; an object is none, and pieces that have passed stay. */
function expectMalformed(
  calls: readonly string[],
  told: CalledTold,
  streamed: boolean,
  client: ChatProtocol,
): void {
  if (writesText(client)) {
    expect(told.calls).toEqual(calls);
    expect(told.losses).toEqual([]);
    return;
  }
  expect(told.calls).toEqual(streamed && client === "messages" ? calls : []);
  expect(told.losses).toEqual(["toolCalls"]);
  expect(told.finish).not.toBe(WORDS[client].calls);
}

/** The text of a value: a text is its own. */
function textOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : json;
}

/** What calls say, in any order, for whoever is told of calls at their ends; none is an empty object. */
function said(calls: readonly string[]): readonly string[] {
  return calls.map((text) => (NONE.includes(text) ? "{}" : JSON.stringify(JSON.parse(text)))).toSorted();
}
