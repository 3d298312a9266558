import { describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createBodyScan } from "../base/json/json-scan.ts";
import type { Outcome } from "../billing/billing.ts";
import { boundOfTexts } from "../billing/pricing/usage-bound.ts";
import type { ResponseSummary } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import type { Candidate } from "../upstreams/call.ts";
import { watchOf } from "./admit/watch.ts";
import { type Exchange, type ExchangeEnd, settle, useOf } from "./exchange.ts";

const CANDIDATE = {
  protocol: "chat-completions",
  model: "m",
  upstream: { name: "u", kind: "openai", cost: null },
  credential: { name: "1", secret: "sk-SECRET-abcdefghijklmnop" },
} as Candidate;

function open() {
  const outcomes: Outcome[] = [];
  const logged: unknown[] = [];
  const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"Hello, who is there?"}]}');
  const scanner = createBodyScan(watchOf("chat-completions"));
  scanner.write(body);
  const exchange = {
    request: {
      id: "req_1",
      model: "m",
      responses: 1,
      body: [body],
      scan: scanner.end(),
      startedMs: 0,
      protocol: PROTOCOLS["chat-completions"],
      caller: { accountId: 1n },
    },
    hold: { settle: async (outcome: Outcome) => void outcomes.push(outcome) },
    log: { error: (about: unknown) => void logged.push(about) },
    bound: boundOfTexts(1_000),
    clock: systemClock,
    chargeEmptyAnswers: true,
    attempts: 1,
    uses: [],
    notes: { attempts: [], refusal: undefined },
    isSent: () => true,
    lastCandidate: CANDIDATE,
    reason: null,
    firstByteMs: null,
    settled: false,
    losses: [],
  } as unknown as Exchange;
  return { exchange, outcomes, logged };
}

const BUG = new RangeError("Maximum call stack size exceeded");

/** A response of which one part cannot be read. */
function facts(unreadable: object): ResponseSummary {
  return {
    ...PROTOCOLS["chat-completions"].usage.readPlain({ choices: [{ message: { content: "Hi" } }] }),
    usage: Object.defineProperties(
      { tokens: { inputUncached: 7, outputVisible: 3 }, hostile: [] },
      Object.fromEntries(
        Object.keys(unreadable).map((name) => [
          name,
          {
            get: () => {
              throw BUG;
            },
          },
        ]),
      ),
    ),
  } as ResponseSummary;
}

const ending = (told: ResponseSummary): ExchangeEnd => ({
  reason: "completed",
  candidate: CANDIDATE,
  summary: told,
  status: 200,
});

describe("an exchange whose settlement meets a bug", () => {
  it("is charged the estimate where what its vendor counted cannot be read", async () => {
    const { exchange, outcomes, logged } = open();
    await settle(exchange, ending(facts({ tokens: true })));
    expect(outcomes).toMatchObject([{ estimated: true, upstream: "u", status: 200 }]);
    expect(outcomes[0]?.usage.inputUncached).toBeGreaterThan(0);
    expect(logged).toEqual([{ err: BUG, requestId: "req_1" }]);
  });

  it("is charged what was counted where the rest of its outcome cannot be told", async () => {
    const { exchange, outcomes, logged } = open();
    await settle(exchange, ending(facts({ raw: true })));
    expect(outcomes).toMatchObject([
      { reason: "completed", usage: { inputUncached: 7, outputVisible: 3 }, upstream: "u", status: 200 },
    ]);
    expect(logged).toContainEqual({ err: BUG, requestId: "req_1" });
  });

  it("is charged nothing where not even an estimate can be made", async () => {
    const { exchange, outcomes, logged } = open();
    const told = facts({ tokens: true });
    const text = () => {
      throw BUG;
    };
    await settle(exchange, ending({ ...told, outputText: text }));
    expect(outcomes).toMatchObject([{ reason: "upstream_failed", usage: {}, upstream: "u" }]);
    expect(logged).toContainEqual({ err: BUG, requestId: "req_1" });
  });

  it("has an attempt of unknown cost where what that used cannot be read", () => {
    const { exchange, logged } = open();
    expect(useOf(exchange, CANDIDATE, facts({ tokens: true }))).toMatchObject({ used: "unknown" });
    expect(logged).toHaveLength(1);
  });
});

describe("a request whose vendor tools are not translated", () => {
  it("is charged one pass, however many the request allows", async () => {
    const { exchange, outcomes } = open();
    const request = { ...exchange.request, protocol: PROTOCOLS.messages };
    const bound = { ...exchange.bound, maxPassesWithTools: 5, calls: { max: 5, tools: undefined } };
    const read = PROTOCOLS["chat-completions"].usage.readPlain({
      choices: [{ message: { content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 4_000, completion_tokens: 3 },
    });
    await settle({ ...exchange, request, bound }, ending(read));
    expect(outcomes[0]?.usage.inputUncached).toBeLessThan(100);
    expect(outcomes[0]?.implausible).toEqual([{ field: "input", reported: 4_000, most: 1_000 }]);
  });
});

describe("a vendor's usage object that quotes the key it was sent", () => {
  const quoted = { note: CANDIDATE.credential.secret, [`of ${CANDIDATE.credential.secret}`]: [1] };

  it("is recorded without it, of what is charged and of what failed", async () => {
    const { exchange, outcomes } = open();
    const read = PROTOCOLS["chat-completions"].usage.readPlain({
      choices: [{ message: { content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 7, completion_tokens: 3, ...quoted },
    });
    const failed = useOf(exchange, CANDIDATE, read);
    await settle(exchange, { reason: "completed", candidate: CANDIDATE, summary: read, status: 200 });
    const told = JSON.stringify([failed.used, outcomes], (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(told).toContain("[redacted]");
    expect(told).not.toContain("SECRET");
    expect(outcomes[0]?.raw).toMatchObject({ prompt_tokens: 7, completion_tokens: 3 });
    // What is recorded is the text that was searched.
    expect(JSON.parse(outcomes[0]?.rawText ?? "")).toEqual(outcomes[0]?.raw);
  });
});
