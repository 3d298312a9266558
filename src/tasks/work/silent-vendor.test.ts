import { describe, expect, it } from "vitest";
import { callerOf } from "../../../test/support/money/exchange.ts";
import { World } from "../../../test/support/money/world.ts";
import { ModelStore } from "../../../test/support/task-simulation/model-board.ts";
import { ModelVendor } from "../../../test/support/task-simulation/model-vendor.ts";
import { TaskProcess } from "../../../test/support/task-simulation/process.ts";
import { fakeVendor, simulatedCatalog, videoRequest } from "../../../test/support/tasks.ts";
import { decodeSettings } from "../../catalog/settings.ts";
import type { UpstreamAsk } from "../../upstreams/call.ts";

const TASKS = 300;
const DEADLINE_MS = 5 * 60_000;

const MAX_LATE_MS = 60_000;

/** Takes orders, and from some moment on does not answer a question about them. */
class SilentVendor extends ModelVendor {
  silent = false;
  asked = 0;

  override response(ask: UpstreamAsk, ...rest: [Parameters<ModelVendor["response"]>[1]]): void {
    if (ask.request.path.startsWith("/poll")) {
      this.asked += 1;
      if (this.silent) return;
    }
    super.response(ask, ...rest);
  }
}

describe("tasks of a vendor that takes questions and says nothing", () => {
  it.each([
    ["from the beginning", 0, 1],
    ["from shortly before their deadline", DEADLINE_MS - 5_000, 1],
    ["whatever the moments at which they are polled", DEADLINE_MS - 5_000, 2],
    ["whatever the moments at which they are polled", DEADLINE_MS - 5_000, 3],
  ])("all end in time, %s", async (_, silentFromMs, seed) => {
    const { world, store, vendor, submit } = createRig({ flapping: 1, seed });
    await submit();
    await run(world, silentFromMs);
    vendor.silent = true;
    await run(world, world.nowMs + DEADLINE_MS + MAX_LATE_MS);
    const tasks = [...store.tasks.values()];
    expect(tasks).toHaveLength(TASKS);
    const late = tasks.filter(
      ({ deadlineMs, finishedAtMs }) => (finishedAtMs ?? Infinity) > deadlineMs + MAX_LATE_MS,
    );
    expect(late).toHaveLength(0);
  });

  it("are polled again once it speaks", async () => {
    const { world, store, vendor, submit } = createRig();
    vendor.silent = true;
    await submit();
    await run(world, DEADLINE_MS / 2);
    expect(vendor.asked).toBeGreaterThan(0);
    vendor.silent = false;
    await run(world, DEADLINE_MS + MAX_LATE_MS);
    const made = [...store.tasks.values()].filter(({ state }) => state === "SUCCESS");
    expect(made.length).toBeGreaterThan(TASKS / 2);
  });
});

/** `flapping: 1`: while it speaks it says that they are in its queue. */
function createRig({ flapping = 0, seed = 1 } = {}) {
  const world = new World(seed);
  const store = new ModelStore(world);
  const vendor = new SilentVendor(world, {
    refused: 0,
    lostResponse: 0,
    unreachable: 0,
    failedPoll: 0,
    flapping,
    synchronous: false,
  });
  const faults = { outage: false, lostCommit: 0, lostStatement: 0, pauseAtCommit: 0, longestPauseMs: 0 };
  const minutes = DEADLINE_MS / 60_000;
  const process = new TaskProcess({
    world,
    store,
    faults,
    vendors: new Map([[1n, vendor]]),
    catalog: {
      ...simulatedCatalog([fakeVendor(1n).upstream]),
      settings: decodeSettings({ task_deadline_minutes: { image: minutes, video: minutes } }),
    },
  });
  const submit = async (): Promise<void> => {
    const caller = callerOf(1, false);
    store.fund(caller.accountId, 1_000_000_000n * BigInt(TASKS));
    const submits = Array.from({ length: TASKS }, () => process.submitter.submit(videoRequest(caller)));
    let accepted = false;
    void Promise.all(submits).then(() => {
      accepted = true;
    });
    while (!accepted) await run(world, world.nowMs + 10);
  };
  return { world, store, vendor, submit };
}

async function run(world: World, untilMs: number): Promise<void> {
  while (world.step(untilMs)) await settle();
  await settle();
}

/** Lets what an event resolved run its course. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await undefined;
}
