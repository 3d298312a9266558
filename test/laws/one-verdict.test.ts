import fc from "fast-check";
import { expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import type { Outcome } from "../../src/billing/billing.ts";
import { boundOfTexts } from "../../src/billing/pricing/usage-bound.ts";
import type { Model } from "../../src/catalog/catalog.ts";
import { silentLog } from "../../src/observe/log.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { InlineMedia } from "../../src/relay/admit/inline-media.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { type AttemptDeps, attemptAt } from "../../src/relay/attempt.ts";
import type { Exchange } from "../../src/relay/exchange.ts";
import { RelayModes, type RelayModesDeps } from "../../src/relay/mode/relay-modes.ts";
import type { Translator } from "../../src/relay/mode/translator.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import type { Candidate, UpstreamResponse } from "../../src/upstreams/call.ts";
import { RawHeaders } from "../../src/upstreams/transport/raw-headers.ts";
import { TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { type ToldResponse, toldResponse } from "../support/told-answer.ts";

/** What becomes of one answer: how it was settled, or that another candidate may answer in its place. */
interface Verdict {
  readonly reason: string;
  readonly usage: unknown;
  readonly next: boolean;
}

/** One request at an upstream that answers so, to its end. */
async function verdictOf(
  client: TextProtocol,
  upstream: TextProtocol,
  streamed: boolean,
  pieces: readonly string[],
): Promise<Verdict> {
  const body = Buffer.from(JSON.stringify(wireForm({ protocol: client, streamed, prompt: "Hello" }).body));
  const scanner = createBodyScan(watchOf(client));
  scanner.write(body);
  const response = {
    open: true,
    committed: false,
    write: () => true,
    end: () => undefined,
    whole: () => undefined,
    onDrain: () => undefined,
    onGone: () => undefined,
    onClosed: () => undefined,
    cut: () => undefined,
    head() {
      response.committed = true;
    },
  };
  const request = {
    id: "req_1",
    model: "text",
    streamed,
    responses: 1,
    arrayStream: false,
    body: [body],
    scan: scanner.end(),
    protocol: PROTOCOLS[client],
    caller: { accountId: 1n, group: "g" },
    headers: {},
    query: {},
    startedMs: 0,
    response,
  } as unknown as TextRequest;
  const outcomes: Outcome[] = [];
  const exchange = {
    request,
    catalog: { allUpstreams: [] },
    hold: { settle: async (outcome: Outcome) => void outcomes.push(outcome) },
    bound: boundOfTexts(200_000),
    clock: systemClock,
    chargeEmptyAnswers: false,
    attempts: 1,
    firstByteMs: null,
    bridge: undefined,
    drained: false,
    gone: false,
    settled: false,
    outcome: undefined,
    losses: [],
  } as unknown as Exchange;
  const timeouts = { firstByteStreamMs: 60_000 };
  const candidate = {
    protocol: upstream,
    model: "text",
    credential: {},
    upstream: { name: "u", kind: "sandbox", timeouts },
  } as unknown as Candidate;
  const model = { id: "text", maxOutputTokens: 100, quirks: {} } as unknown as Model;
  const inlineMedia = { begin: () => ({ inline: (whole: unknown) => whole, end: () => undefined }) };
  const means = {
    clock: systemClock,
    inlineMedia: inlineMedia as unknown as InlineMedia,
    translator: {} as Translator,
  };
  const mode = await new RelayModes(request, model, means as unknown as RelayModesDeps, []).open(candidate);
  let heard: UpstreamResponse | undefined;
  const deps = {
    transport: {
      send(_: unknown, listener: UpstreamResponse) {
        heard = listener;
        return { isSent: () => true, abort() {}, pause() {}, resume() {}, rest() {} };
      },
    },
    routing: { report: () => undefined },
    issuedIds: { remember: () => undefined },
    responseMemory: { open: () => ({ holds() {}, release() {} }) },
    metrics: { attemptEnded: () => undefined },
    log: silentLog,
    errorType: "gateway_error",
  } as unknown as AttemptDeps;
  const ended = attemptAt(deps, exchange, candidate, mode);
  heard?.head(200, new RawHeaders([]));
  for (const piece of pieces) heard?.data(Buffer.from(piece));
  heard?.ended();
  const failure = await ended;
  const [outcome] = outcomes;
  if (outcome === undefined) return { reason: "", usage: undefined, next: failure?.next === true };
  return { reason: outcome.reason, usage: outcome.usage, next: false };
}

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
            const verdict = await verdictOf(client, upstream, streamed, [
              text.slice(0, cut),
              text.slice(cut),
            ]);
            const where = JSON.stringify({ client, streamed, framing, text });
            const heard = streamed && framing === "events" && hasWords(upstream, text.slice(0, cut));
            if (wanted === "fails over" || (wanted === "failed after output" && !heard)) {
              expect(verdict, where).toEqual({ reason: "", usage: undefined, next: true });
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
