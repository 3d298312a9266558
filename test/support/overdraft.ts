import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "./catalog-file.ts";
import { type Gateways, PATIENCE_MS, startGateways } from "./gateways.ts";
import { balanceOf, cleanLedger, expectNothingOpen, readUsageLog } from "./money-books.ts";
import { startSandbox, type TestSandbox } from "./sandbox.ts";
import { type CallOptions, call, type Heard, TEXT_PROTOCOLS, type Wish, wireForm } from "./text-caller.ts";

const REQUESTS = 1_000;
const PAID = 37;
const OUTPUT_TOKENS = 20;
const INPUT_RATE = 3_000n; // nanos per token of the catalog file's `input: 3`
const OUTPUT_RATE = 15_000n;
const LIMITED_KEY = "limited-key-0123456789abcdef";
const PAID_BY_LIMIT = 11;

/** One process, several in one gateway, several gateways: the money is shared alike. */
export const OVERDRAFT_SETUPS = {
  "one process": { count: 1, args: [] },
  "--processes 3": { count: 1, args: ["--processes", "3"] },
  "three gateways": { count: 3, args: [] },
} as const;

export function overdraftLaws(setup: keyof typeof OVERDRAFT_SETUPS): void {
  describe(`M1, no overdraft: ${setup}`, { timeout: PATIENCE_MS }, () => {
    const { count, args } = OVERDRAFT_SETUPS[setup];
    let sandbox: TestSandbox;
    let gateways: Gateways | undefined;
    let inputTokens: number;
    beforeAll(async () => {
      sandbox = await startSandbox();
      inputTokens = await inputOf(sandbox, wish(0));
    });
    afterEach(() => gateways?.clean());
    afterAll(() => sandbox.stop());

    /** A response costs its hold to the nano when the context holds no more than the prompt takes. */
    const start = async (balanceNanos: bigint): Promise<Gateways> => {
      const limit = `{ amount: ${usd(chargeNanos() * BigInt(PAID_BY_LIMIT))}, period: total }`;
      gateways = await startGateways(count, {
        args,
        catalog: catalogFile({
          upstreams: [{ url: sandbox.url }],
          contextTokens: inputTokens,
          price: "{ input: 3, output: 15 }",
          balance: usd(balanceNanos),
          more: `      - { name: limited, key: ${LIMITED_KEY}, spending_limit: ${limit} }\n`,
        }),
      });
      return gateways;
    };

    const chargeNanos = (): bigint => BigInt(inputTokens) * INPUT_RATE + BigInt(OUTPUT_TOKENS) * OUTPUT_RATE;

    it(`serves exactly the ${PAID} of ${REQUESTS} requests that the balance pays when charge and hold are equal`, async () => {
      const { first, urls, end } = await start(chargeNanos() * BigInt(PAID));
      const heard = await Promise.all(
        Array.from({ length: REQUESTS }, (_, index) =>
          untilDecided(urls[index % urls.length] ?? first.url, wish(index)),
        ),
      );
      expect(tally(heard)).toEqual({ "200 ": PAID, "403 insufficient_user_quota": REQUESTS - PAID });
      expect(await end()).toEqual(urls.map(() => 0));
      const verdict = await cleanLedger(first);
      expect(balanceOf(verdict)).toBe(0n);
      expect(BigInt(verdict.revenue_nanos)).toBe(chargeNanos() * BigInt(PAID));
      expect(BigInt(verdict.loss_nanos)).toBe(0n);
      const databaseUrl = first.database?.url ?? "";
      const rows = await readUsageLog(databaseUrl);
      expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(PAID);
      expect(rows.map(({ holdNanos, chargeNanos }) => [holdNanos, chargeNanos])).toEqual(
        Array.from({ length: PAID }, () => [chargeNanos(), chargeNanos()]),
      );
      await expectNothingOpen(databaseUrl);
    });

    it("never serves more than the balance pays where holds exceed charges, and refuses only below one hold", async () => {
      const allowed = OUTPUT_TOKENS * 4;
      const holdNanos = BigInt(inputTokens) * INPUT_RATE + BigInt(allowed) * OUTPUT_RATE;
      const balance = chargeNanos() * BigInt(PAID) + 1n;
      const { first, urls, end } = await start(balance);
      const heard = await Promise.all(
        Array.from({ length: REQUESTS / 4 }, (_, index) =>
          untilDecided(urls[index % urls.length] ?? first.url, wish(index, allowed)),
        ),
      );
      // While a whole hold is left, whoever asks again is served.
      const served = Number((balance - holdNanos) / chargeNanos()) + 1;
      expect(tally(heard)).toEqual({
        "200 ": served,
        "403 insufficient_user_quota": REQUESTS / 4 - served,
      });
      expect(await end()).toEqual(urls.map(() => 0));
      const verdict = await cleanLedger(first);
      expect(balanceOf(verdict)).toBe(balance - chargeNanos() * BigInt(served));
      expect(balanceOf(verdict)).toBeLessThan(holdNanos);
      expect(BigInt(verdict.loss_nanos)).toBe(0n);
    });

    it("lets a key with a spending limit spend exactly that, while others of the account go on", async () => {
      const others = 50;
      const balance = chargeNanos() * 1_000n;
      const { first, urls, end } = await start(balance);
      const ask = (requests: number, options?: CallOptions): Promise<Heard[]> =>
        Promise.all(
          Array.from({ length: requests }, (_, index) =>
            untilDecided(urls[index % urls.length] ?? first.url, wish(index), options),
          ),
        );
      const [limited, free] = await Promise.all([ask(200, { key: LIMITED_KEY }), ask(others)]);
      expect(tally(limited)).toEqual({
        "200 ": PAID_BY_LIMIT,
        "403 insufficient_user_quota": 200 - PAID_BY_LIMIT,
      });
      expect(tally(free)).toEqual({ "200 ": others });
      expect(await end()).toEqual(urls.map(() => 0));
      const verdict = await cleanLedger(first);
      expect(balanceOf(verdict)).toBe(balance - chargeNanos() * BigInt(PAID_BY_LIMIT + others));
      await expectNothingOpen(first.database?.url ?? "");
    });
  });
}

