import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEXT_FAILPOINTS } from "../../src/base/failpoint.ts";
import { type CrashRig, startCrashRig } from "../support/crash-rig.ts";
import { seededRandom } from "../support/seed.ts";

const PRODUCT = TEXT_FAILPOINTS.flatMap((point) =>
  (["stream", "plain"] as const).flatMap((mode) => [1, 17].map((pass) => ({ point, mode, pass }))),
);
const KILLS = 20;

describe("M3, crash-safe money, the full product", () => {
  let rig: CrashRig;
  beforeAll(async () => {
    rig = await startCrashRig();
  });
  afterAll(() => rig.stop());

  it.each(PRODUCT)("loses and invents nothing when it dies at $point:$pass under $mode", async (one) => {
    await rig.crashAt(one.point, { modes: [one.mode], pass: one.pass });
    expect(await rig.recover()).toEqual([]);
  });

  it(`loses and invents nothing over ${KILLS} kills at random moments, some without a stop between`, async () => {
    const random = seededRandom("TEST_SEED");
    for (let kill = 0; kill < KILLS; kill += 1) {
      await rig.killAfter(random.whole(1, 60), ["stream", "plain"]);
      if (random.whole(1, 2) === 1) expect(await rig.recover()).toEqual([]);
    }
    expect(await rig.recover()).toEqual([]);
    await rig.expectCleanLedger();
  });
});
