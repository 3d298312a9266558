import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { createResponseReader } from "../../src/relay/mode/response-reader.ts";
import { type TokenUsage, totalInput, totalOutput } from "../../src/usage/usage.ts";
import { casesOf } from "../support/cases.ts";
import { verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { type WrittenResponse, writtenResponse } from "../support/written-response.ts";

const responses: fc.Arbitrary<WrittenResponse> = fc.record({
  text: fc.constantFrom("", "Hello there."),
  end: fc.constantFrom("stop", "length", "declined", "failed"),
  output: fc.constantFrom(undefined, 0, 3),
});

/** The verdict in words of the table in docs/translation.md. */
function expected({ text, end, output }: WrittenResponse): string {
  if (end === "failed" && text === "") return "fails over";
  if (end === "failed") return "failed after output";
  if (text !== "") return output === undefined ? "completed_usage_missing" : "completed";
  if (output === undefined) return end === "declined" ? "empty_answer" : "fails over";
  // A limit of the caller's is no empty response; a declared refusal without a word is one.
  return output === 0 && end !== "length" ? "empty_answer" : "completed";
}

/** Whether so much of a stream has words for the caller, and no failure yet. */
function hasWords(upstream: TextProtocol, beginning: string): boolean {
  const meter = PROTOCOLS[upstream].usage.openStream(1);
  meter.write(Buffer.from(beginning));
  return meter.hasOutput && !meter.failed && meter.error === undefined;
}

it("judges and charges an answer alike, forwarded or translated, plain or streamed, however framed", async () => {
  const cases = fc.record({
    response: responses,
    upstream: fc.constantFrom(...TEXT_PROTOCOLS),
    other: fc.constantFrom(...TEXT_PROTOCOLS),
    cut: fc.nat({ max: 400 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ response, upstream, other, cut }) => {
      const told = writtenResponse(upstream, response);
      const wanted = expected(response);
      const usages: unknown[] = [];
      for (const client of [upstream, other]) {
        for (const streamed of [false, true]) {
          for (const framing of ["plain", "events"] as const) {
            const text = told[framing];
            const pieces = [text.slice(0, cut), text.slice(cut)];
            const verdict = await verdictOf({ client, upstream, streamed, pieces });
            const where = JSON.stringify({ client, streamed, framing, text });
            const heard = streamed && framing === "events" && hasWords(upstream, text.slice(0, cut));
            if (wanted === "fails over" || (wanted === "failed after output" && !heard)) {
              expect(verdict, where).toMatchObject({ reason: "", usage: undefined, next: true });
            } else if (wanted === "failed after output") {
              expect(verdict.reason, where).toBe("upstream_failed_after_output");
            } else {
              expect(verdict.reason, where).toBe(wanted);
              usages.push(verdict.usage);
            }
          }
        }
      }
      for (const usage of usages) expect(usage).toEqual(usages[0]);
    }),
    { numRuns: casesOf(300) },
  );
});

it.each([0, "FINISH_REASON_UNSPECIFIED"])(
  "takes an answer of generateContent whose finish is %j, plain or streamed, in one event or several",
  async (finishReason) => {
    const upstream = "generate-content";
    const event = (candidate: object): object => ({
      candidates: [{ index: 0, ...candidate }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    });
    const content = { role: "model", parts: [{ text: "Hello there." }] };
    const framed = (...events: readonly object[]): string =>
      events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
    const whole = event({ content, finishReason });
    const answers = [
      JSON.stringify(whole),
      framed(whole),
      framed(event({ content }), event({ finishReason })),
    ];
    for (const client of TEXT_PROTOCOLS) {
      for (const streamed of [false, true]) {
        for (const text of answers) {
          const verdict = await verdictOf({ client, upstream, streamed, pieces: [text] });
          expect(verdict, JSON.stringify({ client, streamed, text })).toMatchObject({ reason: "completed" });
        }
      }
    }
  },
);

const PAIRS = TEXT_PROTOCOLS.flatMap((upstream) => TEXT_PROTOCOLS.map((client) => ({ client, upstream })));

const reader = createResponseReader(64 * 1024 * 1024);
afterAll(() => reader.close());

/** Longer than what is read on the event loop. */
const LONG_TEXT = "Hello there. ".repeat(24 * 1024);

/** What the vendor says of the usage of a response. */
const COUNTS: Readonly<Record<string, (told: string) => string>> = {
  "no usage": (told) => told,
  "an output that cannot be": (told) =>
    told.replaceAll(/"(completion_tokens|output_tokens|candidatesTokenCount)":3/g, '"$1":-3'),
  "more than its model can do": (told) =>
    told.replaceAll(/"(completion_tokens|output_tokens|candidatesTokenCount)":3/g, '"$1":300000'),
  "all of it": (told) => told,
};

/** The usage that a response in this form tells. */
function shownIn(client: TextProtocol, told: string, streamed: boolean, responses = 1): TokenUsage {
  const { usage } = PROTOCOLS[client];
  if (!streamed) return usage.readBytes(Buffer.from(told)).usage?.tokens ?? {};
  const meter = usage.openStream(responses);
  meter.write(Buffer.from(told));
  meter.end();
  return meter.summary().usage?.tokens ?? {};
}

describe.each(PAIRS)("callers of $client are told what is charged", ({ client, upstream }) => {
  it.each(Object.keys(COUNTS))(`where ${upstream} counts %s`, async (counts) => {
    const output = counts === "no usage" ? undefined : 3;
    for (const end of ["stop", "length"] as const) {
      for (const text of ["Hello there.", ...(end === "stop" ? [LONG_TEXT] : [])]) {
        for (const framing of ["plain", "events"] as const) {
          for (const streamed of [false, true]) {
            // What is forwarded as it came tells what the vendor tells.
            if (client === upstream && streamed === (framing === "events")) continue;
            const pieces = [
              COUNTS[counts]?.(writtenResponse(upstream, { text, end, output })[framing]) ?? "",
            ];
            const isChat = client === "chat-completions" && streamed;
            const fields = isChat ? { stream_options: { include_usage: true } } : {};
            const verdict = await verdictOf({ client, upstream, streamed, pieces, fields, reader });
            const charged = verdict.outcome?.usage ?? {};
            const shown = shownIn(client, verdict.told, streamed);
            const where = JSON.stringify({ end, framing, streamed, told: verdict.told.slice(-1_000) });
            expect(verdict.outcome?.estimated, where).toBe(counts !== "all of it");
            expect(totalInput(charged), where).toBeGreaterThan(0);
            const due = [totalInput(charged), totalOutput(charged)];
            expect([totalInput(shown), totalOutput(shown)], where).toEqual(due);
          }
        }
      }
    }
  });
});

it.each(["responses", "messages"] as const)(
  "callers of several answers, each by a request to %s of its own, are told what they come to",
  async (upstream) => {
    for (const output of [undefined, 3]) {
      for (const framing of ["plain", "events"] as const) {
        for (const streamed of [false, true]) {
          const pieces = [writtenResponse(upstream, { text: "Hello there.", end: "stop", output })[framing]];
          const fields = { n: 2, ...(streamed ? { stream_options: { include_usage: true } } : {}) };
          const client = "chat-completions";
          const verdict = await verdictOf({ client, upstream, streamed, pieces, fields, responses: 2 });
          const charged = verdict.outcome?.usage ?? {};
          const shown = shownIn(client, verdict.told, streamed, 2);
          expect(verdict.outcome?.estimated, verdict.told).toBe(output === undefined);
          expect(totalOutput(charged)).toBeGreaterThan(0);
          const due = [totalInput(charged), totalOutput(charged)];
          expect([totalInput(shown), totalOutput(shown)], verdict.told).toEqual(due);
        }
      }
    }
  },
);
