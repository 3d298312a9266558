import { beforeEach, describe, expect, it } from "vitest";
import { callerOf, orderOf, outcomeOf } from "../../test/support/money/exchange.ts";
import { ModelStore } from "../../test/support/money/model-store.ts";
import { ModelDisk, NO_FAULTS, SimulatedProcess } from "../../test/support/money/process.ts";
import { World } from "../../test/support/money/world.ts";
import type { Outcome, PricedModel } from "./billing.ts";

const HOLD = 65n;
const CHARGE = 56n;
const FUNDS = 1_000n;

let world: World;
let store: ModelStore;
let process: SimulatedProcess;
beforeEach(async () => {
  world = new World(1);
  store = new ModelStore();
  store.credit("account:1", FUNDS);
  process = new SimulatedProcess("p", world, store, new ModelDisk(), NO_FAULTS);
  void process.start();
  await pass(1_000);
});

/** A fallback model at twice the price of the one that was asked. */
const FALLBACK: PricedModel = {
  model: "fallback",
  price: { priceId: 2n, rates: { input: 2_000_000n }, factorPpm: 1_000_000n },
};

const ODD: readonly [name: string, odd: Partial<Outcome>][] = [
  ["a raw usage that can't be written", { raw: { count: 1n } }],
  ["a raw usage that throws when it is written", { raw: { toJSON: bomb } }],
  ["impossible values that can't be written", { hostile: [{ toJSON: bomb } as unknown as string] }],
  ["losses that can't be written", { losses: [{ toJSON: bomb } as unknown as string] }],
  ["nothing odd", {}],
];

/** All that an outcome can say. */
const FIELDS = {
  ...Object.fromEntries(Object.keys(outcomeOf(CHARGE)).map((field) => [field, true])),
  ...{ others: true, calls: true, units: true, served: true, region: true, requests: true, raw: true },
  ...{ attemptUses: true, hostile: true, place: true, outputLimit: true, implausible: true, errorCode: true },
  ...{ losses: true, withoutOptions: true, answeredBy: true },
};

describe("a hold", () => {
  it.each(Object.keys(FIELDS))(
    "is settled once where reading this of how it ended throws: %s",
    async (field) => {
      const odd = Object.defineProperty(outcomeOf(CHARGE), field, { get: bomb, enumerable: true });
      await settles(odd);
    },
  );

  it.each(ODD)("is settled once and charged, with %s", async (_, odd) => {
    await settles({ ...outcomeOf(CHARGE), ...odd });
    expect(store.ledger("account:1")).toMatchObject({ paid: CHARGE });
  });

  it.each(ODD)("is charged by the price of the fallback model that answered, with %s", async (_, odd) => {
    await settles({ ...outcomeOf(CHARGE / 2n), ...odd, answeredBy: FALLBACK });
    expect(store.ledger("account:1")).toMatchObject({ paid: CHARGE });
  });
});

function bomb(): never {
  throw new Error("a bug of ours");
}

/** Takes a hold and settles it so; the whole rest of the account's money can be had afterwards. */
async function settles(outcome: Outcome): Promise<void> {
  const hold = await taken(HOLD);
  await pass(10);
  let isOver = false;
  void hold.settle(outcome).then(() => {
    isOver = true;
  });
  await pass(2_000);
  expect(isOver).toBe(true);
  expect(() => hold.settle(outcome)).toThrow("a hold is settled once");
  expect(process.billing?.counts()).toMatchObject({ open: 0, unposted: 0 });
  expect(hold.chargeNanos() <= HOLD).toBe(true);
  expect(store.ledger("account:1")).toMatchObject({ paid: hold.chargeNanos(), lost: 0n });
  await taken(FUNDS - hold.chargeNanos());
}

async function taken(amountNanos: bigint) {
  const taking = process.take(orderOf(`of ${amountNanos}`, callerOf(1, false), amountNanos));
  await pass(1_000);
  return taking;
}

/** Lets so much time pass. */
async function pass(ms: number): Promise<void> {
  const endMs = world.nowMs + ms;
  while (world.step(endMs)) for (let turn = 0; turn < 12; turn += 1) await undefined;
  for (let turn = 0; turn < 12; turn += 1) await undefined;
}
