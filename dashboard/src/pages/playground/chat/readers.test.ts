import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, PROTOCOL_NAMES, type ProtocolName } from "./conversation.ts";
import { PROTOCOLS } from "./protocols.ts";
import { serverEvents } from "./server-events.ts";

/** Streams of the sandbox to the same two requests by each protocol, as it sent them. */
const RECORDED = import.meta.glob<string>("./recorded/*.sse", {
  query: "?raw",
  import: "default",
  eager: true,
});

function recorded(name: ProtocolName, kind: "thought" | "called"): Uint8Array {
  return new TextEncoder().encode(RECORDED[`./recorded/${name}-${kind}.sse`]);
}

async function answerOf(name: ProtocolName, bytes: Uint8Array): Promise<Answer> {
  const reader = PROTOCOLS[name].read();
  for await (const event of eventsOf([bytes])) reader.take(event);
  return reader.answer();
}

function eventsOf(chunks: readonly Uint8Array[]): AsyncGenerator<unknown> {
  return serverEvents(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    }),
  );
}

describe.each(PROTOCOL_NAMES)("the stream of %s", (name) => {
  it("gives the text, the thoughts and the end", async () => {
    const answer = await answerOf(name, recorded(name, "thought"));
    expect(answer.text).toBe("without around water square number stone whole music good music many reason");
    expect(answer.thinking).toMatch(/^The question is: Say three words\.\nFollow another .* promise\.$/);
    expect(answer).toMatchObject({ calls: [], problem: undefined });
    expect(answer.finish).toMatch(/^(stop|completed|end_turn|STOP)$/);
  });

  it("gives each call with its whole input, and an echo that holds them", async () => {
    const answer = await answerOf(name, recorded(name, "called"));
    const called = answer.calls.map((call) => [call.name, JSON.parse(call.input)]);
    expect(called).toEqual([
      ["weather", { city: "new" }],
      ["weather", { city: "general" }],
    ]);
    expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(2);
    for (const { id } of answer.calls) expect(JSON.stringify(answer.echo)).toContain(id);
  });

  it("is the same however the network cuts it", async () => {
    const bytes = recorded(name, "called");
    const whole: unknown[] = [];
    for await (const event of eventsOf([bytes])) whole.push(event);
    expect(whole.length).toBeGreaterThan(3);
    const cuts = fc.uniqueArray(fc.nat(bytes.length), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cuts, async (given) => {
        const places = [0, ...given.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const events: unknown[] = [];
        for await (const event of eventsOf(chunks)) events.push(event);
        expect(events).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });
});

it.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])(
  "reads lines that end with %s, comments, data of several lines, and an event without its blank line",
  async (_, end) => {
    const lines = [
      ": alive",
      "",
      "event: a",
      'data: {"a":',
      "data:1}",
      "id: 7",
      "",
      "data: [DONE]",
      "",
      "data: 2",
    ];
    const bytes = new TextEncoder().encode(lines.join(end));
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const events: unknown[] = [];
      for await (const event of eventsOf([bytes.subarray(0, cut), bytes.subarray(cut)])) events.push(event);
      expect(events).toEqual([{ a: 1 }, 2]);
    }
  },
);

it("tells of a connection that breaks as of a gateway that is away, not in the browser's words", async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new TypeError("network error")),
  });
  await expect(serverEvents(broken).next()).rejects.toMatchObject({ code: "unreachable", status: 0 });
});

it("tells what went wrong midway, in the words of each protocol", () => {
  const BROKE = { message: "it broke (request id: req_1)", code: "upstream_error" };
  const broken: readonly (readonly [ProtocolName, unknown])[] = [
    ["chat-completions", { error: BROKE }],
    ["responses", { type: "error", ...BROKE }],
    ["responses", { type: "response.failed", response: { status: "failed", error: BROKE } }],
    ["messages", { type: "error", error: { type: "overloaded_error", ...BROKE } }],
    ["generate-content", { error: { ...BROKE, code: 503, reason: BROKE.code } }],
  ];
  for (const [name, event] of broken) {
    const reader = PROTOCOLS[name].read();
    reader.take(event);
    expect(reader.answer().problem).toEqual({ message: "it broke", code: "upstream_error" });
  }
});
