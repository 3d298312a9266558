import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateways, PATIENCE_MS, startGateways } from "../support/gateways.ts";
import {
  type SignedCall,
  SignedConversation,
  type SigningVendors,
  signedCatalog,
  signingVendors,
} from "../support/signed-conversations.ts";
import { waitFor } from "../support/wait.ts";

/** Of 48 over four credentials some twelve are at the first one's, and fewer than four in one run of 5,000. */
const CONVERSATIONS = 48;

/** Several times what a notification may take. */
const TOLD_MS = 2_500;

const conversations = Array.from({ length: CONVERSATIONS }, (_, index) => new SignedConversation(`${index}`));
let vendors: SigningVendors;
let gateways: Gateways;

beforeAll(async () => {
  vendors = await signingVendors(2);
  gateways = await startGateways(2, {
    catalog: signedCatalog(
      vendors.urls.map((url, index) => ({
        url,
        keys: [`key-${index}-a-at-the-vendor`, `key-${index}-b-at-the-vendor`],
      })),
    ),
  });
});
afterAll(async () => {
  await gateways?.clean();
  await vendors?.close();
});

/** One turn of each, all at one process; gives what the vendors saw of it. */
async function turn(process: number, of: readonly SignedConversation[]): Promise<SignedCall[]> {
  const before = vendors.calls.length;
  for (const conversation of of) {
    const reply = await conversation.say(gateways.urls[process] ?? "");
    expect(reply.status, reply.text).toBe(200);
  }
  return vendors.calls.slice(before);
}

/** Where each was answered. */
function placesIn(calls: readonly SignedCall[]): Map<string, string> {
  return new Map(
    calls.filter(({ fate }) => fate === "answered").map(({ conversation, key }) => [conversation, key]),
  );
}

function fatesIn(calls: readonly SignedCall[]): Set<string> {
  return new Set(calls.map(({ fate }) => fate));
}

it(
  "answers every request while processes differ on what is well, and tells them and their successors who has moved",
  async () => {
    const began = placesIn(await turn(0, conversations));
    expect(placesIn(await turn(1, conversations))).toEqual(began);
    const [[, away = ""] = []] = began;
    const own = conversations.filter(({ name }) => began.get(name) === away);
    const others = conversations.filter(({ name }) => began.get(name) !== away);
    const [first, ...rest] = own;
    if (first === undefined) throw new Error("no conversation is there");
    const half = rest.slice(0, rest.length / 2);
    const unasked = rest.slice(rest.length / 2);
    expect(unasked.length).toBeGreaterThan(0);

    // The first process alone is told to wait, and so it alone takes the credential for gone.
    vendors.away.add(away);
    const moving = await turn(0, [first]);
    vendors.away.clear();
    expect(moving.map(({ fate }) => fate)).toEqual(["away", "answered"]);

    // Each goes from one process to the other and back, told of the move or not.
    const moved = placesIn(moving);
    /** Word of their move took longer than a request waits for it, as on a machine that has stopped for a moment. */
    const late = new Set<string>();
    for (const conversation of half) {
      const there = await turn(0, [conversation]);
      const here = await turn(1, [conversation]);
      const back = await turn(0, [conversation]);
      if (here.length > 2) {
        late.add(conversation.name);
        continue;
      }
      // At most one refused call; what the new place has signed since is not lost by it.
      expect(fatesIn([...there, ...back])).toEqual(new Set(["answered"]));
      expect(here.at(-1)?.carried).toBe(1);
      expect(placesIn(here)).toEqual(placesIn(there));
      expect(placesIn(back)).toEqual(placesIn(there));
      for (const [name, place] of placesIn(there)) moved.set(name, place);
    }
    expect(late.size).toBeLessThan(half.length);
    // Nothing has happened to those of other places, in either view.
    for (const process of [0, 1]) {
      const calls = await turn(process, others);
      expect(fatesIn(calls)).toEqual(new Set(["answered"]));
      for (const [name, place] of placesIn(calls)) expect(place).toBe(began.get(name));
    }

    for (const [name, place] of placesIn(await turn(0, unasked))) moved.set(name, place);
    expect([...moved.values()]).not.toContain(away);
    const { database } = gateways.first;
    await waitFor("the moves in the database", async () => {
      const row = await database?.database.one<{ count: bigint }>("select count(*) from moved_conversations");
      return row?.count === BigInt(own.length);
    });
    await sleep(TOLD_MS);
    const told = await turn(1, unasked);
    expect(fatesIn(told)).toEqual(new Set(["answered"]));
    for (const [name, place] of placesIn(told)) expect(place).toBe(moved.get(name));

    // Its successor takes all places for well, and yet asks none that a conversation has left.
    await gateways.running[1]?.end();
    await gateways.add();
    const after = await turn(
      1,
      conversations.filter(({ name }) => !late.has(name)),
    );
    expect(fatesIn(after)).toEqual(new Set(["answered"]));
    expect(placesIn(after)).toEqual(new Map([...began, ...moved].filter(([name]) => !late.has(name))));
  },
  PATIENCE_MS,
);
