import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attempts,
  catalogOf,
  credentials,
  ORDER,
  rig,
  upstreamOf,
} from "../../../test/support/routing-rig.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { RetryBudget } from "../retry-budget.ts";
import type { Routing } from "../routing.ts";
import { AccountRecords } from "./account-records.ts";
import { createFailedPlaces } from "./failed-places.ts";
import type { AttemptOutcome } from "./outcome.ts";

const FAILED: AttemptOutcome = { kind: "failed" };
const OK: AttemptOutcome = { kind: "ok" };
const AWAY: AttemptOutcome = { kind: "unreachable" };
const MISTAKE: AttemptOutcome = { kind: "client-error" };

const single = catalogOf([upstreamOf(1n)]);
const double = catalogOf([upstreamOf(1n), upstreamOf(2n, { priority: 1 })]);

const by = (account: bigint) => ({ ...ORDER, account });

/** A request of the account whose attempts all end in this way; gives whom it asked. */
function send(routing: Routing, catalog: Catalog, account: bigint, outcome: AttemptOutcome): string[] {
  return attempts(routing, catalog, outcome, by(account));
}

/** Fails at the first upstream alone, as requests do that are answered anywhere else. */
function failAtFirst(routing: Routing, catalog: Catalog, account: bigint): string[] {
  const asked: string[] = [];
  for (const candidate of routing.candidates(catalog, by(account))) {
    asked.push(candidate.upstream.name);
    routing.report(candidate, candidate.upstream.id === 1n ? FAILED : OK, account);
    if (candidate.upstream.id !== 1n) break;
  }
  return asked;
}

describe("an account whose requests fail", () => {
  it("is kept away after its own last five, with a probe of its own every 30 s; others are not", () => {
    const { routing, wait } = rig();
    for (let round = 0; round < 8; round += 1) send(routing, single, 1n, FAILED);
    expect(send(routing, single, 1n, OK)).toEqual([]);
    expect(send(routing, single, 2n, OK)).toEqual(["u1/a"]);
    expect(routing.unhealthyTargets()).toMatchObject([{ open: false, closedTo: 1 }]);
    const refused = routing.candidates(single, by(1n));
    expect([...refused]).toEqual([]);
    expect(refused.unavailableError()).toMatchObject({ status: 503, retryAfterSeconds: 30 });
    wait(29_999);
    expect(send(routing, single, 1n, OK)).toEqual([]);
    wait(1);
    expect(send(routing, single, 1n, FAILED)).toEqual(["u1/a"]);
    expect(send(routing, single, 1n, OK)).toEqual([]);
    wait(30_000);
    expect(send(routing, single, 1n, OK)).toEqual(["u1/a"]);
    expect(send(routing, single, 1n, OK)).toEqual(["u1/a"]);
  });

  it("goes to another upstream meanwhile, and back by and by", () => {
    const { routing, wait } = rig();
    for (let round = 0; round < 5; round += 1) expect(failAtFirst(routing, double, 1n)).toEqual(["u1", "u2"]);
    expect(failAtFirst(routing, double, 1n)).toEqual(["u2"]);
    expect(send(routing, double, 2n, OK)).toEqual(["u1/a"]);
    wait(30_000);
    expect(send(routing, double, 1n, OK)).toEqual(["u1/a"]);
    const back = Array.from({ length: 100 }, () => send(routing, double, 1n, OK)[0]);
    expect(back.filter((asked) => asked === "u1/a").length).toBeLessThan(30);
    wait(60_000);
    expect(send(routing, double, 1n, OK)).toEqual(["u1/a"]);
  });

  it("is not judged by its own mistakes, which the upstream refuses", () => {
    const { routing } = rig();
    for (const account of [1n, 2n, 3n])
      for (let round = 0; round < 50; round += 1) send(routing, single, account, MISTAKE);
    expect(routing.unhealthyTargets()).toEqual([]);
    // Nor do they count for the upstream: two accounts see it fail, and none sees it answer.
    for (const account of [4n, 5n])
      for (let round = 0; round < 3; round += 1) send(routing, single, account, FAILED);
    expect(routing.unhealthyTargets()).toMatchObject([{ open: true }]);
  });
});

