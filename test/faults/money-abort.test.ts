import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TEST_KEY } from "../support/gateway.ts";
import { cleanLedger, nanosOf, ODD_PRICE } from "../support/money-books.ts";
import { type MoneyRig, startMoneyRig } from "../support/money-rig.ts";
import { openRaw } from "../support/raw-exchange.ts";
import type { JournalLine } from "../support/sandbox.ts";
import { call, contentChunks, TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";

/** Enough words that one token is far below the 5% that an estimate may be off. */
const PROMPT =
  "You write the notices of a small museum by the sea. Describe the old lighthouse, the keeper's garden and " +
  "the wreck that lies behind the second sandbank, for visitors who have an hour and two tired children. ";

const RESETS = TEXT_PROTOCOLS.flatMap((protocol) =>
  [1, 3, 20].flatMap((chunks) =>
    [true, false].map((reported) => ({ protocol, chunks, usage: reported ? "reported" : "omitted" })),
  ),
);

/** A time-out that a stalled upstream meets soon; the promise is about what follows it. */
const TIMEOUT_MS = 2_000;

/** The models that meet it: each has one limit, so that no response has to come in time but by that one. */
const IMPATIENT = {
  "silent-stream": `{ first_byte_stream_ms: ${TIMEOUT_MS} }`,
  "silent-plain": `{ first_byte_plain_ms: ${TIMEOUT_MS} }`,
  halted: `{ idle_ms: ${TIMEOUT_MS} }`,
};

describe("answers that end too early", () => {
  let rig: MoneyRig;
  beforeAll(async () => {
    rig = await startMoneyRig(IMPATIENT);
  });
  afterAll(() => rig.stop());

  /** A stream that stands still after so many chunks, so that both sides saw the same ones. */
  const stalled = (tag: string, chunks: number, more = ""): string =>
    `${PROMPT}[[sandbox: tag=${tag} tokens=400 chunks=40 stall=${chunks} ${more}]]`;

  describe("M6, an abort is billed", () => {
    it.each(RESETS)(
      "charges a $protocol stream reset after $chunks chunks, usage $usage",
      async ({ protocol, chunks, usage }) => {
        const tag = `reset-${protocol}-${chunks}-${usage}`;
        const heard = await call(
          rig.url,
          {
            protocol,
            streamed: true,
            prompt: stalled(tag, chunks, usage === "omitted" ? "usage=omit" : ""),
          },
          { resetWhen: (text) => contentChunks(protocol, text) >= chunks },
        );
        expect(heard).toMatchObject({ status: 200, complete: false });
        const { line, row } = await rig.accountOf(tag);
        expect(row).toMatchObject({ reason: "client_aborted", status: 200, streamed: true });
        if (protocol === "generate-content" && usage === "reported") {
          // This protocol tells the usage so far with every chunk.
          expect(row).toMatchObject({ estimated: false, chargeNanos: nanosOf(line.usage, ODD_PRICE) });
        } else {
          expect(row.estimated).toBe(true);
          expectWithin5Percent(row.chargeNanos, line);
        }
      },
    );

    it.each(TEXT_PROTOCOLS)(
      "reads a plain answer of %s on for a caller that has left, and charges it",
      async (protocol) => {
        const tag = `left-${protocol}`;
        const leaving = new AbortController();
        const running = call(
          rig.url,
          { protocol, prompt: `${PROMPT}[[sandbox: tag=${tag} tokens=200 delay=1000]]` },
          { signal: leaving.signal },
        );
        await requestAt(rig, protocol);
        leaving.abort();
        expect(await running).toMatchObject({ status: 0, complete: false });
        const { line, row } = await rig.accountOf(tag);
        expect(line.outcome).toBe("completed");
        expect(row).toMatchObject({
          reason: "client_aborted",
          status: 0,
          estimated: false,
          chargeNanos: nanosOf(line.usage, ODD_PRICE),
        });
      },
    );

    it("takes a caller that has ended its side of the connection for one that has left", async () => {
      const tag = "half-closed";
      const prompt = `${PROMPT}[[sandbox: tag=${tag} tokens=200 delay=1000]]`;
      const body = JSON.stringify(wireForm({ protocol: "chat-completions", prompt }).body);
      const head = `host: a\r\nauthorization: Bearer ${TEST_KEY}\r\ncontent-length: ${body.length}`;
      const caller = openRaw(rig.url);
      caller.write(`POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n\r\n${body}`);
      await requestAt(rig, "chat-completions");
      caller.finish();
      await caller.ended;
      expect(caller.heard()).toBe("");
      expect((await rig.accountOf(tag)).row).toMatchObject({ reason: "client_aborted", status: 0 });
    });

    it.each(TEXT_PROTOCOLS)(
      "charges nothing for a %s stream that is left before it began",
      async (protocol) => {
        const tag = `early-${protocol}`;
        const leaving = new AbortController();
        const running = call(
          rig.url,
          { protocol, streamed: true, prompt: stalled(tag, 0) },
          { signal: leaving.signal },
        );
        await requestAt(rig, protocol);
        leaving.abort();
        await running;
        const { row } = await rig.accountOf(tag);
        expect(row).toMatchObject({ reason: "client_aborted_before_output", chargeNanos: 0n });
      },
    );
  });

  describe("M9, a stalled upstream settles", () => {
    // Five failures in a row would make routing turn away from the upstream.
    beforeEach(async () => {
      const heard = await call(rig.url, { protocol: "messages", model: "halted", prompt: "Hello" });
      expect(heard).toMatchObject({ complete: true });
    });

    it.each([true, false])("releases the hold when nothing ever comes (streamed: %s)", async (streamed) => {
      await overAll(async (protocol) => {
        const model = streamed ? "silent-stream" : "silent-plain";
        const tag = `silent-${protocol}-${streamed}`;
        const heard = await call(rig.url, { protocol, streamed, model, prompt: stalled(tag, 0) });
        expect(heard).toMatchObject({ status: 504, code: "upstream_timeout" });
        const { row } = await rig.accountOf(tag);
        expect(row).toMatchObject({ reason: "upstream_timeout", chargeNanos: 0n });
        expectSettledInTime(row.lastedMs);
      });
    });

    it.each([1, 15])("charges what came of a stream that stands still after %i chunks", async (chunks) => {
      await overAll(async (protocol) => {
        const tag = `stall-${protocol}-${chunks}`;
        const prompt = stalled(tag, chunks);
        const heard = await call(rig.url, { protocol, streamed: true, model: "halted", prompt });
        expect(heard).toMatchObject({ status: 200, complete: false });
        const { line, row } = await rig.accountOf(tag);
        expect(row.reason).toBe("upstream_timeout_after_output");
        expectWithin5Percent(row.chargeNanos, line);
        expectSettledInTime(row.lastedMs);
      });
    });

    it("charges nothing for a plain answer that stands still in its middle", async () => {
      await overAll(async (protocol) => {
        const tag = `halfway-${protocol}`;
        const heard = await call(rig.url, { protocol, model: "halted", prompt: stalled(tag, 1) });
        expect(heard).toMatchObject({ status: 504, code: "upstream_timeout" });
        const { row } = await rig.accountOf(tag);
        expect(row).toMatchObject({ reason: "upstream_timeout", chargeNanos: 0n });
        expectSettledInTime(row.lastedMs);
      });
    });
  });

  it("leaves clean books", async () => {
    expect(await rig.gateway.end()).toBe(0);
    await cleanLedger(rig.gateway);
  });
});

/** The four protocols at once: fewer failures in a row than routing forgives. */
async function overAll(run: (protocol: TextProtocol) => Promise<void>): Promise<void> {
  await Promise.all(TEXT_PROTOCOLS.map(run));
}

/** Waits until the upstream works on a request of this protocol. */
async function requestAt(rig: MoneyRig, protocol: TextProtocol): Promise<void> {
  await waitFor(`a request over ${protocol} upstream`, async () => {
    const { open } = (await (await fetch(`${rig.sandbox.url}/_sandbox/status`)).json()) as { open: number };
    return open > 0;
  });
  await sleep(50); // past the sandbox's reading of the body
}

function expectWithin5Percent(chargeNanos: bigint, line: JournalLine): void {
  const truth = nanosOf(line.usage, ODD_PRICE);
  expect(Math.abs(Number(chargeNanos - truth)) / Number(truth), JSON.stringify(line)).toBeLessThanOrEqual(
    0.05,
  );
}

/** From acceptance to the settled charge: the time-out, and no more than five seconds. */
function expectSettledInTime(lastedMs: number): void {
  expect(lastedMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 1_000); // time-outs are good to a second
  expect(lastedMs).toBeLessThanOrEqual(TIMEOUT_MS + 5_000);
}
