import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEXT_FAILPOINTS } from "../../src/base/failpoint.ts";
import { type CrashRig, onePerModule, startCrashRig } from "../support/crash-rig.ts";
import { PATIENCE_MS } from "../support/gateways.ts";

/** A crash point of each module, under streams and plain responses alike; the long lane has the full product. */
describe("M3, crash-safe money", { timeout: PATIENCE_MS }, () => {
  let rig: CrashRig;
  beforeAll(async () => {
    rig = await startCrashRig();
  });
  afterAll(() => rig.stop());

  it.each(onePerModule(TEXT_FAILPOINTS))("loses and invents nothing when it dies at %s", async (point) => {
    await rig.crashAt(point, { modes: ["stream", "plain"], pass: 9 });
    expect(await rig.recover()).toEqual([]);
  });

  it("loses and invents nothing when it is killed at a random moment", async () => {
    await rig.killAfter(30, ["stream", "plain"]);
    expect(await rig.recover()).toEqual([]);
    await rig.expectCleanLedger();
  });
});
