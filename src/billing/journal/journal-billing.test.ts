import { beforeEach, describe, expect, it } from "vitest";
import { callerOf, orderOf, outcomeOf } from "../../../test/support/money/exchange.ts";
import { ModelStore } from "../../../test/support/money/model-store.ts";
import { type Faults, ModelDisk, NO_FAULTS, SimulatedProcess } from "../../../test/support/money/process.ts";
import { World } from "../../../test/support/money/world.ts";

let world: World;
let store: ModelStore;
let disk: ModelDisk;
let faults: Faults;
beforeEach(() => {
  world = new World(1);
  store = new ModelStore();
  store.credit("account:1", 1_000n);
  disk = new ModelDisk();
  faults = { ...NO_FAULTS };
});

describe("a process whose statement is lost without a word", () => {
  it("starts some seconds later, and finishes what its predecessor left, long before anybody takes that for dead", async () => {
    const dead = await started("dead");
    await settled(dead, 56n);
    dead.kill();
    faults.lostStatement = 1;
    const heir = new SimulatedProcess("heir", world, store, disk, faults);
    void heir.start();
    await pass(1_000);
    faults.lostStatement = 0;
    await pass(5_000);
    expect(heir.billing?.notReady()).toBeUndefined();
    expect(store.journals.get("dead.1")).toMatchObject({ posted: 2, closed: true });
    expect(store.ledger("account:1")).toMatchObject({ paid: 56n, lost: 0n });
  });

  it("finishes what its predecessor left, also where it is the adoption that is lost", async () => {
    const dead = await started("dead");
    await settled(dead, 56n);
    dead.kill();
    const heir = new SimulatedProcess("heir", world, store, disk, faults);
    void heir.start();
    await pass(3, () => store.journals.has("heir.1"));
    faults.lostStatement = 1;
    await pass(1_000);
    expect(store.journals.get("dead.1")).toMatchObject({ posted: 0, closed: false });
    faults.lostStatement = 0;
    await pass(15_000);
    expect(store.journals.get("dead.1")).toMatchObject({ posted: 2, closed: true });
    expect(store.ledger("account:1")).toMatchObject({ paid: 56n, lost: 0n });
  });

  it("ends its drain with the statement that was under way at the limit", async () => {
    const process = await started("leaving");
    await settled(process, 10n);
    await pass(1_000);
    faults.lostStatement = 1;
    let drained: boolean | undefined;
    void process.billing?.drain(10_000).then((done) => {
      drained = done;
    });
    await pass(19_000);
    expect(drained).toBe(false);
  });
});

describe("a process whose start fails", () => {
  it("closes its journal and goes on with nothing, however late in the start that is", async () => {
    const process = new SimulatedProcess("failing", world, store, disk, faults);
    process.cannotListen = true;
    let failure: unknown;
    void process.start().catch((error: unknown) => {
      failure = error;
    });
    await pass(10_000);
    expect(failure).toEqual(new Error("cannot listen"));
    expect(store.journals.get("failing.1")).toMatchObject({ closed: true });
  });
});

async function started(name: string): Promise<SimulatedProcess> {
  const process = new SimulatedProcess(name, world, store, disk, faults);
  void process.start();
  await pass(1_000);
  return process;
}

/** Serves a request of this charge, whose records are written and not posted yet. */
async function settled(process: SimulatedProcess, charge: bigint): Promise<void> {
  const taken = process.take(orderOf(`of ${process.name}`, callerOf(1, false), 65n));
  await pass(100);
  const hold = await taken;
  await pass(10);
  void hold.settle(outcomeOf(charge));
  await pass(5);
}

/** Lets so much time pass, or what is left of it until something is true. */
async function pass(ms: number, until = (): boolean => false): Promise<void> {
  const endMs = world.nowMs + ms;
  while (!until() && world.step(endMs)) for (let turn = 0; turn < 12; turn += 1) await undefined;
  for (let turn = 0; turn < 12; turn += 1) await undefined;
}
