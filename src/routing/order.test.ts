import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attempts, catalogOf, label, ORDER, rig, upstreamOf } from "../../test/support/routing-rig.ts";
import type { Catalog, Model, Upstream, UpstreamOrder } from "../catalog/catalog.ts";
import { conversationKey } from "./conversation.ts";

const PPM = 1_000_000n;

function orderedBy(order: UpstreamOrder, upstreams: readonly Upstream[]): Catalog {
  const price = { id: 1n, rates: { input: 3_000_000_000n, output: 15_000_000_000n }, media: {} };
  const model = { id: "ours", price, order } as unknown as Model;
  return { ...catalogOf(upstreams), models: new Map([["ours", model]]) };
}

/** Serves a request of no conversation by the first candidate, whose stream begins after so long. */
function serve(
  { routing }: ReturnType<typeof rig>,
  catalog: Catalog,
  latencyMs: (name: string) => number,
): string {
  const { value } = routing.candidates(catalog, ORDER).next();
  if (value === undefined) throw new Error("no candidate");
  const name = value.upstream.name;
  routing.report(value, { kind: "answering", firstByteMs: latencyMs(name) }, ORDER.account);
  routing.report(value, { kind: "ok" }, ORDER.account);
  return name;
}

function counted(rounds: number, one: () => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const name = one();
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const latencies = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 2, maxLength: 5 });
const cost = (factorPpm: bigint): Upstream["cost"] => ({ factorPpm, prices: new Map() });

describe("upstreams preferred by latency", () => {
  it("get more the sooner their streams begin, and each healthy one gets some", () => {
    fc.assert(
      fc.property(latencies, (ms) => {
        const world = rig();
        const catalog = orderedBy(
          "latency",
          ms.map((_, at) => upstreamOf(BigInt(at + 1))),
        );
        const latencyMs = (name: string) => ms[Number(name.slice(1)) - 1] ?? 0;
        counted(300, () => serve(world, catalog, latencyMs));
        const counts = counted(2_000, () => serve(world, catalog, latencyMs));
        expect(counts.size).toBe(ms.length);
        const of = (at: number) => counts.get(`u${at + 1}`) ?? 0;
        const quickestMs = Math.min(...ms);
        for (const [at, otherMs] of ms.entries())
          if (otherMs > 2 * quickestMs) expect(of(ms.indexOf(quickestMs))).toBeGreaterThan(of(at));
      }),
      { numRuns: 20 },
    );
  });

  it("are found again when they become quick", () => {
    const world = rig();
    const catalog = orderedBy("latency", [upstreamOf(1n), upstreamOf(2n)]);
    counted(200, () => serve(world, catalog, (name) => (name === "u1" ? 100 : 5_000)));
    counted(1_000, () => serve(world, catalog, () => 100));
    expect(counted(500, () => serve(world, catalog, () => 100)).get("u2")).toBeGreaterThan(180);
  });

  it("share by weight where they are equally quick", () => {
    const world = rig();
    const catalog = orderedBy("latency", [upstreamOf(1n, { weight: 1 }), upstreamOf(2n, { weight: 3 })]);
    const counts = counted(4_000, () => serve(world, catalog, () => 100));
    expect(Math.abs((counts.get("u2") ?? 0) - 3_000)).toBeLessThan(170);
  });

  it("come behind one of a better priority, and a failing one behind all, however quick", () => {
    const world = rig();
    const quick = (name: string) => (name === "u2" ? 1 : 5_000);
    const tiers = orderedBy("latency", [upstreamOf(1n), upstreamOf(2n, { priority: 1 })]);
    expect([...counted(100, () => serve(world, tiers, quick)).keys()]).toEqual(["u1"]);
    const peers = orderedBy("latency", [upstreamOf(3n), upstreamOf(2n)]);
    counted(50, () => serve(world, peers, quick));
    const { routing } = world;
    for (let round = 0; round < 200; round += 1) {
      for (const candidate of routing.candidates(peers, ORDER)) {
        const isQuick = candidate.upstream.name === "u2";
        routing.report(candidate, { kind: isQuick ? "unreachable" : "ok" }, ORDER.account);
        if (!isQuick) break;
      }
    }
    expect([...counted(100, () => serve(world, peers, quick)).keys()]).toEqual(["u3"]);
  });

  it("keep a conversation that has moved where it is", () => {
    const world = rig();
    const catalog = orderedBy("latency", [upstreamOf(1n), upstreamOf(2n)]);
    counted(100, () => serve(world, catalog, (name) => (name === "u1" ? 1 : 9_000)));
    const moved = { upstreamId: 2n, credentialId: 20n };
    for (let at = 0; at < 50; at += 1) {
      const conversation = conversationKey(at.toString(16).padStart(32, "0"));
      const order = { ...ORDER, conversation, moved };
      expect(attempts(world.routing, catalog, { kind: "ok" }, order)).toEqual(["u2/a"]);
    }
  });
});

describe("upstreams preferred by cost", () => {
  it("are asked from the cheapest on, and those of equal cost in the order that weights give", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }), (factors) => {
        const { routing } = rig();
        const upstreams = factors.map((factor, at) =>
          upstreamOf(BigInt(at + 1), { cost: cost(BigInt(factor) * PPM), weight: at + 1 }),
        );
        const catalog = orderedBy("cost", upstreams);
        const asked = attempts(routing, catalog, { kind: "failed" });
        const costs = asked.map((name) => factors[Number(name[1]) - 1] ?? 0);
        expect(costs).toEqual(costs.toSorted((a, b) => a - b));
        const conversation = conversationKey("0123456789abcdef0123456789abcdef");
        const once = (): string => {
          const { value } = routing.candidates(catalog, { ...ORDER, account: 2n, conversation }).next();
          if (value === undefined) throw new Error("no candidate");
          routing.report(value, { kind: "ok" }, 2n);
          return label(value);
        };
        expect(new Set(Array.from({ length: 20 }, once)).size).toBe(1);
      }),
      { numRuns: 100 },
    );
  });

  it("are compared by their own prices of the model, else by their factor of its price; none at all is the price itself", () => {
    const { routing } = rig();
    const own = (input: bigint, output: bigint): Upstream["cost"] => ({
      factorPpm: 1n,
      prices: new Map([["ours", { rates: { input, output }, media: {} }]]),
    });
    const catalog = orderedBy("cost", [
      upstreamOf(1n, { cost: null }),
      upstreamOf(2n, { cost: cost(PPM / 2n) }),
      upstreamOf(3n, { cost: own(1_000_000_000n, 5_000_000_000n) }),
    ]);
    expect(attempts(routing, catalog, { kind: "failed" })).toEqual(["u3/a", "u2/a", "u1/a"]);
  });

  it("never put one that fails before one that is healthy", () => {
    const world = rig();
    const catalog = orderedBy("cost", [upstreamOf(1n, { cost: cost(1n) }), upstreamOf(2n)]);
    const { routing } = world;
    for (let round = 0; round < 20; round += 1) {
      for (const candidate of routing.candidates(catalog, ORDER)) {
        const isCheap = candidate.upstream.name === "u1";
        routing.report(candidate, { kind: isCheap ? "unreachable" : "ok" }, ORDER.account);
        if (!isCheap) break;
      }
    }
    expect(attempts(routing, catalog, { kind: "ok" })).toEqual(["u2/a"]);
  });
});
