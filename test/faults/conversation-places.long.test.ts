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

function conversationsOf(name: string): SignedConversation[] {
  return Array.from({ length: CONVERSATIONS }, (_, index) => new SignedConversation(`${name}-${index}`));
}

/** One turn of every conversation, each with one of the processes; gives where each was answered. */
async function turn(
  conversations: readonly SignedConversation[],
  number: number,
): Promise<Map<string, string>> {
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
    const conversations = conversationsOf("steady");
    const began = await turn(conversations, 0);
    expect(new Set(began.values()).size).toBe(4);
    for (let number = 1; number < TURNS; number += 1) {
      expect(await turn(conversations, number)).toEqual(began);
      // All asked there was answered there, with all that was ever signed.
      expect(vendors.calls.map(({ carried }) => carried)).toEqual(
        Array.from({ length: CONVERSATIONS }, () => number),
      );
    }

    const [[, away = ""] = []] = began;
    vendors.away.add(away);
    let places = began;
    for (let number = TURNS; number < 2 * TURNS; number += TURNS / 4) {
      const after = await turn(conversations, number);
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

it(
  "fails no request, and moves nobody else, while one process takes for gone what the other takes for well",
  async () => {
    vendors.away.clear();
    const conversations = conversationsOf("split");
    const began = await turn(conversations, 0);
    const gone = new Set<string>();
    for (let number = 1; number < TURNS; number += 1) {
      // Three credentials one after the other, each refused once, to one process or the other.
      const one =
        number % 3 === 1 ? conversations.find(({ name }) => isAtNoneOf(gone, began.get(name))) : undefined;
      if (one !== undefined && gone.size < 3) {
        const key = began.get(one.name) ?? "";
        gone.add(key);
        vendors.away.add(key);
        const reply = await one.say(gateways.urls[gone.size % 2] ?? "");
        expect(reply.status, reply.text).toBe(200);
        vendors.away.clear();
      }
      for (const [conversation, key] of await turn(conversations, number))
        if (isAtNoneOf(gone, began.get(conversation)))
          expect(key, conversation).toBe(began.get(conversation));
    }
    expect(gone.size).toBe(3);
  },
  PATIENCE_MS,
);

function isAtNoneOf(gone: ReadonlySet<string>, key: string | undefined): boolean {
  return key !== undefined && !gone.has(key);
}
