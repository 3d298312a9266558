import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { catalogOf, credentials, label, ORDER, rig, upstreamOf } from "../../test/support/routing-rig.ts";
import type { Catalog, Upstream } from "../catalog/catalog.ts";
import { type ConversationKey, conversationKey } from "./conversation.ts";
import type { CandidateOrder } from "./routes.ts";
import type { Routing } from "./routing.ts";

const KEYS = Array.from({ length: 10_000 }, (_, index) => keyOf(index));

function keyOf(index: number): ConversationKey {
  return conversationKey(createHash("sha256").update(`conversation ${index}`).digest("hex"));
}

/** Where the first request of a conversation goes, which is answered at once. */
function placed(routing: Routing, catalog: Catalog, order: Partial<CandidateOrder>): string {
  for (const candidate of routing.candidates(catalog, { ...ORDER, ...order })) {
    routing.report(candidate, { kind: "ok" }, 1n);
    return label(candidate);
  }
  return "nowhere";
}

function placesOf(catalog: Catalog, routing = rig().routing): string[] {
  return KEYS.map((conversation) => placed(routing, catalog, { conversation }));
}

function shareOf(places: readonly string[], upstream: string): number {
  return places.filter((place) => place.startsWith(`${upstream}/`)).length / places.length;
}

const four = [
  upstreamOf(1n, { credentials: credentials("a", "b") }),
  upstreamOf(2n, { credentials: credentials("a", "b") }),
] as const;

describe("the place of a conversation", () => {
  it("is the same in every process and for every request", () => {
    const catalog = catalogOf(four);
    const { routing } = rig();
    expect(placesOf(catalog, routing)).toEqual(placesOf(catalogOf([...four].reverse())));
    expect(placesOf(catalog, routing)).toEqual(placesOf(catalog));
  });

  it("is spread by weight, whatever the number of credentials", () => {
    const places = placesOf(
      catalogOf([
        upstreamOf(1n, { weight: 1, credentials: credentials("a", "b", "c") }),
        upstreamOf(2n, { weight: 3 }),
        upstreamOf(3n, { weight: 96, credentials: credentials("a", "b") }),
      ]),
    );
    // Six standard deviations of 10,000 draws are 0.6, 1.0 and 1.2 points.
    expect(Math.abs(shareOf(places, "u1") - 0.01)).toBeLessThan(0.006);
    expect(Math.abs(shareOf(places, "u2") - 0.03)).toBeLessThan(0.01);
    expect(Math.abs(shareOf(places, "u3") - 0.96)).toBeLessThan(0.012);
  });

  it.each<[string, (upstreams: readonly [Upstream, Upstream]) => Upstream[], string]>([
    ["an upstream", ([, second]) => [second], "u1/"],
    // It is out of service and configured all the same.
    [
      "a credential",
      ([first, second]) => [{ ...first, credentials: first.credentials.slice(1) }, second],
      "u1/a",
    ],
  ])("moves only where it is gone with %s", (_, without, gone) => {
    const before = placesOf(catalogOf(four));
    const after = placesOf(catalogOf(without(four)));
    for (const [index, place] of before.entries()) {
      if (place.startsWith(gone)) expect(after[index]?.startsWith(gone)).toBe(false);
      else expect(after[index]).toBe(place);
    }
  });

  it("is another one for each conversation that its own place fails: those spread over all others", () => {
    const catalog = catalogOf(Array.from({ length: 4 }, (_, index) => upstreamOf(BigInt(index + 1))));
    const seconds = KEYS.slice(0, 500).flatMap((conversation) => {
      const [home, second] = [...rig().routing.candidates(catalog, { ...ORDER, conversation })].map(label);
      return home === "u1/a" ? [second] : [];
    });
    expect(new Set(seconds)).toEqual(new Set(["u2/a", "u3/a", "u4/a"]));
  });

  it("comes back within its ramp once and for all", () => {
    const { routing, wait } = rig();
    const catalog = catalogOf([upstreamOf(1n), upstreamOf(2n)]);
    const own = KEYS.filter((conversation) => placed(routing, catalog, { conversation }) === "u1/a");
    const first = catalog.upstreams[0]?.credentials[0];
    if (first === undefined) throw new Error("no credential");
    const [upstream] = catalog.upstreams as [Upstream];
    const site = { upstream, credential: first, model: "theirs" };
    for (let failure = 0; failure < 5; failure += 1)
      routing.places.report(site, { kind: "unreachable" }, { account: 9n, model: "ours" });
    routing.places.report(site, { kind: "client-error" }, { account: 9n, model: "ours" });
    const back = new Set<string>();
    for (let second = 0; second <= 60; second += 10) {
      const here = own.filter((conversation) => placed(routing, catalog, { conversation }) === "u1/a");
      const ids = new Set(here.map(({ id }) => id));
      for (const id of back) expect(ids.has(id)).toBe(true);
      for (const id of ids) back.add(id);
      if (second === 0) expect(Math.abs(ids.size / own.length - 0.1)).toBeLessThan(0.03);
      wait(10_000);
    }
    expect(back.size).toBe(own.length);
  });
});

