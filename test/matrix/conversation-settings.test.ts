import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../src/console/routing/contract.ts";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import {
  SignedConversation,
  type SigningVendors,
  signedCatalog,
  signingVendors,
} from "../support/signed-conversations.ts";
import { ask, type Reply } from "../support/world.ts";

const KEYS = ["key-one-at-the-vendor", "key-two-at-the-vendor", "key-three-at-the-vendor"] as const;

let vendors: SigningVendors;
let gateway: TestGateway;

const told = async (reply: Promise<Reply>): Promise<Reply> => {
  const { status, text } = await reply;
  expect(status, text).toBe(200);
  return reply;
};
const answered = (conversation: SignedConversation): string[] =>
  vendors.calls
    .filter((call) => call.conversation === conversation.name && call.fate === "answered")
    .map(({ key }) => key);
const end = async (): Promise<void> => {
  await gateway?.end();
  await gateway?.clean();
  await vendors?.close();
};

describe("keys of one signer", () => {
  /** The first two are one organization's, of two upstreams; the third is a stranger's. */
  const signerOf = (key: string): string => (key === KEYS[2] ? "stranger" : "acme");
  beforeAll(async () => {
    vendors = await signingVendors(3, signerOf);
    gateway = await startGateway({
      catalog: signedCatalog(
        vendors.urls.map((url, index) => ({
          url,
          keys: KEYS.slice(index, index + 1),
          lines: index < 2 ? "signer: acme-at-vendor" : "priority: 1",
        })),
      ),
    });
  });
  afterAll(end);

  it("take over each other's state whole, and a stranger gets none of it", async () => {
    const conversation = new SignedConversation("signed");
    await told(conversation.say(gateway.url));
    await told(conversation.say(gateway.url));
    const [own = ""] = answered(conversation);

    vendors.away.add(own);
    const second = await told(conversation.say(gateway.url));
    const other = answered(conversation).at(-1);
    expect([own, other].sort()).toEqual([KEYS[0], KEYS[1]].sort());
    expect(second.headers.get("x-faregate-dropped")).toBeNull();

    vendors.away.add(String(other));
    const third = await told(conversation.say(gateway.url));
    expect(answered(conversation).at(-1)).toBe(KEYS[2]);
    expect(third.headers.get("x-faregate-dropped")).toMatch(/input\[\]\.encrypted_content/);

    expect(vendors.calls.map(({ fate, carried }) => ({ fate, carried }))).toEqual([
      { fate: "answered", carried: 0 },
      { fate: "answered", carried: 1 },
      { fate: "away", carried: 2 },
      { fate: "answered", carried: 2 },
      { fate: "away", carried: 3 },
      { fate: "answered", carried: 0 },
    ]);
  });
});

/** What the operator's routing view and the metrics say of the model's conversations: how many, and of these seen once. */
async function seenOnce(): Promise<readonly [number, number]> {
  const operator = await signIn(gateway);
  const { conversations } = (await operator.get("/operator/routing?model=text")).body as Route;
  const metrics = (await ask(gateway.url, "/metrics", undefined, { key: null })).text;
  for (const [name, count] of Object.entries(conversations))
    expect(metrics).toContain(`faregate_conversations_${name}{model="text"} ${count}\n`);
  return [conversations.sampled, conversations.seen_once];
}

describe("keys of one upstream", () => {
  const start = async (lines: string | undefined, settings: string): Promise<void> => {
    vendors = await signingVendors(1, () => "acme");
    const [url = ""] = vendors.urls;
    gateway = await startGateway({
      catalog: signedCatalog([{ url, keys: KEYS, ...(lines === undefined ? {} : { lines }) }], settings),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
  };
  const TURNS = 8;

  describe("with a signer", () => {
    beforeAll(() => start("signer: acme-at-vendor", "{ affinity: anchor, affinity_header: X-Thread-Id }"));
    afterAll(end);

    it("go on with the state that any of them has signed", async () => {
      const conversation = new SignedConversation("keys");
      await told(conversation.say(gateway.url));
      vendors.away.add(answered(conversation)[0] ?? "");
      const reply = await told(conversation.say(gateway.url));
      expect(new Set(answered(conversation)).size).toBe(2);
      expect(reply.headers.get("x-faregate-dropped")).toBeNull();
      vendors.away.clear();
    });

    it("keep a conversation that its client calls by a new name each time, where the anchor tells it", async () => {
      const conversation = new SignedConversation("renamed");
      for (let turn = 0; turn < TURNS; turn += 1)
        await told(conversation.say(gateway.url, { "x-session-id": `made-anew-${turn}` }));
      expect(new Set(answered(conversation)).size).toBe(1);
      expect(await seenOnce()).toEqual([2, 0]);
    });
  });

  describe("without an anchor's setting", () => {
    beforeAll(() => start(undefined, "{ affinity_header: X-Thread-Id }"));
    afterAll(end);

    it("are dealt out by the header that is named, which stands behind the usual ones", async () => {
      const threads = Array.from({ length: TURNS }, (_, turn) => new SignedConversation(`thread-${turn}`));
      for (const each of threads) await told(each.say(gateway.url, { "x-thread-id": "one-thread" }));
      expect(new Set(threads.flatMap(answered)).size).toBe(1);

      const named = Array.from({ length: 30 }, (_, turn) => new SignedConversation(`named-${turn}`));
      for (const [turn, each] of named.entries())
        await told(each.say(gateway.url, { "x-thread-id": "one-thread", "x-session-id": `session-${turn}` }));
      // Of three places one is missed once in 60,000 times.
      expect(new Set(named.flatMap(answered)).size).toBe(3);
      expect(await seenOnce()).toEqual([1 + named.length, named.length]);
    });
  });
});
