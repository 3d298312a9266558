import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../support/gateways.ts";
import {
  balanceOf,
  cleanLedger,
  expectNothingOpen,
  nanosOf,
  ODD_PRICE,
  readUsageLog,
  requestIdOf,
} from "../support/money-books.ts";
import { type MoneyRig, startMoneyRig } from "../support/money-rig.ts";
import { seededRandom } from "../support/seed.ts";
import { call, TEXT_PROTOCOLS, type Wish } from "../support/text-caller.ts";

const REQUESTS = 500;
const CALLERS = 10;
const BALANCE_NANOS = 1_000_000_000_000n; // catalogFile's 1000 USD

/** What goes wrong upstream, as directives; each leaves the caller without a whole response. */
const FAULTS = [
  "error=500",
  "error=529",
  "error=400",
  "html=1",
  "lost=1",
  "cut=0",
  "cut=2",
  "cut_bytes=300 reset=1",
  "error=500 at=2",
] as const;

/** Reasons at which the upstream produced something that the caller pays for. */
const AFTER_OUTPUT = new Set(["upstream_failed_after_output"]);

describe("M2, the ledger matches the upstream", { timeout: PATIENCE_MS }, () => {
  let rig: MoneyRig;
  beforeAll(async () => {
    rig = await startMoneyRig();
  });
  afterAll(() => rig.stop());

  it(`charges ${REQUESTS} mixed requests, one in twenty of them broken, as the journal has them`, async () => {
    const random = seededRandom("TEST_SEED");
    const wishes = Array.from({ length: REQUESTS }, (_, index): Wish & { readonly broken: boolean } => {
      const broken = random.whole(1, 20) === 1;
      const fault = broken ? FAULTS[random.whole(0, FAULTS.length - 1)] : "";
      return {
        broken,
        protocol: TEXT_PROTOCOLS[random.whole(0, 3)] ?? "messages",
        streamed: random.whole(0, 1) === 1,
        // Thoughts that a protocol hides reach nobody before the usage does, so a break-off cannot be estimated.
        thinking: random.whole(0, 3) === 0 && !broken,
        ...(random.whole(0, 3) === 0 ? { system: "Answer in verse." } : {}),
        prompt: `Number ${index}: what is new? ${"And then? ".repeat(random.whole(0, 300))}[[sandbox: tokens=${random.whole(1, 300)} chunks=${random.whole(1, 8)} ${fault}]]`,
      };
    });
    const heard = await inParallel(CALLERS, wishes, (wish) => call(rig.url, wish));
    for (const [index, wish] of wishes.entries()) {
      if (wish.broken) continue;
      // 503 while the breaker is open for the faults of others; those are asked no further.
      expect([200, 503], heard[index]?.text).toContain(heard[index]?.status);
    }
    expect(heard.filter(({ complete }) => complete).length).toBeGreaterThan(REQUESTS / 2);

    expect(await rig.gateway.end()).toBe(0);
    const verdict = await cleanLedger(rig.gateway);
    await expectNothingOpen(rig.databaseUrl);
    const rows = await readUsageLog(rig.databaseUrl);
    const journal = new Map((await rig.sandbox.journal()).map((line) => [requestIdOf(line), line]));
    const answered = new Set(heard.filter(({ complete }) => complete).map(({ requestId }) => requestId));
    const wrong: object[] = [];
    let sum = 0n;
    for (const row of rows) {
      const line = journal.get(row.requestId);
      sum += row.chargeNanos;
      const truth = line === undefined ? 0n : nanosOf(line.usage, ODD_PRICE);
      const isExact = row.chargeNanos === truth && !row.estimated;
      const isNear = Math.abs(Number(row.chargeNanos - truth)) <= 0.05 * Number(truth);
      const isRight =
        row.reason === "completed"
          ? isExact && answered.has(row.requestId)
          : AFTER_OUTPUT.has(row.reason)
            ? isNear
            : row.chargeNanos === 0n;
      if (!isRight) wrong.push({ row, line, truth });
    }
    expect(wrong, "rows that are not as the journal says").toEqual([]);
    // The other way round: nobody was answered for nothing, and each request stands in the log once.
    const logged = rows.filter(({ reason }) => reason === "completed").map(({ requestId }) => requestId);
    expect(new Set(logged)).toEqual(answered);
    expect(logged).toHaveLength(answered.size);
    expect(BigInt(verdict.revenue_nanos)).toBe(sum);
    expect(balanceOf(verdict)).toBe(BALANCE_NANOS - sum);
  });
});

/** Runs over all items, so many at a time; results in the items' order. */
async function inParallel<T, R>(
  width: number,
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await run(item);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return results;
}
