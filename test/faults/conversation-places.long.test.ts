import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateways, PATIENCE_MS, startGateways } from "../support/gateways.ts";
import {
  SignedConversation,
  type SigningVendors,
  signedCatalog,
  signingVendors,
} from "../support/signed-conversations.ts";

const CONVERSATIONS = 200;
const TURNS = 12;
const AT_ONCE = 10;

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

/** One turn of every conversation, each with one of the processes; gives where each was answered. */
async function turn(number: number): Promise<Map<string, string>> {
  vendors.calls.length = 0;
  for (let first = 0; first < CONVERSATIONS; first += AT_ONCE) {
    const asked = conversations.slice(first, first + AT_ONCE).map(async (conversation, index) => {
      const url = gateways.urls[(first + index + number) % gateways.urls.length] ?? "";
      const reply = await conversation.say(url);
      expect(reply.status, reply.text).toBe(200);
    });
    await Promise.all(asked);
  }
  const answered = vendors.calls.filter(({ fate }) => fate === "answered");
  expect(answered).toHaveLength(CONVERSATIONS);
  return new Map(answered.map(({ conversation, key }) => [conversation, key]));
}

it(
  "keeps every conversation at one credential in all processes, and moves only those whose credential is away",
  async () => {
    const began = await turn(0);
    expect(new Set(began.values()).size).toBe(4);
    for (let number = 1; number < TURNS; number += 1) {
      expect(await turn(number)).toEqual(began);
      // All asked there was answered there, with all that was ever signed.
      expect(vendors.calls.map(({ carried }) => carried)).toEqual(
        Array.from({ length: CONVERSATIONS }, () => number),
      );
    }

    const [[, away = ""] = []] = began;
    vendors.away.add(away);
    let places = began;
    for (let number = TURNS; number < 2 * TURNS; number += TURNS / 4) {
      const after = await turn(number);
      for (const [conversation, key] of began) {
        if (key === away) expect(after.get(conversation)).not.toBe(key);
        else expect(after.get(conversation), conversation).toBe(key);
      }
      if (number > TURNS) expect(after).toEqual(places);
      places = after;
    }
  },
  PATIENCE_MS,
);
