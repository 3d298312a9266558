import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createBodyScan } from "../base/json/json-scan.ts";
import type { Outcome } from "../billing/billing.ts";
import { boundOfTexts } from "../billing/pricing/usage-bound.ts";
import { silentLog } from "../observe/log.ts";
import type { UsageReader } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import type { Candidate, UpstreamFailure, UpstreamResponse } from "../upstreams/call.ts";
import type { RawHeaders } from "../upstreams/transport/raw-headers.ts";
import { watchOf } from "./admit/watch.ts";
import { type AttemptDeps, attemptAt } from "./attempt.ts";
import type { Exchange } from "./exchange.ts";
import type { RelayMode } from "./mode/relay-mode.ts";

const WORDS = "The lighthouse keeper counted the ships that passed before the fog came in. ";

/** One attempt at an upstream that is played by hand and has not begun to answer. */
function open(streamed: boolean, isSent = true, mode: object = {}) {
  const told: string[] = [];
  const outcomes: Outcome[] = [];
  let upstream: UpstreamResponse | undefined;
  let leave = (): void => undefined;
  const body = Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: WORDS }] }));
  const scanner = createBodyScan(watchOf("chat-completions"));
  scanner.write(body);
  const exchange = {
    request: {
      id: "req_1",
      streamed,
      responses: 1,
      body: [body],
      scan: scanner.end(),
      startedMs: 0,
      protocol: PROTOCOLS["chat-completions"],
      caller: { accountId: 1n },
      response: {
        abort: () => void told.push("cut"),
        committed: false,
        open: true,
        onDrain: () => undefined,
        head(this: { committed: boolean }) {
          this.committed = true;
        },
        write: (piece: Uint8Array) => told.push(Buffer.from(piece).toString()) > 0,
        end: () => void told.push("ended"),
        onDisconnect: (listener: () => void) => {
          leave = listener;
        },
      },
    },
    catalog: { allUpstreams: [] },
    hold: { settle: async (outcome: Outcome) => void outcomes.push(outcome) },
    bound: boundOfTexts(200_000),
    clock: systemClock,
    chargeEmptyAnswers: false,
    attempts: 1,
    uses: [],
    notes: { attempts: [], refusal: undefined },
    isSent: () => true,
    lastCandidate: null,
    firstByteMs: null,
    isAborted: false,
    clientGone: false,
    settled: false,
    outcome: undefined,
    losses: [],
  } as unknown as Exchange;
  const deps = {
    transport: {
      send(_: unknown, response: UpstreamResponse) {
        upstream = response;
        return {
          sentMs: () => (isSent ? 1 : undefined),
          abort: () => void told.push("aborted"),
          rest: () => void told.push("rests"),
        };
      },
    },
    routing: { report: () => undefined },
    metrics: { attemptEnded: () => undefined },
    log: silentLog,
    responseMemory: { open: () => ({ holds: () => true, release: () => undefined }) },
  } as unknown as AttemptDeps;
  const candidate = {
    protocol: "chat-completions",
    model: "m",
    upstream: { name: "u", cost: null, timeouts: { firstBytePlainMs: 600_000 } },
    credential: { name: "1", secret: "" },
  } as Candidate;
  const ended = attemptAt(deps, exchange, candidate, {
    copies: 1,
    pieces: [body],
    ...mode,
  } as unknown as RelayMode);
  return {
    told,
    outcomes,
    ended,
    leave: () => leave(),
    drain() {
      exchange.isAborted = true;
      exchange.onAbort();
    },
    fail: (failure: UpstreamFailure) => upstream?.failed(failure),
    begin: () => upstream?.head(200, { get: () => undefined, all: () => ({}) } as unknown as RawHeaders),
    write: (text: string) => upstream?.data(Buffer.from(text)),
    send: (data: object) => upstream?.data(Buffer.from(`data: ${JSON.stringify(data)}\n\n`)),
  };
}

/** The caller is told, and the attempt stands in the log. */
const STOPPED = { retryable: false, error: { code: "service_unavailable", status: 503 } };

const TIMEOUT: UpstreamFailure = { kind: "timeout", phase: "first-byte", message: "silent" };

describe("an attempt whose upstream has not begun to answer", () => {
  it("is charged the input where a shutdown cuts a plain request", async () => {
    const { told, outcomes, ended, drain } = open(false);
    drain();
    expect(await ended).toMatchObject(STOPPED);
    expect(told).toEqual(["aborted"]);
    expect(outcomes).toMatchObject([{ reason: "drained", estimated: true, upstream: "u", status: 503 }]);
    expect(outcomes[0]?.usage.inputUncached).toBeGreaterThan(10);
    expect(outcomes[0]?.usage.outputVisible).toBe(0);
  });

  it("tells a streamed request that a shutdown cuts, for nothing", async () => {
    const { told, outcomes, ended, drain } = open(true);
    drain();
    expect(await ended).toMatchObject(STOPPED);
    expect(told).toEqual(["aborted"]);
    expect(outcomes).toEqual([]);
  });

  it("is not charged where a shutdown cuts a plain request that still waits for a connection", async () => {
    const { told, outcomes, ended, drain } = open(false, false);
    drain();
    expect(await ended).toMatchObject(STOPPED);
    expect(told).toEqual(["aborted"]);
    expect(outcomes).toEqual([]);
  });

  it("is charged the input where the caller of a plain request has left and the wait for it ends", async () => {
    const { told, outcomes, ended, leave, fail } = open(false);
    leave();
    expect(told).toEqual([]);
    fail(TIMEOUT);
    expect(await ended).toBeUndefined();
    expect(outcomes).toMatchObject([{ reason: "client_aborted", estimated: true }]);
    expect(outcomes[0]?.usage.inputUncached).toBeGreaterThan(10);
  });

  it("is not charged where the upstream fails, whether the caller has left or waits", async () => {
    for (const left of [true, false]) {
      const { outcomes, ended, leave, fail } = open(false);
      if (left) leave();
      fail({ kind: "closed", phase: "first-byte", message: "gone" });
      expect(await ended).toMatchObject({ retryable: true });
      expect(outcomes).toEqual([]);
    }
    const { outcomes, ended, fail } = open(false);
    fail(TIMEOUT);
    expect(await ended).toMatchObject({ timedOut: true });
    expect(outcomes).toEqual([]);
  });

  it("is not charged where nothing was sent: the caller has left, and no connection came about", async () => {
    const { outcomes, ended, leave, fail } = open(false);
    leave();
    fail({ ...TIMEOUT, phase: "connect" });
    expect(await ended).toMatchObject({ timedOut: true });
    expect(outcomes).toEqual([]);
  });

  it("is not charged where a stream's caller leaves before it began", async () => {
    const { told, outcomes, ended, leave } = open(true);
    leave();
    expect(await ended).toBeUndefined();
    expect(told).toEqual(["aborted", "cut"]);
    expect(outcomes).toEqual([]);
  });
});