describe("the votes of accounts", () => {
  it("open the breaker when two are bad and more than good, and not before", () => {
    const { routing } = rig();
    for (let round = 0; round < 3; round += 1) failAtFirst(routing, double, 1n);
    expect(routing.unhealthyTargets()).toEqual([]);
    for (let round = 0; round < 2; round += 1) failAtFirst(routing, double, 2n);
    expect(routing.unhealthyTargets()).toEqual([]);
    failAtFirst(routing, double, 2n);
    expect(routing.unhealthyTargets()).toMatchObject([{ upstreamId: 1n, open: true }]);
    expect(send(routing, double, 3n, OK)).toEqual(["u2/a"]);
  });

  it("leave it closed while as many are served well, and half of an account's requests are enough to be bad", () => {
    const { routing } = rig();
    for (const account of [3n, 4n]) send(routing, double, account, OK);
    for (const account of [1n, 2n]) {
      for (let round = 0; round < 2; round += 1) {
        send(routing, double, account, OK);
        failAtFirst(routing, double, account);
      }
    }
    expect(routing.unhealthyTargets()).toEqual([]);
    for (let round = 0; round < 2; round += 1) {
      send(routing, double, 5n, OK);
      failAtFirst(routing, double, 5n);
    }
    expect(routing.unhealthyTargets()).toMatchObject([{ upstreamId: 1n, open: true }]);
  });

  it("are those of the last half minute", () => {
    const { routing, wait } = rig();
    for (let round = 0; round < 3; round += 1) failAtFirst(routing, double, 1n);
    wait(35_000);
    for (let round = 0; round < 3; round += 1) failAtFirst(routing, double, 2n);
    expect(routing.unhealthyTargets()).toEqual([]);
  });

  it("are taken back by accounts whose requests fail at two places, also when they have opened it", () => {
    const { routing, wait } = rig();
    for (const account of [1n, 2n])
      for (let round = 0; round < 3; round += 1) failAtFirst(routing, double, account);
    expect(send(routing, double, 3n, OK)).toEqual(["u2/a"]);
    for (const account of [1n, 2n]) send(routing, double, account, FAILED);
    wait(1_000);
    expect(send(routing, double, 3n, OK)).toEqual(["u1/a"]);
    expect(routing.unhealthyTargets()).toEqual([]);
  });

  it("keep nobody from its last candidate but accounts whose own last five failed, who together probe once a second", () => {
    const { routing, wait } = rig();
    for (const account of [1n, 2n])
      for (let round = 0; round < 5; round += 1) send(routing, single, account, FAILED);
    expect(routing.unhealthyTargets()).toMatchObject([{ open: true, closedTo: 2 }]);
    for (let round = 0; round < 20; round += 1) expect(send(routing, single, 3n, OK)).toEqual(["u1/a"]);
    wait(500);
    expect(send(routing, single, 1n, OK)).toEqual([]);
    wait(500);
    expect(send(routing, single, 1n, FAILED)).toEqual(["u1/a"]);
    expect(send(routing, single, 2n, FAILED)).toEqual([]);
    wait(1_000);
    expect(send(routing, single, 2n, OK)).toEqual(["u1/a"]);
    // It was the probe: the place is back, for the other one too.
    expect(send(routing, single, 1n, OK)).toEqual(["u1/a"]);
  });
});

describe("a place that comes back", () => {
  it("gets a tenth of its requests at first and all of them after a minute, where others can take the rest", () => {
    const { routing, wait } = rig();
    for (const account of [1n, 2n])
      for (let round = 0; round < 3; round += 1) failAtFirst(routing, double, account);
    wait(30_000);
    expect(send(routing, double, 3n, OK)).toEqual(["u1/a"]);
    const shareNow = (): number => {
      const firsts = Array.from({ length: 2_000 }, () => send(routing, double, 3n, OK)[0]);
      return firsts.filter((asked) => asked === "u1/a").length / 2_000;
    };
    // Six standard deviations of 2,000 draws are at most 0.07.
    expect(Math.abs(shareNow() - 0.1)).toBeLessThan(0.07);
    wait(30_000);
    expect(Math.abs(shareNow() - 0.55)).toBeLessThan(0.07);
    expect(routing.unhealthyTargets()).toMatchObject([{ open: false, share: 0.55 }]);
    wait(30_000);
    expect(shareNow()).toBe(1);
    expect(routing.unhealthyTargets()).toEqual([]);
  });

  it("gets all of them where there is no other", () => {
    const { routing, wait } = rig();
    for (let round = 0; round < 5; round += 1) send(routing, single, 1n, AWAY);
    wait(30_000);
    for (let round = 0; round < 50; round += 1) expect(send(routing, single, 1n, OK)).toEqual(["u1/a"]);
  });
});

