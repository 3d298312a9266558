import fc from "fast-check";
import { expect, it } from "vitest";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { totalInput, totalOutput } from "../../src/usage/usage.ts";
import { verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { type ToldResponse, toldResponse } from "../support/told-answer.ts";

const responses: fc.Arbitrary<ToldResponse> = fc.record({
  text: fc.constantFrom("", "Hello there."),
  end: fc.constantFrom("stop", "length", "declined", "failed"),
  output: fc.constantFrom(undefined, 0, 3),
});

/** The verdict in words of the table in docs/translation.md. */
function expected({ text, end, output }: ToldResponse): string {
  if (end === "failed" && text === "") return "fails over";
  if (end === "failed") return "failed after output";
  if (text !== "") return output === undefined ? "completed_usage_missing" : "completed";
  if (output === undefined) return end === "declined" ? "empty_answer" : "fails over";
  // A limit of the caller's is no empty answer; a declared refusal without a word is one.
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
      const told = toldResponse(upstream, response);
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
    { numRuns: 300 },
  );
});

const PAIRS = TEXT_PROTOCOLS.flatMap((upstream) =>
  TEXT_PROTOCOLS.filter((client) => client !== upstream).map((client) => ({ client, upstream })),
);

it.each(PAIRS)(
  "tells callers of $client what is charged where a stream of $upstream counts nothing",
  async ({ client, upstream }) => {
    for (const end of ["stop", "length"] as const) {
      const pieces = [toldResponse(upstream, { text: "Hello there.", end, output: undefined }).events];
      const fields = client === "chat-completions" ? { stream_options: { include_usage: true } } : {};
      const { outcome, told } = await verdictOf({ client, upstream, streamed: true, pieces, fields });
      const reader = PROTOCOLS[client].usage.openStream(1);
      reader.write(Buffer.from(told));
      reader.end();
      const charged = outcome?.usage ?? {};
      const shown = reader.facts().usage?.tokens ?? {};
      expect(outcome).toMatchObject({ reason: "completed_usage_missing", estimated: true });
      expect(totalInput(charged)).toBeGreaterThan(0);
      expect([totalInput(shown), totalOutput(shown)], told).toEqual([
        totalInput(charged),
        totalOutput(charged),
      ]);
    }
  },
);
