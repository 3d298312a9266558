import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RequestDetail } from "../../src/console/requests/contract.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import {
  SignedConversation,
  type SigningVendors,
  signedCatalog,
  signingVendors,
} from "../support/signed-conversations.ts";
import { waitFor } from "../support/wait.ts";
import { ask, type Reply } from "../support/world.ts";

const KEYS = ["key-one-at-the-vendor", "key-two-at-the-vendor"] as const;

describe("the place that a request was sent to, as an operator is told it", () => {
  let vendors: SigningVendors;
  let gateway: TestGateway;
  let operator: SignedIn;
  beforeAll(async () => {
    vendors = await signingVendors(1);
    const [url = ""] = vendors.urls;
    gateway = await startGateway({
      catalog: signedCatalog([{ url, keys: KEYS }]),
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
    });
    operator = await signIn(gateway);
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendors?.close();
  });

  const post = (path: string, body: object): Promise<Reply> =>
    ask(gateway.url, path, { model: "text", ...body }, { key: TEST_KEY });
  /** The place by the key that was asked, and the reason. */
  const placeOf = async (reply: Reply): Promise<readonly [string | undefined, string | undefined]> => {
    expect(reply.status, reply.text).toBe(200);
    const accounts = (await operator.get("/operator/accounts")).body as { data: { id: string }[] };
    const path = `/accounts/${accounts.data[0]?.id}/requests/${reply.headers.get("x-request-id")}`;
    const { place } = await waitFor("the record", async () => {
      const { body } = await operator.get(path);
      return (body as RequestDetail).request === null ? undefined : (body as RequestDetail);
    });
    // The file's credentials are called by their numbers.
    return [place === null ? undefined : KEYS[Number(place.credential) - 1], place?.reason];
  };
  const lastKey = (): string | undefined => vendors.calls.at(-1)?.key;

  it("is the conversation's own, then another where that fails, and from then on the one it has moved to", async () => {
    const conversation = new SignedConversation("moving");
    const first = await placeOf(await conversation.say(gateway.url));
    const own = lastKey() ?? "";
    expect(first).toEqual([own, "affinity"]);
    vendors.away.add(own);
    const second = await placeOf(await conversation.say(gateway.url));
    expect(second).toEqual([lastKey(), "failover"]);
    expect(lastKey()).not.toBe(own);
    vendors.away.clear();
    expect(await placeOf(await conversation.say(gateway.url))).toEqual([lastKey(), "moved"]);
  });

  it("is any, for a request of no conversation", async () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
    const reply = await post("/v1/responses", {
      input: [{ role: "user", content: [image] }],
      store: false,
    });
    // One of the credentials may be cooling still.
    const [key, reason] = await placeOf(reply);
    expect(key).toBe(lastKey());
    expect(["first_choice", "failover"]).toContain(reason);
  });

  it("is the one that keeps what an id names", async () => {
    const kept = await post("/v1/responses", { input: "Hello from conversation-kept" });
    await placeOf(kept);
    const keeper = lastKey();
    const next = await post("/v1/responses", { previous_response_id: kept.json.id, input: "Go on." });
    expect(await placeOf(next)).toEqual([keeper, "pinned"]);
  });

  it("is the one that made the state of a translated request", async () => {
    const question = { role: "user", content: "Hello from conversation-translated" };
    const thinking = { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 1024 } };
    const first = await post("/v1/messages", { messages: [question], ...thinking });
    await placeOf(first);
    const maker = lastKey();
    const response = { role: "assistant", content: first.json.content };
    const messages = [question, response, { role: "user", content: "Go on." }];
    expect(await placeOf(await post("/v1/messages", { messages, ...thinking }))).toEqual([maker, "state"]);
  });
});
