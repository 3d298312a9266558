import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ResponseSummary } from "../../src/protocols/protocol.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { byClass, type TokenUsage, totalInput, totalOutput } from "../../src/usage/usage.ts";
import { type Expected, expectedUsage } from "./metering-oracle.ts";
import { isChatResponse, type Recording, successfulRecordings } from "./metering-recordings.ts";

/** Streams that the vendor itself ended with an error. */
const FAILED_STREAMS = [
  "streaming_with_text.yaml#0",
  "openrouter_stream_error.yaml#0",
  "openai-error.1.chunks.txt#0",
];

describe("metering of recorded answers", () => {
  const recordings = successfulRecordings().filter(isChatResponse);
  const plain = recordings.filter((recording) => !recording.stream);
  const streams = recordings.filter((recording) => recording.stream);

  it("reads every plain answer's usage as the vendor documents it", () => {
    expect(plain.length).toBeGreaterThan(1000);
    for (const recording of plain) {
      const facts = PROTOCOLS[recording.protocol].usage.readBytes(Buffer.from(recording.body));
      expect(buckets(facts), recording.id).toEqual(expectedUsage(recording.protocol, recording.body));
    }
  });

  it("reads every stream's usage as the vendor documents it, wherever its bytes are cut", () => {
    expect(streams.length).toBeGreaterThan(500);
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 1, max: 600 })), (sizes) => {
        for (const recording of streams) {
          const { facts } = meter(recording, sizes);
          expect(buckets(facts), recording.id).toEqual(expectedUsage(recording.protocol, recording.body));
        }
      }),
      { numRuns: 3 },
    );
  });

  it("sees every stream start and finish, and only failed ones fail", () => {
    for (const recording of streams) {
      const { meter: seen } = meter(recording);
      const fails = FAILED_STREAMS.some((name) => recording.id.endsWith(name));
      expect([seen.started, seen.finished, seen.error !== undefined], recording.id).toEqual([
        true,
        !fails,
        fails,
      ]);
      expect(seen.missingEnd, recording.id).toBe("");
    }
  });

  it("finds the same facts in a stream cut byte by byte as in one piece", () => {
    for (const recording of streams.filter((each) => each.body.length < 20_000)) {
      const whole = meter(recording);
      const cut = meter(recording, [1][Symbol.iterator](), 1);
      expect(comparable(cut.facts), recording.id).toEqual(comparable(whole.facts));
      expect(cut.meter.truncated, recording.id).toEqual(whole.meter.truncated);
    }
  });

  it("counts the same input for a request whether its answer is plain or streamed", () => {
    const streamed = new Map(streams.map((recording) => [recording.path, recording]));
    let pairs = 0;
    const odd: string[] = [];
    // Tools and thinking that ran upstream read in something else each time.
    const runsUpstream = /webSearch|urlContext|ToolSearch|ReasoningMaxPro/;
    for (const recording of plain) {
      const twin = streamed.get(recording.path.replace(/response\.json$/, "response-streaming.json"));
      if (
        twin === undefined ||
        runsUpstream.test(recording.path) ||
        !/\/response\.json$/.test(recording.path)
      )
        continue;
      const alone = PROTOCOLS[recording.protocol].usage.readBytes(Buffer.from(recording.body));
      const together = meter(twin).facts;
      if (together.usage === undefined) continue;
      pairs += 1;
      if (totalInput(tokens(together)) !== totalInput(tokens(alone))) odd.push(recording.path);
    }
    expect(odd).toEqual([]);
    expect(pairs).toBeGreaterThan(50);
  });
});

function meter(recording: Recording, sizes?: Iterator<number>, every?: number) {
  const opened = PROTOCOLS[recording.protocol].usage.openStream(recording.responses);
  const bytes = Buffer.from(recording.body);
  for (let at = 0; at < bytes.length; ) {
    const size = every ?? sizes?.next().value ?? bytes.length;
    opened.write(bytes.subarray(at, at + size));
    at += size;
  }
  opened.end();
  return { meter: opened, facts: opened.summary() };
}

function tokens(facts: ResponseSummary): TokenUsage {
  return facts.usage?.tokens ?? {};
}

function buckets(facts: ResponseSummary): Expected | undefined {
  const usage = byClass(tokens(facts));
  if (Object.keys(usage).length === 0) return undefined;
  return {
    input: totalInput(usage),
    cacheRead: usage.cacheRead ?? 0,
    cacheWrite: (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0),
    output: totalOutput(usage),
    reasoning: usage.outputReasoning ?? 0,
  };
}

function comparable(facts: ResponseSummary) {
  const { outputText, ...rest } = facts;
  return { ...rest, text: outputText() };
}