describe("a crowded place", () => {
  it("is waited for, and then left to the conversation's second place", async () => {
    const { routing } = rig();
    const catalog = catalogOf([
      upstreamOf(1n, { maxConcurrency: 99 }),
      upstreamOf(2n, { maxConcurrency: 99 }),
    ]);
    const conversation = KEYS.find((key) => placed(routing, catalog, { conversation: key }) === "u1/a");
    if (conversation === undefined) throw new Error("no key");
    const order = { ...ORDER, conversation };
    const running = Array.from({ length: 16 }, () => {
      const candidates = routing.candidates(catalog, order);
      expect(candidates.waitForCapacity()).toBeUndefined();
      return candidates.next().value;
    });
    expect(running.every((candidate) => candidate !== undefined && label(candidate) === "u1/a")).toBe(true);

    const other = routing.candidates(catalog, order);
    await other.waitForCapacity();
    const second = other.next().value;
    expect(second && label(second)).toBe("u2/a");

    const third = routing.candidates(catalog, order);
    const room = third.waitForCapacity();
    expect(room).toBeDefined();
    if (running[0]) routing.report(running[0], { kind: "ok" }, 1n);
    await room;
    const own = third.next().value;
    expect(own && label(own)).toBe("u1/a");
  });

  it("is no matter where it is the only one", () => {
    const { routing } = rig();
    const catalog = catalogOf([upstreamOf(1n, { maxConcurrency: 99 })]);
    for (let request = 0; request < 50; request += 1) {
      const candidates = routing.candidates(catalog, { ...ORDER, conversation: keyOf(1) });
      expect(candidates.waitForCapacity()).toBeUndefined();
      expect(candidates.next().value).toBeDefined();
    }
  });
});

describe("a conversation that has moved", () => {
  it("stays where it is, against order and priority, until that place is gone or worse than others", () => {
    const { routing } = rig();
    const upstreams = [upstreamOf(1n), upstreamOf(2n), upstreamOf(3n, { priority: 5 })];
    const order = { conversation: keyOf(1), moved: { upstreamId: 3n, credentialId: 30n } };
    expect(placed(routing, catalogOf(upstreams), order)).toBe("u3/a");
    expect(placed(routing, catalogOf(upstreams.slice(0, 2)), order)).not.toBe("u3/a");
    const [candidate] = routing.candidates(catalogOf(upstreams), { ...ORDER, ...order });
    if (candidate) routing.report(candidate, { kind: "rate-limited" }, 1n);
    expect(placed(routing, catalogOf(upstreams), order)).not.toBe("u3/a");
  });

  it("is asked next where another process is found to have gone on with it, even at the place that has refused", () => {
    const catalog = catalogOf([1n, 2n, 3n, 4n].map((id) => upstreamOf(id)));
    const order = { ...ORDER, conversation: keyOf(1) };
    const [home, second, third] = [...rig().routing.candidates(catalog, order)];
    for (const place of [home, third]) {
      if (home === undefined || second === undefined || place === undefined) throw new Error("no candidate");
      const { routing } = rig();
      const candidates = routing.candidates(catalog, order);
      candidates.next();
      candidates.stateRefused();
      candidates.relocate({ upstreamId: place.upstream.id, credentialId: place.credential.id });
      const found = candidates.next().value;
      expect(found && label(found)).toBe(label(place));
      // Where it refuses too, the others follow in the conversation's order.
      candidates.stateRefused();
      const next = candidates.next().value;
      expect(next && label(next)).toBe(label(second));
    }
  });
});
