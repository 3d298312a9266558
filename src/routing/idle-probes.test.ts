import { describe, expect, it } from "vitest";
import { attempts, catalogOf, credentials, rig, upstreamOf } from "../../test/support/routing-rig.ts";
import type { Timers } from "../base/async/timers.ts";
import type { TrialResult } from "../upstreams/probe.ts";
import { watchIdleUpstreams } from "./idle-probes.ts";

const probed = upstreamOf(1n, { probe: true, credentials: credentials("a", "b") });
const catalog = catalogOf([probed, upstreamOf(2n, { priority: 1 })]);

/** An upstream that nobody asks, and the beats of a clock that the test drives. */
function watch() {
  const { routing, wait, clock } = rig();
  const tried: string[] = [];
  let found: TrialResult["found"] = "well";
  let beat = (): void => undefined;
  const timers: Timers = {
    after(_delayMs, callback) {
      beat = callback;
      return () => undefined;
    },
    defer: (callback) => callback(),
  };
  watchIdleUpstreams({
    catalog: { current: () => catalog },
    routing,
    timers,
    clock,
    tryUpstream: async ({ name }, credential) => {
      tried.push(`${name}/${credential.name}`);
      return { found, problem: undefined };
    },
  });
  return {
    routing,
    /** What was tried within so many beats of five seconds. */
    async beats(count: number): Promise<string[]> {
      for (let index = 0; index < count; index += 1) {
        wait(5_000);
        beat();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return tried.splice(0);
    },
    find(next: TrialResult["found"]) {
      found = next;
    },
  };
}

describe("an upstream that wants to be tried while it is idle", () => {
  it("is tried by each credential every half minute, and not while it is asked", async () => {
    const { routing, beats } = watch();
    expect(await beats(1)).toEqual(["u1/a", "u1/b"]);
    expect(await beats(12)).toEqual(["u1/a", "u1/b", "u1/a", "u1/b"]);
    for (let round = 0; round < 6; round += 1) {
      attempts(routing, catalog, { kind: "ok" });
      expect(await beats(4)).toEqual([]);
    }
  });

  it("is not asked any more once five trials in a row found it away, and again when one finds it well", async () => {
    const { routing, beats, find } = watch();
    find("away");
    expect((await beats(4)).length).toBe(8);
    expect(routing.unhealthyTargets()).toEqual([]);
    await beats(1);
    expect(routing.unhealthyTargets()).toMatchObject([{ open: true }, { open: true }]);
    expect(attempts(routing, catalog, { kind: "ok" })).toEqual(["u2/a"]);
    find("well");
    expect(await beats(7)).toEqual(["u1/a", "u1/b"]);
    expect(routing.unhealthyTargets()).toMatchObject([{ open: false }, { open: false }]);
  });

  it("comes after all others where it refuses the key", async () => {
    const { routing, beats, find } = watch();
    find("refused");
    await beats(1);
    expect(attempts(routing, catalog, { kind: "ok" })).toEqual(["u2/a"]);
  });
});