describe("a plain answer whose caller has left", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  const openPlain = () => {
    const attempt = open(false, true, { losses: [] });
    attempt.begin();
    return attempt;
  };

  /** What comes in so many seconds: something each second, without an end. */
  const drip = ({ write }: Pick<ReturnType<typeof open>, "write">, text: string, seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      write(text);
      vi.advanceTimersByTime(1_000);
    }
  };

  const expectGivenUp = async ({ told, outcomes, ended }: ReturnType<typeof open>): Promise<void> => {
    expect(await ended).toBeUndefined();
    expect(told).toEqual(["aborted", "cut"]);
    expect(outcomes).toMatchObject([{ reason: "client_aborted", estimated: true, status: 0 }]);
    expect(outcomes[0]?.usage.inputUncached).toBeGreaterThan(10);
  };

  it("is read for 30 seconds more, and its input is charged", async () => {
    const attempt = openPlain();
    attempt.write('{"id":"c');
    attempt.leave();
    drip(attempt, "x", 29);
    expect(attempt.told).toEqual([]);
    drip(attempt, "x", 2);
    await expectGivenUp(attempt);
  });

  it("is awaited while only blanks come, as for its first byte, and then read for 30 seconds", async () => {
    const attempt = openPlain();
    attempt.write("\n");
    attempt.leave();
    drip(attempt, " \r\n\t", 500);
    drip(attempt, ' {"id', 29);
    expect(attempt.told).toEqual([]);
    drip(attempt, "x", 2);
    await expectGivenUp(attempt);
  });

  it("is given up where blanks are all that comes", async () => {
    const attempt = openPlain();
    attempt.leave();
    drip(attempt, "\n", 599);
    expect(attempt.told).toEqual([]);
    drip(attempt, "\n", 2);
    await expectGivenUp(attempt);
  });

  it("is given up, and its input charged, where it is too large", async () => {
    const attempt = openPlain();
    attempt.leave();
    for (let mb = 0; mb < 96; mb += 1) attempt.write("x".repeat(1024 * 1024));
    expect(attempt.told).toEqual([]);
    attempt.write("x");
    await expectGivenUp(attempt);
  });

  it("has no such limit while its caller waits", () => {
    const attempt = openPlain();
    drip(attempt, "x", 3_000);
    expect(attempt.told).toEqual([]);
  });
});

describe("an attempt on whose answer the gateway itself fails", () => {
  const chunk = (content: string): object => ({ id: "c", choices: [{ index: 0, delta: { content } }] });
  const mode = {
    losses: [],
    openStream: (usage: UsageReader) => ({
      meter: usage.openStream(),
      rewriter: {
        write(piece: Buffer) {
          if (piece.includes("odd")) throw new RangeError("a bug");
          return [piece];
        },
        fail: ({ code }: { readonly code: string }) => [Buffer.from(`failed: ${code}`)],
        losses: () => [],
      },
    }),
  };

  it("tells it in the stream's form, and is charged as far as it came", async () => {
    const { told, outcomes, ended, begin, send } = open(true, true, mode);
    begin();
    send(chunk("The fog came in. "));
    send(chunk("odd"));
    expect(await ended).toBeUndefined();
    expect(told.slice(1)).toEqual(["aborted", "failed: internal_error", "ended"]);
    expect(outcomes).toMatchObject([
      { reason: "upstream_failed_after_output", errorCode: "internal_error", status: 200 },
    ]);
    expect(outcomes[0]?.usage.outputVisible).toBeGreaterThan(0);
  });
});

describe("an attempt whose answer is long", () => {
  const chunk = { id: "c", choices: [{ index: 0, delta: { content: "x".repeat(10_000) } }] };
  const mode = {
    losses: [],
    openStream: (usage: UsageReader) => ({
      meter: usage.openStream(),
      rewriter: { write: () => [], losses: () => [] },
    }),
  };

  it.each([
    [true, 25],
    [undefined, 0],
  ])("lets others have a turn after each 32 KB that it works on (translated: %s)", (inSlices, rests) => {
    const { told, begin, send } = open(true, true, { ...mode, inSlices });
    begin();
    for (let sent = 0; sent < 100; sent += 1) send(chunk);
    expect(told.filter((each) => each === "rests")).toHaveLength(rests);
  });
});