function wish(index: number, maxTokens = OUTPUT_TOKENS): Wish {
  return {
    protocol: TEXT_PROTOCOLS[index % TEXT_PROTOCOLS.length] ?? "messages",
    streamed: index % 8 >= 4,
    prompt: `Say something. [[sandbox: tokens=${OUTPUT_TOKENS}]]`,
    maxTokens,
  };
}

/** Asks again as told: 429 while others hold the money, 503 while a slow machine lets the ledger wait. */
async function untilDecided(url: string, asked: Wish, options: CallOptions = {}): Promise<Heard> {
  for (;;) {
    const heard = await call(url, asked, options);
    if (heard.status !== 429 && heard.status !== 503) return heard;
    await sleep(200);
  }
}

function tally(heard: readonly Heard[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code, complete } of heard) {
    const kind = `${status} ${status === 200 && !complete ? "incomplete" : code}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** The input that the upstream counts for a prompt, whatever the protocol. */
async function inputOf(sandbox: TestSandbox, asked: Wish): Promise<number> {
  const { path, body } = wireForm(asked);
  await (await fetch(`${sandbox.url}${path}`, { method: "POST", body: JSON.stringify(body) })).text();
  const [line] = await sandbox.journal();
  const tokens = line?.usage["inputUncached"];
  if (tokens === undefined) throw new Error("the sandbox did not answer");
  return tokens;
}

function usd(nanos: bigint): string {
  const text = nanos.toString().padStart(10, "0");
  return `"${text.slice(0, -9)}.${text.slice(-9)}"`;
}
