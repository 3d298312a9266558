import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalogOf, credentials, label, ORDER, rig, upstreamOf } from "../../test/support/routing-rig.ts";
import type { AttemptOutcome } from "./health/outcome.ts";

const KINDS = ["ok", "failed", "unreachable", "refused-account", "rate-limited"] as const;

const upstreams = fc
  .array(
    fc.record({
      priority: fc.nat(1),
      weight: fc.integer({ min: 1, max: 5 }),
      credentials: fc.constantFrom(credentials("a"), credentials("a", "b")),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => all.map((each, index) => upstreamOf(BigInt(index + 1), each)));

/** What happened before: whose attempts at which place ended how, and how long ago. */
const history = fc.array(
  fc.record({
    at: fc.nat(7),
    kind: fc.constantFrom(...KINDS),
    account: fc.bigInt({ min: 1n, max: 3n }),
    times: fc.integer({ min: 1, max: 6 }),
    waitMs: fc.nat(20_000),
  }),
  { maxLength: 12 },
);

describe("a place for a task", () => {
  it("is the one to which a text request of no conversation would go", () => {
    fc.assert(
      fc.property(upstreams, history, (all, past) => {
        // Two of them, that draw the same chance.
        const [text, tasks] = [rig(), rig()];
        const catalog = catalogOf(all);
        const sites = all.flatMap((upstream) =>
          upstream.credentials.map((credential) => ({ upstream, credential, model: "theirs" })),
        );
        for (const { at, kind, account, times, waitMs } of past) {
          const site = sites[at % sites.length];
          if (site === undefined) continue;
          for (const { routing, wait } of [text, tasks]) {
            for (let count = 0; count < times; count += 1)
              routing.places.report(site, { kind } as AttemptOutcome, { account, model: "ours" });
            wait(waitMs);
          }
        }
        for (let round = 0; round < 5; round += 1) {
          const { value } = text.routing.candidates(catalog, ORDER).next();
          const place = tasks.routing.places.choose(sites, ORDER.account, () => false);
          expect(place).toBeDefined();
          if (place) tasks.routing.places.claim(place, ORDER.account);
          // Where all are closed to the account, a task, which can wait for nobody, is sent there all the same.
          if (value !== undefined) expect(label({ ...value, ...place })).toBe(label(value));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is one that failed a task a moment ago only where no other is well", () => {
    const { routing } = rig();
    const [one, two] = [upstreamOf(1n), upstreamOf(2n, { priority: 5 })].map((upstream) => ({
      upstream,
      credential: upstream.credentials[0] ?? expect.fail("it has a credential"),
      model: "theirs",
    }));
    if (one === undefined || two === undefined) return expect.fail("there are two");
    const choose = (setBack: unknown) => routing.places.choose([one, two], 1n, (site) => site === setBack);
    expect([choose(undefined), choose(one), choose(two)]).toEqual([one, two, one]);
    routing.places.report(two, { kind: "rate-limited" }, { account: 1n, model: "ours" });
    expect(choose(one)).toBe(one);
    expect(routing.places.choose([], 1n, () => false)).toBeUndefined();
  });
});
