import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import {
  SignedConversation,
  type SigningVendors,
  signedCatalog,
  signingVendors,
} from "../support/signed-conversations.ts";

const CONVERSATIONS = 1_000;
/** Fewer than 16, so that no place counts as crowded. */
const AT_ONCE = 10;

let vendors: SigningVendors;
let gateway: TestGateway;
beforeAll(async () => {
  vendors = await signingVendors(2);
  gateway = await startGateway({
    catalog: signedCatalog(
      vendors.urls.map((url, index) => ({
        url,
        keys: index === 0 ? ["main-key-a", "main-key-b"] : ["canary-key"],
        lines: `weight: ${index === 0 ? 95 : 5}`,
      })),
    ),
  });
});
afterAll(async () => {
  await gateway?.end();
  await gateway?.clean();
  await vendors?.close();
});

/** One turn of each; gives the names of those that the canary answered. */
async function turn(of: readonly SignedConversation[]): Promise<Set<string>> {
  const before = vendors.calls.length;
  for (let first = 0; first < of.length; first += AT_ONCE) {
    const asked = of.slice(first, first + AT_ONCE).map((conversation) => conversation.say(gateway.url));
    for (const reply of await Promise.all(asked)) expect(reply.status, reply.text).toBe(200);
  }
  const calls = vendors.calls.slice(before);
  expect(calls).toHaveLength(of.length);
  return new Set(calls.filter(({ key }) => key === "canary-key").map(({ conversation }) => conversation));
}

it("gives a canary its weight's share of the conversations, and all turns of those", async () => {
  const conversations = Array.from({ length: CONVERSATIONS }, (_, at) => new SignedConversation(`${at}`));
  const canary = await turn(conversations);
  // A twentieth of 1,000, give or take five standard deviations.
  expect(Math.abs(canary.size - CONVERSATIONS / 20)).toBeLessThan(5 * Math.sqrt(CONVERSATIONS * 0.05 * 0.95));

  const longer = conversations.filter(({ name }, index) => canary.has(name) || index % 10 === 0);
  for (let more = 0; more < 3; more += 1) expect(await turn(longer)).toEqual(canary);
}, 120_000);