describe("connections that cannot be made", () => {
  it("open the breaker after five in a row, whoever asked, and close it with any answer", () => {
    const { routing, wait } = rig();
    const away = (account: bigint, outcome: AttemptOutcome): void => {
      const [first] = routing.candidates(double, by(account));
      if (first) routing.report(first, outcome, account);
    };
    for (const account of [1n, 2n, 3n, 4n]) away(account, AWAY);
    away(5n, FAILED);
    for (const account of [1n, 2n, 3n, 4n]) away(account, AWAY);
    expect(routing.unhealthyTargets()).toEqual([]);
    away(5n, AWAY);
    expect(routing.unhealthyTargets()).toMatchObject([{ upstreamId: 1n, open: true }]);
    expect(send(routing, double, 6n, OK)).toEqual(["u2/a"]);
    wait(30_000);
    away(6n, MISTAKE);
    expect(routing.unhealthyTargets()).toMatchObject([{ open: false }]);
  });
});

describe("the retries that are saved", () => {
  it("are taken by one account to half, and beyond that as its own requests earn them", () => {
    const budget = new RetryBudget();
    const taken = (account: bigint): number => {
      let count = 0;
      while (budget.spend(account)) count += 1;
      return count;
    };
    expect(taken(1n)).toBe(5);
    for (let round = 0; round < 10; round += 1) budget.earn(1n);
    expect(taken(1n)).toBe(1);
    for (let round = 0; round < 10; round += 1) budget.earn(3n);
    expect(taken(1n)).toBe(0);
    expect(taken(2n)).toBe(5);
    expect(taken(3n)).toBe(1);
  });
});

const ENDINGS: readonly AttemptOutcome[] = [
  ...[FAILED, FAILED, FAILED, AWAY, OK, MISTAKE],
  ...([{ kind: "neutral" }, { kind: "refused-account" }, { kind: "rate-limited" }] as const),
];

const step = fc.record({
  account: fc.bigInt({ min: 2n, max: 6n }),
  outcomes: fc.array(fc.constantFrom(...ENDINGS), { minLength: 1, maxLength: 3 }),
  times: fc.integer({ min: 1, max: 8 }),
  begins: fc.boolean(),
  waitMs: fc.constantFrom(0, 10, 900, 5_000, 31_000),
});

const places = fc.constantFrom(
  single,
  double,
  catalogOf([upstreamOf(1n, { credentials: credentials("a", "b") })]),
  catalogOf([upstreamOf(1n), upstreamOf(2n), upstreamOf(3n, { priority: 1 })]),
);

describe("whatever other accounts do", () => {
  it("an account with good requests is never refused, and what is remembered stays bounded", () => {
    fc.assert(
      fc.property(places, fc.array(step, { maxLength: 40 }), (catalog, steps) => {
        const { routing, wait } = rig();
        for (const { account, outcomes, times, begins, waitMs } of steps) {
          wait(waitMs);
          for (let time = 0; time < times; time += 1) {
            let index = 0;
            for (const candidate of routing.candidates(catalog, by(account))) {
              if (begins) routing.report(candidate, { kind: "answering" }, account);
              routing.report(candidate, outcomes[index % outcomes.length] ?? FAILED, account);
              index += 1;
            }
          }
          expect(send(routing, catalog, 1n, OK).length).toBe(1);
        }
      }),
      { numRuns: 400 },
    );
    const records = new AccountRecords(createFailedPlaces());
    for (let account = 0n; account < 20_000n; account += 1n) records.of(account).count(true, Number(account));
    expect(records.size).toBeLessThanOrEqual(512);
  });
});
