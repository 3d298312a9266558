import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attempts,
  catalogOf,
  credentials,
  label,
  ORDER,
  rig,
  upstreamOf,
} from "../../test/support/routing-rig.ts";
import type { Upstream } from "../catalog/catalog.ts";
import type { Candidate } from "../upstreams/call.ts";
import type { AttemptOutcome } from "./health/outcome.ts";

const FAILED: AttemptOutcome = { kind: "failed" };
const OK: AttemptOutcome = { kind: "ok" };
const LIMITED: AttemptOutcome = { kind: "rate-limited", retryAfterSeconds: 20 };

describe("the order of candidates", () => {
  it("is by priority: a higher number is asked only after lower ones failed", () => {
    const { routing } = rig();
    const catalog = catalogOf([
      upstreamOf(3n, { priority: 9 }),
      upstreamOf(1n),
      upstreamOf(2n, { priority: 5 }),
    ]);
    expect(attempts(routing, catalog, FAILED)).toEqual(["u1/a", "u2/a", "u3/a"]);
    expect(attempts(routing, catalog, OK)).toEqual(["u1/a"]);
  });

  it("honours weights within a priority", () => {
    const { routing } = rig();
    const catalog = catalogOf([upstreamOf(1n, { weight: 1 }), upstreamOf(2n, { weight: 3 })]);
    const counts = new Map<string, number>();
    for (let round = 0; round < 4_000; round += 1) {
      const [first = ""] = attempts(routing, catalog, OK);
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    // 3,000 of 4,000 are expected; six standard deviations are 164.
    expect(Math.abs((counts.get("u2/a") ?? 0) - 3_000)).toBeLessThan(170);
  });

  it("gives the credentials of an upstream equal shares", () => {
    const { routing } = rig();
    const catalog = catalogOf([upstreamOf(1n, { credentials: credentials("a", "b", "c") })]);
    const firsts = Array.from({ length: 3_000 }, () => attempts(routing, catalog, OK)[0]);
    for (const name of ["u1/a", "u1/b", "u1/c"]) {
      // Six standard deviations are 155.
      expect(Math.abs(firsts.filter((first) => first === name).length - 1_000), name).toBeLessThan(160);
    }
  });

  it("tries another credential of the same upstream where the credential was the matter, and only then", () => {
    const { routing } = rig();
    const catalog = catalogOf([upstreamOf(1n, { credentials: credentials("a", "b") })]);
    expect(attempts(routing, catalog, LIMITED)).toHaveLength(2);
    const other = catalogOf([upstreamOf(2n, { credentials: credentials("a", "b") })]);
    expect(attempts(rig().routing, other, FAILED)).toHaveLength(1);
  });

  it("passes a full upstream by, and says so when all are full", () => {
    const load = new Map([[1n, 2]]);
    const { routing } = rig((id) => load.get(id) ?? 0);
    const catalog = catalogOf([
      upstreamOf(1n, { maxConcurrency: 2 }),
      upstreamOf(2n, { priority: 1, maxConcurrency: 2 }),
    ]);
    expect(attempts(routing, catalog, OK)).toEqual(["u2/a"]);
    load.set(2n, 2);
    const candidates = routing.candidates(catalog, ORDER);
    expect([...candidates]).toEqual([]);
    expect(candidates.unavailableError()).toMatchObject({ status: 503, retryAfterSeconds: 2 });
  });
});

describe("an upstream at its limit per minute", () => {
  const catalog = catalogOf([upstreamOf(1n), upstreamOf(2n, { priority: 1 })]);

  it("is passed by, and where all are, the caller is told the shortest wait", () => {
    const waits = new Map([[1n, 41.2]]);
    const { routing } = rig(
      () => 0,
      ({ id }) => waits.get(id) ?? 0,
    );
    expect(attempts(routing, catalog, OK)).toEqual(["u2/a"]);
    waits.set(2n, 12.3);
    const candidates = routing.candidates(catalog, ORDER);
    expect([...candidates]).toEqual([]);
    expect(candidates.unavailableError()).toMatchObject({ status: 503, retryAfterSeconds: 13 });
    expect(routing.inspect(catalog, ORDER).map(({ limitedSeconds }) => limitedSeconds)).toEqual([41.2, 12.3]);
  });

  it("costs no attempt, no retry and no health where it is found only when the request is about to go there", () => {
    const { routing } = rig();
    const many = catalogOf([1n, 2n, 3n, 4n, 5n].map((id) => upstreamOf(id, { priority: Number(id) })));
    for (let round = 0; round < 50; round += 1) {
      const candidates = routing.candidates(many, ORDER);
      const asked: string[] = [];
      for (const candidate of candidates) {
        asked.push(label(candidate));
        routing.report(candidate, { kind: "neutral" }, ORDER.account);
        candidates.passOver();
      }
      expect(asked).toEqual(["u1/a", "u2/a", "u3/a", "u4/a", "u5/a"]);
    }
    expect(routing.unhealthyTargets()).toEqual([]);
    expect(attempts(routing, many, OK)).toEqual(["u1/a"]);
  });
});

describe("a pinned request", () => {
  const upstreams = [upstreamOf(1n, { credentials: credentials("a", "b") }), upstreamOf(2n, { priority: 1 })];
  const pinned = (upstreamId: bigint, credentialId: bigint) => ({
    ...ORDER,
    pins: [{ upstreamId, credentialId }],
  });

  it("goes to its upstream and credential and nowhere else, although that is cooling down", () => {
    const { routing } = rig();
    const catalog = catalogOf(upstreams);
    const [pin] = [...routing.candidates(catalog, pinned(2n, 20n))];
    expect(pin && label(pin)).toBe("u2/a");
    if (pin) routing.report(pin, LIMITED, 1n);
    expect(attempts(routing, catalog, LIMITED, pinned(2n, 20n))).toEqual(["u2/a"]);
    expect(attempts(routing, catalog, LIMITED, pinned(1n, 11n))).toEqual(["u1/b"]);
  });

  it("goes nowhere when what it is pinned to left the catalog", () => {
    const { routing } = rig();
    const [first] = upstreams;
    expect(attempts(routing, catalogOf(first ? [first] : []), OK, pinned(2n, 20n))).toEqual([]);
    expect(attempts(routing, catalogOf(upstreams), OK, pinned(1n, 99n))).toEqual([]);
  });
});

describe("a request that carries an upstream's state", () => {
  const carrying = { ...ORDER, issuer: { protocol: "messages", upstream: "u2", model: "theirs" } } as const;
  const asked = (issued: Parameters<typeof attempts>[3], ...upstreams: Upstream[]): Set<string> => {
    const { routing } = rig();
    const firsts = Array.from({ length: 50 }, () => attempts(routing, catalogOf(upstreams), OK, issued)[0]);
    return new Set(firsts.filter((first) => first !== undefined));
  };

  it("goes back there first among its priority, although others weigh more or speak the caller's protocol", () => {
    expect(asked(carrying, upstreamOf(1n, { weight: 100 }), upstreamOf(2n))).toEqual(new Set(["u2/a"]));
    const responses = { ...carrying, protocol: "responses" } as const;
    const native = upstreamOf(1n, { protocols: ["responses"] });
    expect(asked(responses, native, upstreamOf(2n))).toEqual(new Set(["u2/a"]));
    expect(asked({ ...ORDER, protocol: "responses" }, native, upstreamOf(2n))).toEqual(new Set(["u1/a"]));
  });

  it("is no exception from priorities, nor goes to another model of that name", () => {
    expect(asked(carrying, upstreamOf(1n), upstreamOf(2n, { priority: 1 }))).toEqual(new Set(["u1/a"]));
    const other = upstreamOf(2n, { models: new Map([["ours", "another"]]) });
    expect(asked(carrying, upstreamOf(1n), other).size).toBe(2);
  });

  it("goes to others where the minter fails, cools down, is full or has left", () => {
    const { routing, wait } = rig((id) => (id === 2n && full ? 10 : 0));
    let full = false;
    const catalog = catalogOf([upstreamOf(1n), upstreamOf(2n)]);
    expect(attempts(routing, catalog, FAILED, carrying)).toEqual(["u2/a", "u1/a"]);
    const [issuer] = routing.candidates(catalog, carrying);
    if (issuer) routing.report(issuer, LIMITED, 1n);
    expect(attempts(routing, catalog, OK, carrying)).toEqual(["u1/a"]);
    wait(21_000);
    full = true;
    expect(attempts(routing, catalog, OK, carrying)).toEqual(["u1/a"]);
    full = false;
    expect(attempts(routing, catalog, OK, carrying)).toEqual(["u2/a"]);
    expect(asked(carrying, upstreamOf(1n))).toEqual(new Set(["u1/a"]));
  });
});

describe("the breaker", () => {
  const single = catalogOf([upstreamOf(1n)]);

  it("opens after five failures in a row and then rejects without an attempt", () => {
    const { routing } = rig();
    for (let round = 0; round < 5; round += 1) expect(attempts(routing, single, FAILED)).toEqual(["u1/a"]);
    const candidates = routing.candidates(single, ORDER);
    expect([...candidates]).toEqual([]);
    expect([...routing.openBreakers()]).toEqual([["u1", 1]]);
    expect(candidates.unavailableError()).toMatchObject({
      status: 503,
      reason: "no_available_upstream",
      retryAfterSeconds: 30,
    });
  });

  it("stays closed while failures are not in a row", () => {
    const { routing } = rig();
    for (let round = 0; round < 40; round += 1) {
      expect(attempts(routing, single, round % 5 === 4 ? OK : FAILED)).toEqual(["u1/a"]);
    }
  });

  it("lets one probe through after 30 s: a success closes it, a failure waits 30 s more", () => {
    const { routing, wait } = rig();
    for (let round = 0; round < 5; round += 1) attempts(routing, single, FAILED);
    wait(29_999);
    expect(attempts(routing, single, OK)).toEqual([]);
    wait(1);
    const [probe] = routing.candidates(single, ORDER);
    expect(probe).toBeDefined();
    expect(attempts(routing, single, OK)).toEqual([]);
    if (probe) routing.report(probe, FAILED, 1n);
    wait(29_999);
    expect(attempts(routing, single, OK)).toEqual([]);
    wait(1);
    expect(attempts(routing, single, OK)).toEqual(["u1/a"]);
    expect(attempts(routing, single, OK)).toEqual(["u1/a"]);
  });

  it("gives the probe to the next request when the first told nothing", () => {
    const { routing, wait } = rig();
    for (let round = 0; round < 5; round += 1) attempts(routing, single, FAILED);
    wait(30_000);
    expect(attempts(routing, single, { kind: "neutral" })).toEqual(["u1/a"]);
    expect(attempts(routing, single, OK)).toEqual(["u1/a"]);
  });

  it("is one for each model and credential", () => {
    const { routing } = rig();
    const upstream = upstreamOf(1n, {
      models: new Map([
        ["ours", "theirs"],
        ["second", "other"],
      ]),
    });
    const catalog = catalogOf([upstream]);
    for (let round = 0; round < 5; round += 1) attempts(routing, catalog, FAILED);
    expect(attempts(routing, catalog, OK)).toEqual([]);
    expect(attempts(routing, catalog, OK, { ...ORDER, model: "second" })).toEqual(["u1/a"]);
  });

  it("outlives a change of the catalog, and is forgotten with its upstream", () => {
    const { routing } = rig();
    for (let round = 0; round < 5; round += 1) attempts(routing, single, FAILED);
    expect(attempts(routing, catalogOf([upstreamOf(1n, { weight: 4 })]), OK)).toEqual([]);
    expect(attempts(routing, catalogOf([upstreamOf(2n)]), OK)).toEqual(["u2/a"]);
    expect(attempts(routing, catalogOf([upstreamOf(1n)]), OK)).toEqual(["u1/a"]);
  });
});

describe("a credential that cools down", () => {
  it("comes after all others for its Retry-After, and is still tried where there is no other", () => {
    const { routing, wait } = rig();
    const catalog = catalogOf([upstreamOf(1n), upstreamOf(2n, { priority: 1 })]);
    const [first] = routing.candidates(catalog, ORDER);
    if (first) routing.report(first, LIMITED, 1n);
    wait(19_999);
    expect(attempts(routing, catalog, FAILED)).toEqual(["u2/a", "u1/a"]);
    expect(attempts(routing, catalog, LIMITED)).toEqual(["u2/a", "u1/a"]);
    wait(20_000);
    expect(attempts(routing, catalog, OK)[0]).toBe("u1/a");
  });

  it("does so no more once its secret is replaced, and still does after any other change", () => {
    const of = (secret: string, weight = 1) =>
      catalogOf([
        upstreamOf(1n, { weight, credentials: [{ id: 0n, name: "a", secret }] }),
        upstreamOf(2n, { priority: 1 }),
      ]);
    for (const outcome of [LIMITED, { kind: "refused-account" }] as const) {
      const { routing } = rig();
      const [first] = routing.candidates(of("old"), ORDER);
      if (first) routing.report(first, outcome, 1n);
      expect(attempts(routing, of("old", 2), OK)).toEqual(["u2/a"]);
      expect(attempts(routing, of("new"), OK)).toEqual(["u1/a"]);
      expect(routing.unhealthyTargets().filter(({ upstreamId }) => upstreamId === 1n)).toEqual([]);
    }
  });

  it("is not cooled by the end of a request that was sent with the secret before", () => {
    const { routing } = rig();
    const of = (secret: string) =>
      catalogOf([
        upstreamOf(1n, { credentials: [{ id: 0n, name: "a", secret }] }),
        upstreamOf(2n, { priority: 1 }),
      ]);
    const [sent] = routing.candidates(of("old"), ORDER);
    expect(attempts(routing, of("new"), OK)).toEqual(["u1/a"]);
    if (sent) routing.report(sent, { kind: "refused-account" }, 1n);
    expect(attempts(routing, of("new"), OK)).toEqual(["u1/a"]);
  });

  it("is not believed for longer than two minutes", () => {
    const { routing, wait } = rig();
    const catalog = catalogOf([upstreamOf(1n), upstreamOf(2n, { priority: 1 })]);
    const [first] = routing.candidates(catalog, ORDER);
    if (first) routing.report(first, { kind: "rate-limited", retryAfterSeconds: 1e9 }, 1n);
    wait(119_999);
    expect(attempts(routing, catalog, OK)[0]).toBe("u2/a");
    wait(1);
    expect(attempts(routing, catalog, OK)[0]).toBe("u1/a");
  });
});

describe("retries", () => {
  it("never exceed two after the first attempt", () => {
    const catalog = catalogOf(Array.from({ length: 8 }, (_, index) => upstreamOf(BigInt(index + 1))));
    for (let round = 0; round < 20; round += 1) {
      expect(attempts(rig().routing, catalog, FAILED).length).toBe(3);
    }
  });

  it("stay within a fifth of the requests when everything fails", () => {
    const { routing, wait } = rig();
    const catalog = catalogOf(Array.from({ length: 4 }, (_, index) => upstreamOf(BigInt(index + 1))));
    let requests = 0;
    let made = 0;
    for (let round = 0; round < 2_000; round += 1) {
      wait(1_000);
      const count = attempts(routing, catalog, FAILED).length;
      if (count > 0) requests += 1;
      made += count;
    }
    expect(made / 2_000).toBeLessThanOrEqual(1.2);
    expect(requests).toBeGreaterThan(0);
  });

  it("stay within a fifth also when the breaker never opens", () => {
    const { routing } = rig();
    const catalog = catalogOf([upstreamOf(1n), upstreamOf(2n, { priority: 1 })]);
    let made = 0;
    for (let round = 0; round < 1_000; round += 1) {
      made += attempts(routing, catalog, round % 4 === 3 ? OK : FAILED).length;
    }
    expect(made / 1_000).toBeLessThanOrEqual(1.2);
  });
});

describe("whatever happens", () => {
  it("no candidate is ever foreign, unmapped, full, unable to speak the protocol, or asked twice in a request", () => {
    fc.assert(
      fc.property(fc.array(upstreamArbitrary, { maxLength: 6 }), outcomesArbitrary, (drafts, outcomes) => {
        const upstreams = drafts.map((draft, index) => upstreamOf(BigInt(index + 1), draft));
        const catalog = catalogOf(upstreams);
        const loads = new Map(upstreams.map(({ id }) => [id, Number(id % 3n)]));
        const { routing, wait } = rig((id) => loads.get(id) ?? 0);
        let next = 0;
        for (let round = 0; round < 12; round += 1) {
          wait(7_000);
          const seen = new Set<Candidate>();
          for (const candidate of routing.candidates(catalog, ORDER)) {
            const { upstream } = candidate;
            expect(upstreams).toContain(upstream);
            expect(upstream.groups?.has("default") ?? true).toBe(true);
            expect(candidate.model).toBe(upstream.models.get("ours"));
            expect(upstream.protocols).toContain(candidate.protocol);
            if (upstream.protocols.includes("messages")) expect(candidate.protocol).toBe("messages");
            expect(upstream.credentials).toContain(candidate.credential);
            expect(loads.get(upstream.id)).toBeLessThan(upstream.maxConcurrency);
            expect(seen.has(candidate)).toBe(false);
            seen.add(candidate);
            const outcome = outcomes[next % outcomes.length] ?? OK;
            next += 1;
            routing.report(candidate, outcome, 1n);
          }
          expect(seen.size).toBeLessThanOrEqual(3);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const upstreamArbitrary = fc.record({
  priority: fc.integer({ min: 0, max: 2 }),
  weight: fc.integer({ min: 1, max: 9 }),
  maxConcurrency: fc.integer({ min: 1, max: 3 }),
  groups: fc.constantFrom(null, new Set(["default"]), new Set(["others"])),
  models: fc.constantFrom(new Map([["ours", "theirs"]]), new Map([["unrelated", "x"]])),
  protocols: fc.constantFrom<Upstream["protocols"]>(["messages"], ["responses"], ["responses", "messages"]),
  credentials: fc.constantFrom(credentials("a"), credentials("a", "b"), []),
});

const outcomesArbitrary = fc.array(
  fc.constantFrom<AttemptOutcome>(OK, FAILED, LIMITED, { kind: "refused-account" }, { kind: "neutral" }),
  { minLength: 1, maxLength: 40 },
);
